// SPDX-License-Identifier: Apache-2.0

// As gRPC 1.51.1 connects: subchannel.cc has the numbers, backoff.cc what they
// do, which is that the first pause has no jitter.
#include "sim/connection.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

constexpr uint64_t kMs = 1000000;
constexpr uint64_t kSecond = 1000 * kMs;
constexpr uint64_t kHour = 3600 * kSecond;
constexpr uint64_t kBegin = 50 * kSecond;

class Connection : public testing::Test {
 protected:
  bool IsUp(uint64_t now) {
    return rg_connection_is_up(&connection_, &server_, &dice_, now);
  }
  void Crash(uint64_t now) {
    server_.is_up = false;
    server_.crashes++;
    server_.changed_at = now;
  }
  void ComeUp(uint64_t now) {
    server_.is_up = true;
    server_.changed_at = now;
  }

  rg_dice dice_ = {1};
  rg_listening server_ = {true, 0, 0};
  rg_connection connection_ = {};
};

TEST_F(Connection, IsUpZeroed) { EXPECT_TRUE(IsUp(kBegin)); }

TEST_F(Connection, BreaksWhenTheServerCrashes) {
  Crash(kBegin);
  EXPECT_FALSE(IsUp(kBegin));
}

TEST_F(Connection, IsMadeAnewForTheNextAttemptAfterACrashNobodyNoticed) {
  Crash(kBegin);
  ComeUp(kBegin + kMs);
  EXPECT_TRUE(IsUp(kBegin + 2 * kMs));
}

TEST_F(Connection, StaysBrokenForASecondOnceItWasRefused) {
  Crash(kBegin);
  EXPECT_FALSE(IsUp(kBegin));
  ComeUp(kBegin + kMs);
  EXPECT_FALSE(IsUp(kBegin + kSecond - 1));
  EXPECT_TRUE(IsUp(kBegin + kSecond));
}

TEST_F(Connection, WaitsSixTenthsLongerEachTimeUpToTwoMinutes) {
  constexpr double kPauses[] = {1.6,    2.56,  4.096, 6.5536, 10.486,
                                16.777, 26.84, 42.95, 68.72,  109.95,
                                120,    120,   120};
  for (uint64_t seed = 0; seed < 100; seed++) {
    dice_ = {seed};
    connection_ = {};
    server_ = {false, 1, kBegin};
    EXPECT_FALSE(IsUp(kBegin));
    uint64_t before = kBegin;
    EXPECT_EQ(connection_.next_try, before + kSecond);  // exactly
    for (double pause : kPauses) {
      before = connection_.next_try;
      EXPECT_FALSE(IsUp(before));
      const auto waits = static_cast<double>(connection_.next_try - before);
      EXPECT_GE(waits / 1e9, 0.8 * pause * 0.999);
      EXPECT_LE(waits / 1e9, 1.2 * pause * 1.001);
    }
  }
}

TEST_F(Connection, SpreadsItsPausesEvenlyOverAFifthEachWay) {
  double least = 9, most = 0, sum = 0;
  for (uint64_t seed = 0; seed < 2000; seed++) {
    dice_ = {seed};
    connection_ = {};
    server_ = {false, 1, kBegin};
    IsUp(kBegin);
    IsUp(kBegin + kSecond);
    const auto waits =
        static_cast<double>(connection_.next_try - kBegin - kSecond) / 1.6e9;
    least = std::min(least, waits);
    most = std::max(most, waits);
    sum += waits;
  }
  EXPECT_NEAR(least, 0.8, 0.005);
  EXPECT_NEAR(most, 1.2, 0.005);
  EXPECT_NEAR(sum / 2000, 1, 0.01);
}

// Looked at once an hour later or every 10 ms, it is there at the same moment.
TEST_F(Connection, MakesUpForWhatHappenedWhileNobodyLooked) {
  for (uint64_t seed = 0; seed < 20; seed++) {
    rg_connection idle = {};
    rg_dice idle_dice = {seed};
    dice_ = {seed};
    connection_ = {};
    server_ = {false, 1, kBegin};
    IsUp(kBegin);
    rg_connection_is_up(&idle, &server_, &idle_dice, kBegin);
    uint64_t now = kBegin;
    for (; now < kBegin + 30 * kSecond; now += 10 * kMs)
      ASSERT_FALSE(IsUp(now));
    ComeUp(now);
    while (!IsUp(now)) now += 10 * kMs;
    EXPECT_LT(now, kBegin + 75 * kSecond);  // 30 s and the longest pause by now
    EXPECT_FALSE(
        rg_connection_is_up(&idle, &server_, &idle_dice, now - 10 * kMs));
    EXPECT_TRUE(rg_connection_is_up(&idle, &server_, &idle_dice, now));
  }
}

TEST_F(Connection, BeginsWithASecondAgainAfterItWasUp) {
  Crash(kBegin);
  EXPECT_FALSE(IsUp(kBegin + 20 * kSecond));
  ComeUp(kBegin + 21 * kSecond);
  EXPECT_TRUE(IsUp(kBegin + kHour));
  Crash(kBegin + 2 * kHour);
  EXPECT_FALSE(IsUp(kBegin + 2 * kHour));
  EXPECT_EQ(connection_.next_try, kBegin + 2 * kHour + kSecond);
}

TEST_F(Connection, IsThereADayLater) {
  Crash(kBegin);
  EXPECT_FALSE(IsUp(kBegin));
  EXPECT_FALSE(IsUp(kBegin + 24 * kHour));
  ComeUp(kBegin + 24 * kHour);
  EXPECT_TRUE(IsUp(kBegin + 48 * kHour));
}

}  // namespace
