// SPDX-License-Identifier: Apache-2.0

// Addresses as people write them.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <string>

#include "metrics/listen.h"
#include "retry_guard/metrics_endpoint.h"

namespace {

uint16_t PortOf(const rg_listen_address &address) {
  return ntohs(
      address.socket.ss_family == AF_INET6
          ? reinterpret_cast<const sockaddr_in6 *>(&address.socket)->sin6_port
          : reinterpret_cast<const sockaddr_in *>(&address.socket)->sin_port);
}

bool IsLoopback(const rg_listen_address &address) {
  return reinterpret_cast<const sockaddr_in *>(&address.socket)
             ->sin_addr.s_addr == htonl(INADDR_LOOPBACK);
}

TEST(Listen, MeansTheLoopbackInterfaceWithoutAHost) {
  for (const char *text : {":81", "localhost:81", "127.0.0.1:81"}) {
    rg_listen_address address;
    ASSERT_TRUE(rg_listen_parse(text, &address)) << text;
    EXPECT_TRUE(IsLoopback(address)) << text;
    EXPECT_EQ(PortOf(address), 81);
  }
}

TEST(Listen, MeansItsOwnPortWithoutAnother) {
  for (const char *text : {"", "localhost", "0.0.0.0", "[::1]", "[::]"}) {
    rg_listen_address address;
    ASSERT_TRUE(rg_listen_parse(text, &address)) << text;
    EXPECT_EQ(PortOf(address), RETRY_GUARD_METRICS_PORT) << text;
  }
  rg_listen_address address;
  EXPECT_TRUE(rg_listen_parse(nullptr, &address));
}

TEST(Listen, TakesEveryInterfaceOnlyWhenTold) {
  rg_listen_address address;
  ASSERT_TRUE(rg_listen_parse("0.0.0.0:81", &address));
  EXPECT_FALSE(IsLoopback(address));
}

TEST(Listen, ReadsIpv6InBrackets) {
  rg_listen_address address;
  ASSERT_TRUE(rg_listen_parse("[::1]:65535", &address));
  EXPECT_EQ(address.socket.ss_family, AF_INET6);
  EXPECT_EQ(PortOf(address), 65535);
}

TEST(Listen, RefusesWhatIsNoAddress) {
  for (const std::string &text :
       {std::string("::1"), std::string("[::1"), std::string("[]:1"),
        std::string("[127.0.0.1]:1"), std::string("[::1]x"),
        std::string("127.0.0.1:"), std::string("127.0.0.1:65536"),
        std::string("127.0.0.1:-1"), std::string("127.0.0.1:+1"),
        std::string("127.0.0.1: 1"), std::string("127.0.0.1:1x"),
        std::string("127.0.0.1:99999999999"), std::string("127.1:1"),
        std::string("example.com:80"), std::string("http://127.0.0.1:80"),
        std::string(1000, '1'), "[" + std::string(1000, ':') + "]"}) {
    rg_listen_address address;
    EXPECT_FALSE(rg_listen_parse(text.c_str(), &address)) << text;
  }
}

TEST(Listen, TellsWhereItIs) {
  rg_listen_address address;
  int fd = -1;
  char text[RG_LISTEN_TEXT_SIZE];
  ASSERT_TRUE(rg_listen_parse(":0", &address));
  ASSERT_EQ(rg_listen_open(&address, &fd), RETRY_GUARD_OK);
  rg_listen_describe(fd, text);
  rg_listen_address again;
  ASSERT_TRUE(rg_listen_parse(text, &again)) << text;
  int second = -1;
  EXPECT_EQ(rg_listen_open(&again, &second), RETRY_GUARD_ADDRESS_IN_USE);
  close(fd);
}

}  // namespace
