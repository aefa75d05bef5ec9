// SPDX-License-Identifier: Apache-2.0

// Where a program of a test may listen.
#ifndef RG_TEST_E2E_FREE_ADDRESS_H
#define RG_TEST_E2E_FREE_ADDRESS_H

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace rg_test {

// A port of 127.0.0.1 that is free right now.
inline std::string FreeAddress() {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here = {};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr *>(&here), size), 0);
  getsockname(fd, reinterpret_cast<sockaddr *>(&here), &size);
  close(fd);
  return "127.0.0.1:" + std::to_string(ntohs(here.sin_port));
}

}  // namespace rg_test

#endif
