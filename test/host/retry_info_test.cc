// SPDX-License-Identifier: Apache-2.0
#include "host/retry_info.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "host/heap_count.h"
#include "support/random.h"

namespace {

using rg_test::Random;

constexpr char kRetryInfo[] = "type.googleapis.com/google.rpc.RetryInfo";

// The wire format, by hand: what a server sends, not what our schema makes.
std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string Number(uint32_t field, uint64_t value) {
  return Varint(uint64_t{field} << 3) + Varint(value);
}

std::string Bytes(uint32_t field, const std::string &value) {
  return Varint(uint64_t{field} << 3 | 2) + Varint(value.size()) + value;
}

std::string Duration(int64_t seconds, int64_t nanos) {
  return Number(1, static_cast<uint64_t>(seconds)) +
         Number(2, static_cast<uint64_t>(nanos));
}

std::string Detail(const std::string &type_url, const std::string &value) {
  return Bytes(3, Bytes(1, type_url) + Bytes(2, value));
}

std::string RetryInfo(int64_t seconds, int64_t nanos) {
  return Detail(kRetryInfo, Bytes(1, Duration(seconds, nanos)));
}

// A google.rpc.Status with these details.
std::string Status(const std::string &details) {
  return Number(1, 14) + Bytes(2, "try later") + details;
}

constexpr int64_t kAbsent = -1;
constexpr int64_t kStop = -2;

// The delay in milliseconds.
int64_t Read(const std::string &bytes) {
  // On the heap, to the byte, for the sanitizers.
  const std::vector<char> exact(bytes.begin(), bytes.end());
  const rg_pushback pushback = rg_retry_info_read(exact.data(), exact.size());
  switch (pushback.kind) {
    case RG_PUSHBACK_ABSENT:
      return kAbsent;
    case RG_PUSHBACK_DELAY:
      return static_cast<int64_t>(pushback.delay_ms);
    default:
      return kStop;
  }
}

TEST(RetryInfo, TellsWhenTheServerWantsToBeAskedAgain) {
  EXPECT_EQ(Read(Status(RetryInfo(5, 250000000))), 5250);
  EXPECT_EQ(Read(RetryInfo(5, 0)), 5000);
}

// The bytes that Go's and Java's status libraries send for 2 s.
TEST(RetryInfo, IsReadFromBytesOfOtherLibraries) {
  EXPECT_EQ(Read(std::string("\x08\x0e\x12\x04"
                             "busy"
                             "\x1a\x30\x0a\x28"
                             "type.googleapis.com/google.rpc.RetryInfo"
                             "\x12\x04\x0a\x02\x08\x02")),
            2000);
}

TEST(RetryInfo, IsRoundedUpToMilliseconds) {
  EXPECT_EQ(Read(RetryInfo(0, 1)), 1);
  EXPECT_EQ(Read(RetryInfo(0, 999999)), 1);
  EXPECT_EQ(Read(RetryInfo(0, 1000000)), 1);
  EXPECT_EQ(Read(RetryInfo(0, 1000001)), 2);
  EXPECT_EQ(Read(RetryInfo(0, 999000001)), 1000);
  EXPECT_EQ(Read(RetryInfo(1, 999999999)), 2000);
}

TEST(RetryInfo, ZeroIsNotTheSameAsAbsent) {
  EXPECT_EQ(Read(RetryInfo(0, 0)), 0);
  EXPECT_EQ(Read(Detail(kRetryInfo, Bytes(1, ""))), 0);
  EXPECT_EQ(Read(Detail(kRetryInfo, "")), kAbsent);
  EXPECT_EQ(Read(Status("")), kAbsent);
  EXPECT_EQ(Read(""), kAbsent);
}

TEST(RetryInfo, MayStandBehindOtherDetails) {
  const std::string other =
      Detail("type.googleapis.com/google.rpc.DebugInfo", "\xff\xff\xff");
  EXPECT_EQ(Read(Status(other + RetryInfo(2, 0))), 2000);
  EXPECT_EQ(Read(Status(RetryInfo(2, 0) + other)), 2000);
  EXPECT_EQ(Read(Status(other + other + RetryInfo(2, 0) + other)), 2000);
  EXPECT_EQ(Read(Status(other)), kAbsent);
}

TEST(RetryInfo, OfTwoTheFirstCounts) {
  EXPECT_EQ(Read(Status(RetryInfo(2, 0) + RetryInfo(3, 0))), 2000);
}

TEST(RetryInfo, WhatStandsBeforeTheLastSlashOfTheTypeIsFree) {
  const std::string value = Bytes(1, Duration(2, 0));
  for (const char *url : {"google.rpc.RetryInfo", "/google.rpc.RetryInfo",
                          "types.example.com/a/b/google.rpc.RetryInfo"})
    EXPECT_EQ(Read(Detail(url, value)), 2000) << url;
  for (const char *url :
       {"", "/", "RetryInfo", "google.rpc.RetryInfo/", "google.rpc.retryinfo",
        "type.googleapis.com/google.rpc.RetryInfo2",
        "type.googleapis.com/xgoogle.rpc.RetryInfo",
        "type.googleapis.com/google.rpc.Help"})
    EXPECT_EQ(Read(Detail(url, value)), kAbsent) << url;
}

TEST(RetryInfo, ThatIsNoValidDurationIsAbsent) {
  const int64_t kMost = 315576000000;  // about 10,000 years
  EXPECT_EQ(Read(RetryInfo(-1, 0)), kAbsent);
  EXPECT_EQ(Read(RetryInfo(0, -1)), kAbsent);
  EXPECT_EQ(Read(RetryInfo(1, -1)), kAbsent);
  EXPECT_EQ(Read(RetryInfo(0, 999999999)), 1000);
  EXPECT_EQ(Read(RetryInfo(0, 1000000000)), kAbsent);
  EXPECT_EQ(Read(RetryInfo(0, INT32_MAX)), kAbsent);
  EXPECT_EQ(Read(RetryInfo(kMost, 0)), kMost * 1000);
  EXPECT_EQ(Read(RetryInfo(kMost, 999999999)), kMost * 1000 + 1000);
  for (int64_t seconds : {kMost + 1, INT64_MAX, INT64_MIN})
    EXPECT_EQ(Read(RetryInfo(seconds, 0)), kAbsent) << seconds;
}

TEST(RetryInfo, FieldsThatAreNotKnownAreSkipped) {
  const std::string unknown = Number(9, 9) + Bytes(10, "x");
  EXPECT_EQ(
      Read(unknown +
           Detail(kRetryInfo, unknown + Bytes(1, unknown + Duration(2, 0)))),
      2000);
}

TEST(RetryInfo, CutOffAnywhereIsAbsent) {
  const std::string whole = Status(RetryInfo(5, 250000000));
  ASSERT_EQ(Read(whole), 5250);
  for (size_t length = 0; length < whole.size(); length++)
    EXPECT_EQ(Read(whole.substr(0, length)), kAbsent) << length;
}

// The lengths around it are right.
TEST(RetryInfo, CutOffInsideItsDetailIsAbsentOrShorter) {
  const std::string value = Bytes(1, Duration(5, 250000000));
  for (size_t length = 1; length < value.size(); length++)
    EXPECT_EQ(Read(Status(Detail(kRetryInfo, value.substr(0, length)))),
              kAbsent)
        << length;
}

TEST(RetryInfo, NestedGarbageIsAbsent) {
  for (const std::string &value :
       {std::string("\xff"), std::string("\x0a\x7f"), std::string(100, '\x0a'),
        std::string("\x0b"), std::string("\x0f\x0f"), std::string(10, '\0')})
    EXPECT_EQ(Read(Status(Detail(kRetryInfo, value))), kAbsent);
  std::string nested = "\xff";
  for (int i = 0; i < 1000; i++) nested = Bytes(3, nested);
  EXPECT_EQ(Read(nested), kAbsent);
}

TEST(RetryInfo, TooLargeIsAbsent) {
  const std::string last = RetryInfo(2, 0);
  const size_t most = 64 * 1024;
  std::string padding = Bytes(2, std::string(most - last.size() - 4, 'x'));
  ASSERT_EQ((padding + last).size(), most);
  EXPECT_EQ(Read(padding + last), 2000);
  padding = Bytes(2, std::string(most - last.size() - 3, 'x'));
  EXPECT_EQ(Read(padding + last), kAbsent);
}

TEST(RetryInfo, AThousandDetailsAreLookedThrough) {
  std::string details;
  for (int i = 0; i < 1000; i++) details += Detail("a/b", "x");
  EXPECT_EQ(Read(Status(details + RetryInfo(2, 0))), 2000);
}

TEST(RetryInfo, IsAbsentWithoutMemory) {
  if (!rg_test::EmptyHeap::IsPossible()) GTEST_SKIP();
  const std::string bytes = Status(RetryInfo(2, 0));
  rg_pushback pushback = {};
  {
    const rg_test::EmptyHeap heap;
    pushback = rg_retry_info_read(bytes.data(), bytes.size());
  }
  EXPECT_EQ(pushback.kind, RG_PUSHBACK_ABSENT);
}

TEST(RetryInfo, SurvivesNonsense) {
  const std::string good = Status(
      Detail("type.googleapis.com/google.rpc.Help", "x") + RetryInfo(5, 1));
  Random random(1);
  for (int round = 0; round < 20000; round++) {
    std::string bytes = good;
    for (uint64_t edits = 1 + random.Below(4); edits > 0; edits--)
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Bits());
    if (random.OneIn(4)) bytes.resize(random.Below(bytes.size()));
    EXPECT_NE(Read(bytes), kStop);
  }
}

}  // namespace
