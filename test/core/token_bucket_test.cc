// SPDX-License-Identifier: Apache-2.0

// The token bucket, also with several threads; token_bucket_history_test.cc
// holds it against a naive model.
#include "core/token_bucket.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "support/race.h"
#include "support/token_bucket_fixture.h"

namespace {

class TokenBucket : public rg_test::TokenBucketFixture {};

TEST_F(TokenBucket, BeginsWithItsInitialTokens) {
  for (uint32_t initial : {0u, 1u, 999u, 1000u, 1001u, 2500u, 10000u}) {
    Init(Policy(100, initial));
    EXPECT_EQ(Level(kNow), initial);
    EXPECT_EQ(Drain(kNow), static_cast<int>(initial / 1000)) << initial;
    EXPECT_EQ(Level(kNow), initial % 1000) << initial;
  }
}

TEST_F(TokenBucket, HasTheLargestInitialTokens) {
  Init(Policy(100, UINT32_MAX));
  EXPECT_EQ(Level(kNow), UINT32_MAX);
  EXPECT_TRUE(Take(kNow));
  EXPECT_EQ(Level(kNow), UINT32_MAX - 1000);
}

TEST_F(TokenBucket, InitTakesALevelOfItsOwn) {
  const rg_token_bucket_policy policy = Policy(100, 1000);
  rg_token_bucket_init(&bucket_, &policy, /*level_milli=*/2500,
                       /*recent_milli=*/5000, kNow);
  EXPECT_EQ(Level(kNow), 2500u);
  EXPECT_EQ(Capacity(kNow), 5000u);
  EXPECT_EQ(Drain(kNow), 2);
  EXPECT_EQ(Capacity(kNow + kBurst), 1000u);
}

TEST_F(TokenBucket, InitCutsALevelAboveTheCapacity) {
  const rg_token_bucket_policy policy = Policy(100, 1000, 4000);
  rg_token_bucket_init(&bucket_, &policy, UINT64_MAX / 4, 9000, kNow);
  EXPECT_EQ(Level(kNow), 4000u);
  EXPECT_EQ(Drain(kNow), 4);
}

// 0.6 is 60 per 100, not 50 or 100.
TEST_F(TokenBucket, IsExactForEveryRatio) {
  const std::pair<uint32_t, int> kTokensPer1000Calls[] = {
      {1, 1},     {2, 2},     {3, 3},     {10, 10},   {100, 100},  {333, 333},
      {500, 500}, {600, 600}, {667, 667}, {999, 999}, {1000, 1000}};
  for (const auto &[ratio_milli, tokens] : kTokensPer1000Calls) {
    Init(Policy(ratio_milli, 0));
    Earn(1000, kNow);
    EXPECT_EQ(Drain(kNow), tokens) << ratio_milli;
    EXPECT_EQ(Level(kNow), 0u) << ratio_milli;
  }
}

TEST_F(TokenBucket, SixTenthsAreSixtyPerHundredWhileTheyAreTaken) {
  Init(Policy(600, 0));
  int taken = 0;
  for (int call = 1; call <= 100; call++) {
    Earn(kNow);
    taken += Drain(kNow);
    ASSERT_EQ(taken, call * 6 / 10) << call;
  }
}

TEST_F(TokenBucket, TheSmallestRatioPaysWithTheThousandthCall) {
  Init(Policy(1, 0));
  Earn(999, kNow);
  EXPECT_FALSE(Take(kNow));
  Earn(kNow);
  EXPECT_TRUE(Take(kNow));
  EXPECT_FALSE(Take(kNow));
}

TEST_F(TokenBucket, ARetryCostsAWholeToken) {
  Init(Policy(999, 0));
  Earn(kNow);
  EXPECT_EQ(Level(kNow), 999u);
  EXPECT_FALSE(Take(kNow));
  EXPECT_EQ(Level(kNow), 999u);
  Earn(kNow);
  EXPECT_TRUE(Take(kNow));
  EXPECT_EQ(Level(kNow), 998u);
}

TEST_F(TokenBucket, HoldsAtMostWhatTheLastBurstEarned) {
  Init(Policy(100, 0));
  for (uint64_t second = 0; second < 60; second++)
    Earn(100, kNow + second * kSecond);
  // The last three seconds: 300 calls.
  EXPECT_EQ(Capacity(kNow + 59 * kSecond), 30000u);
  EXPECT_EQ(Drain(kNow + 59 * kSecond), 30);
}

TEST_F(TokenBucket, ForfeitsTheCreditOfAQuietHour) {
  Init(Policy(1000, 1000));
  Earn(5000, kNow);
  EXPECT_EQ(Level(kNow), 5000000u);
  EXPECT_EQ(Level(kNow + kHour), 1000u);
  EXPECT_EQ(Drain(kNow + kHour), 1);
}

// Capacity that comes later does not bring back what was forfeited.
TEST_F(TokenBucket, ForfeitedCreditDoesNotComeBack) {
  Init(Policy(1000, 1000));
  Earn(5000, kNow);
  EXPECT_EQ(Drain(kNow + kHour), 1);
  Earn(10, kNow + kHour);
  EXPECT_EQ(Drain(kNow + kHour), 10);
}

TEST_F(TokenBucket, HasRoomForOneTokenHoweverLittleWasEarned) {
  Init(Policy(100, 0));
  Earn(10, kNow);
  EXPECT_EQ(Capacity(kNow + kDay), 1000u);
  EXPECT_EQ(Level(kNow + kDay), 1000u);
  EXPECT_TRUE(Take(kNow + kDay));
  EXPECT_FALSE(Take(kNow + kDay));
}

TEST_F(TokenBucket, HasRoomForItsInitialTokensHoweverLittleWasEarned) {
  Init(Policy(100, 5000));
  EXPECT_EQ(Capacity(kNow + kDay), 5000u);
  EXPECT_EQ(Drain(kNow + kDay), 5);
}

TEST_F(TokenBucket, HoldsNoMoreThanMaxTokens) {
  Init(Policy(1000, 1000, /*max_milli=*/7000));
  Earn(100, kNow);
  EXPECT_EQ(Capacity(kNow), 7000u);
  EXPECT_EQ(Drain(kNow), 7);
  Earn(3, kNow);
  EXPECT_EQ(Drain(kNow), 3);
}

TEST_F(TokenBucket, MaxTokensBoundsTheInitialTokensToo) {
  Init(Policy(1000, 9000, /*max_milli=*/2000));
  EXPECT_EQ(Level(kNow), 2000u);
  EXPECT_EQ(Drain(kNow), 2);
}

TEST_F(TokenBucket, WithoutMaxTokensOnlyTheBurstBounds) {
  for (uint64_t max : {UINT64_C(0), UINT64_MAX - 1, UINT64_MAX}) {
    Init(Policy(1000, 0, max));
    Earn(100, kNow);
    EXPECT_EQ(Drain(kNow), 100);
  }
}

TEST_F(TokenBucket, ARefundIsATokenAgain) {
  Init(Policy(100, 2000));
  EXPECT_EQ(Drain(kNow), 2);
  Refund();
  EXPECT_EQ(Level(kNow), 1000u);
  EXPECT_EQ(Drain(kNow), 1);
}

TEST_F(TokenBucket, ARefundIntoAFullBucketIsForfeited) {
  Init(Policy(1000, 1000));
  Earn(10, kNow);
  EXPECT_TRUE(Take(kNow));
  EXPECT_EQ(Level(kNow + kDay), 1000u);
  Refund();
  EXPECT_EQ(Level(kNow + kDay), 1000u);
  EXPECT_EQ(Drain(kNow + kDay), 1);
}

TEST_F(TokenBucket, WorksAfterADayOfSilence) {
  Init(Policy(100, 1000));
  EXPECT_EQ(Drain(kNow), 1);
  for (uint64_t day = 1; day <= 3; day++) {
    const uint64_t now = kNow + day * kDay;
    EXPECT_EQ(Drain(now), 0) << day;
    Earn(30, now);
    EXPECT_EQ(Drain(now), 3) << day;
  }
}

TEST_F(TokenBucket, AClosedBucketGivesNothing) {
  Init(Policy(1000, 3000));
  EXPECT_TRUE(Take(kNow));
  rg_token_bucket_close(&bucket_);
  EXPECT_FALSE(Take(kNow));
  Earn(5, kNow);
  EXPECT_FALSE(Take(kNow));
}

TEST_F(TokenBucket, AClosedBucketKeepsItsLevel) {
  Init(Policy(1000, 3000));
  EXPECT_TRUE(Take(kNow));
  rg_token_bucket_close(&bucket_);
  EXPECT_EQ(Level(kNow), 2000u);
  rg_token_bucket_close(&bucket_);
  EXPECT_EQ(Level(kNow), 2000u);
  Refund();
  EXPECT_EQ(Level(kNow), 3000u);
  EXPECT_FALSE(Take(kNow));
}

TEST_F(TokenBucket, InitOpensItAgain) {
  Init(Policy(1000, 3000));
  rg_token_bucket_close(&bucket_);
  Init(Policy(1000, 3000));
  EXPECT_EQ(Drain(kNow), 3);
}

// ---- Threads ----------------------------------------------------------------

constexpr int kThreads = 8;

TEST_F(TokenBucket, ConcurrentTakersGetExactlyWhatIsThere) {
  constexpr int kTokens = 20000;
  for (int round = 0; round < 5; round++) {
    Init(Policy(100, kTokens * 1000 + 999));
    std::atomic<int> granted{0};
    rg_test::Race(kThreads, [&](int) {
      for (int i = 0; i < kTokens; i++)
        if (Take(kNow)) granted++;
    });
    ASSERT_EQ(granted, kTokens);
    ASSERT_EQ(Level(kNow), 999u);
  }
}

TEST_F(TokenBucket, ConcurrentTakersGetExactlyWhatIsEarnedMeanwhile) {
  constexpr int kCalls = 5000;  // of each thread
  Init(Policy(600, 0));
  std::atomic<int> granted{0};
  rg_test::Race(kThreads, [&](int) {
    for (int i = 0; i < kCalls; i++) {
      Earn(kNow);
      if (Take(kNow)) granted++;
    }
  });
  // 24,000 tokens: 0.6 of 40,000 calls, so far or now.
  EXPECT_EQ(granted + Drain(kNow), kThreads * kCalls * 6 / 10);
}

TEST_F(TokenBucket, ConcurrentRefundsLoseAndMakeNoToken) {
  constexpr int kTokens = 5;
  Init(Policy(100, kTokens * 1000));
  std::atomic<int> held{0};
  rg_test::Race(kThreads, [&](int) {
    for (int i = 0; i < 20000; i++) {
      if (!Take(kNow)) continue;
      ASSERT_LE(++held, kTokens);
      held--;
      Refund();
    }
  });
  EXPECT_EQ(Drain(kNow), kTokens);
}

TEST_F(TokenBucket, NoTakeThatMeetsTheCloseEscapesTheLevel) {
  constexpr uint64_t kTokens = 1000000;
  for (int round = 0; round < 100; round++) {
    Init(Policy(100, kTokens * 1000));
    std::atomic<bool> begun{false};
    std::atomic<uint64_t> granted{0};
    uint64_t left = 0;
    rg_test::Race(3, [&](int i) {
      if (i == 0) {
        while (!begun) std::this_thread::yield();
        rg_token_bucket_close(&bucket_);
        left = Level(kNow) / 1000;
        return;
      }
      uint64_t mine = 0;
      for (; Take(kNow); mine++) begun = true;
      begun = true;
      granted += mine;
    });
    ASSERT_EQ(left + granted, kTokens) << round;
  }
}

}  // namespace
