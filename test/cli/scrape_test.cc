// SPDX-License-Identifier: Apache-2.0

// Getting metrics by HTTP, from servers good and bad.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/scrape.h"
#include "cli/served.h"

namespace {

using rg_test::Ok;
using rg_test::Served;
using testing::StartsWith;

// The text; or "! " and the fault.
std::string Scrape(const std::string &address, uint64_t timeout_ms = 20000) {
  rg_scrape scrape;
  char fault[RG_SCRAPE_FAULT_SIZE];
  if (!rg_scrape_get(address.c_str(), timeout_ms, &scrape, fault))
    return "! " + std::string(fault);
  std::string text(scrape.text, scrape.length);
  rg_scrape_clean_up(&scrape);
  return text;
}

std::string ScrapeAnswer(const std::string &answer) {
  return Scrape(Served({answer}).address());
}

TEST(Scrape, GetsTheText) {
  Served served({Ok("a 1\n")});
  EXPECT_EQ(Scrape(served.address()), "a 1\n");
  EXPECT_THAT(served.request(), StartsWith("GET /metrics HTTP/1.0\r\n"));
}

TEST(Scrape, GetsAnEmptyText) { EXPECT_EQ(ScrapeAnswer(Ok("")), ""); }

TEST(Scrape, GetsALongText) {
  const std::string text(3000000, 'x');
  EXPECT_EQ(ScrapeAnswer(Ok(text)), text);
}

TEST(Scrape, TakesTheEndOfTheConnectionForTheEndOfTheText) {
  EXPECT_EQ(ScrapeAnswer("HTTP/1.0 200 OK\r\n\r\na 1\n"), "a 1\n");
}

TEST(Scrape, SaysWhatIsWrongWithTheAnswer) {
  EXPECT_EQ(ScrapeAnswer("HTTP/1.1 404 Not Found\r\n\r\n"),
            "! HTTP status 404");
  EXPECT_EQ(ScrapeAnswer("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\na 1\n"),
            "! the answer was cut off");
  for (const char *odd : {"", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\n",
                          "HTTP/1.1 OK\r\n\r\n", "HTTP/2 200\r\n\r\n"})
    EXPECT_EQ(ScrapeAnswer(odd), "! the answer is no HTTP") << odd;
}

TEST(Scrape, ReadsNoAnswerWithoutEnd) {
  EXPECT_EQ(ScrapeAnswer(std::string(RG_SCRAPE_MAX_BYTES + 1, 'x')),
            "! the answer is too long");
}

TEST(Scrape, WaitsNoLongerThanItShould) {
  // Its queue takes the connection, but nobody reads from it.
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here = {};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr *>(&here), size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  getsockname(listener, reinterpret_cast<sockaddr *>(&here), &size);
  EXPECT_EQ(Scrape("127.0.0.1:" + std::to_string(ntohs(here.sin_port)), 50),
            "! no answer in time");
  close(listener);
}

TEST(Scrape, SaysThatNobodyListens) {
  std::string address;
  {
    Served served({""});
    address = served.address();
  }
  EXPECT_EQ(Scrape(address), "! Connection refused");
}

TEST(Scrape, SaysWhatIsNoAddress) {
  for (const std::string &odd :
       {std::string("[::1"), std::string("[::1]9464"), std::string(300, 'x')})
    EXPECT_EQ(Scrape(odd), "! it is no address") << odd;
  EXPECT_THAT(Scrape("127.0.0.1:http-of-nobody"), StartsWith("! "));
}

}  // namespace
