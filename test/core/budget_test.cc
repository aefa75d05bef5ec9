// SPDX-License-Identifier: Apache-2.0
#include "core/budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "support/race.h"
#include "support/random.h"

namespace {

constexpr uint64_t kSecond = UINT64_C(1000000000);
constexpr uint64_t kNow = 100 * kSecond;

rg_budget_policy Unlimited() {
  rg_budget_policy policy = {};
  policy.kind = RG_BUDGET_UNLIMITED;
  return policy;
}

rg_budget_policy Bucket(uint32_t ratio_milli, uint32_t initial_milli,
                        uint64_t burst_ns = 3 * kSecond,
                        uint64_t max_milli = 0) {
  rg_budget_policy policy = {};
  policy.kind = RG_BUDGET_TOKEN_BUCKET;
  policy.bucket.ratio_milli = ratio_milli;
  policy.bucket.burst_ns = burst_ns;
  policy.bucket.initial_milli = initial_milli;
  policy.bucket.max_milli = max_milli;
  return policy;
}

rg_budget_policy Window(uint32_t percent, uint64_t min_retries_milli,
                        uint64_t interval_ns = 10 * kSecond) {
  rg_budget_policy policy = {};
  policy.kind = RG_BUDGET_WINDOW;
  policy.window.percent = percent;
  policy.window.interval_ns = interval_ns;
  policy.window.min_retries_milli = min_retries_milli;
  return policy;
}

class Budget : public testing::Test {
 protected:
  void Init(const rg_budget_policy &policy) {
    rg_budget_init(&budget_, &policy, kNow);
  }
  void Update(const rg_budget_policy &policy, uint64_t now = kNow) {
    rg_budget_update(&budget_, &policy, now);
  }
  void Begin(int calls) {
    for (int i = 0; i < calls; i++) rg_budget_call_began(&budget_, kNow);
  }
  void Succeed(int calls) {
    for (int i = 0; i < calls; i++) rg_budget_call_succeeded(&budget_, kNow);
  }
  bool Take(rg_token *token, uint64_t now = kNow) {
    return rg_budget_take(&budget_, now, token);
  }
  bool Take() {
    rg_token token;
    return Take(&token);
  }
  void Refund(rg_token token) { rg_budget_refund(&budget_, token); }
  uint64_t Level(uint64_t now = kNow) { return rg_budget_level(&budget_, now); }

  // Takes until nothing is left, or `most`.
  int Drain(int most = 1000000) {
    int taken = 0;
    while (taken < most && Take()) taken++;
    return taken;
  }

  // Three quarters of 20 tokens, earned by 200 calls.
  void InitThreeQuartersOfABucket() {
    Init(Bucket(100, 0));
    Succeed(200);
    ASSERT_EQ(Drain(5), 5);
    ASSERT_EQ(Level(), 15000u);
  }

  // Three quarters of 200 retries, the share of 1000 calls.
  void InitThreeQuartersOfAWindow() {
    Init(Window(20, 0));
    Begin(1000);
    ASSERT_EQ(Drain(50), 50);
    ASSERT_EQ(Level(), 150000u);
  }

  rg_budget budget_;
};

// ---- Without updates --------------------------------------------------------

TEST_F(Budget, WithoutALimitEveryTakeSucceeds) {
  Init(Unlimited());
  EXPECT_EQ(Level(), UINT64_MAX);
  EXPECT_EQ(Drain(100000), 100000);
  EXPECT_EQ(Level(), UINT64_MAX);
  rg_token token;
  EXPECT_TRUE(Take(&token));
  Refund(token);
  EXPECT_EQ(Level(), UINT64_MAX);
}

TEST_F(Budget, ABucketIsEarnedByCallsThatSucceed) {
  Init(Bucket(100, 1000));
  EXPECT_EQ(Drain(), 1);
  Begin(1000);
  EXPECT_EQ(Drain(), 0);
  Succeed(30);
  EXPECT_EQ(Level(), 3000u);
  EXPECT_EQ(Drain(), 3);
}

TEST_F(Budget, AWindowIsEarnedByCallsThatBegin) {
  Init(Window(20, 1000));
  EXPECT_EQ(Drain(), 1);
  Succeed(1000);
  EXPECT_EQ(Drain(), 0);
  Begin(10);
  EXPECT_EQ(Level(), 2000u);
  EXPECT_EQ(Drain(), 2);
}

TEST_F(Budget, ARefusedTakeCostsNothing) {
  for (const rg_budget_policy &policy : {Bucket(100, 999), Window(20, 999)}) {
    Init(policy);
    EXPECT_FALSE(Take());
    EXPECT_EQ(Level(), 999u);
  }
}

TEST_F(Budget, ARefundedTokenCanBeTakenAgain) {
  for (const rg_budget_policy &policy : {Bucket(100, 2000), Window(20, 2000)}) {
    Init(policy);
    rg_token token;
    EXPECT_TRUE(Take(&token));
    EXPECT_TRUE(Take());
    Refund(token);
    EXPECT_EQ(Level(), 1000u);
    EXPECT_EQ(Drain(), 1);
  }
}

TEST_F(Budget, ATokenOfAWindowKnowsItsSlot) {
  Init(Window(0, 2000));
  rg_token token;
  EXPECT_TRUE(Take(&token, kNow));
  EXPECT_TRUE(Take(&token, kNow + 5 * kSecond));
  Refund(token);
  EXPECT_EQ(Level(kNow + 5 * kSecond), 1000u);
  // The one that is left is of the first slot.
  EXPECT_EQ(Level(kNow + 11 * kSecond), 2000u);
}

// ---- Updates keep the filled fraction ---------------------------------------

TEST_F(Budget, AnUpdateWithoutAChangeChangesNothing) {
  InitThreeQuartersOfABucket();
  for (int i = 0; i < 5; i++) Update(Bucket(100, 0));
  EXPECT_EQ(Level(), 15000u);
  EXPECT_EQ(Drain(), 15);

  InitThreeQuartersOfAWindow();
  for (int i = 0; i < 5; i++) Update(Window(20, 0));
  EXPECT_EQ(Level(), 150000u);
  EXPECT_EQ(Drain(), 150);
}

TEST_F(Budget, AChangeOfTheRatioKeepsTheFraction) {
  InitThreeQuartersOfABucket();
  Update(Bucket(200, 0));
  EXPECT_EQ(Level(), 30000u);  // of 200 calls * 0.2
  Update(Bucket(1, 0));
  EXPECT_EQ(Level(), 750u);  // of the one token there is room for
}

TEST_F(Budget, AChangeOfTheBurstKeepsTheFraction) {
  InitThreeQuartersOfABucket();
  Update(Bucket(100, 0, 6 * kSecond));
  EXPECT_EQ(Level(), 30000u);  // of 400 calls * 0.1
  Update(Bucket(100, 0, 3 * kSecond));
  EXPECT_EQ(Level(), 15000u);
}

TEST_F(Budget, AChangeOfMaxTokensKeepsTheFraction) {
  InitThreeQuartersOfABucket();
  Update(Bucket(100, 0, 3 * kSecond, 8000));
  EXPECT_EQ(Level(), 6000u);
  Update(Bucket(100, 0));
  EXPECT_EQ(Level(), 15000u);
}

// They are there once, in a new bucket; all that is left is their room.
TEST_F(Budget, AChangeOfTheInitialTokensKeepsTheFraction) {
  InitThreeQuartersOfABucket();
  Update(Bucket(100, 40000));
  EXPECT_EQ(Level(), 30000u);
  EXPECT_EQ(Drain(), 30);
  Update(Bucket(100, 80000));
  EXPECT_EQ(Level(), 0u);
}

TEST_F(Budget, AChangeOfThePercentageKeepsTheFraction) {
  InitThreeQuartersOfAWindow();
  Update(Window(40, 0));
  EXPECT_EQ(Level(), 300000u);
  Update(Window(10, 0));
  EXPECT_EQ(Level(), 75000u);
}

TEST_F(Budget, AChangeOfTheIntervalKeepsTheFraction) {
  InitThreeQuartersOfAWindow();
  Update(Window(20, 0, 20 * kSecond));
  EXPECT_EQ(Level(), 300000u);  // of 2000 calls * 20 %
}

TEST_F(Budget, AChangeOfTheFloorKeepsTheFraction) {
  InitThreeQuartersOfAWindow();
  Update(Window(20, 40000));
  EXPECT_EQ(Level(), 180000u);  // of 240
}

// 200 calls in 3 s are 666 in 10 s; 20 % are 133.2 retries, three quarters
// 99.9. The window counts whole retries: 34 of them make it 99.2.
TEST_F(Budget, AChangeFromBucketToWindowKeepsTheFraction) {
  InitThreeQuartersOfABucket();
  Update(Window(20, 0));
  EXPECT_EQ(Level(), 99200u);
  EXPECT_EQ(Drain(), 99);
}

// 1000 calls in 10 s are 300 in 3 s, which would have earned 30 tokens.
TEST_F(Budget, AChangeFromWindowToBucketKeepsTheFraction) {
  InitThreeQuartersOfAWindow();
  Update(Bucket(100, 0));
  EXPECT_EQ(Level(), 22500u);
  EXPECT_EQ(Drain(), 22);
}

TEST_F(Budget, WhatHadNoLimitBecomesFull) {
  Init(Unlimited());
  Update(Bucket(100, 5000));
  EXPECT_EQ(Drain(), 5);
  Update(Unlimited());
  EXPECT_EQ(Level(), UINT64_MAX);
  EXPECT_TRUE(Take());
  Update(Window(20, 3000));
  EXPECT_EQ(Drain(), 3);
}

TEST_F(Budget, AWindowWithRoomForNothingIsEmpty) {
  Init(Window(20, 0));
  Update(Bucket(100, 5000));
  EXPECT_EQ(Level(), 0u);
}

TEST_F(Budget, AnEmptyBudgetStaysEmptyUnderEveryUpdate) {
  const rg_budget_policy policies[] = {
      Bucket(100, 2000), Bucket(1000, 9000, kSecond), Window(20, 7000),
      Window(100, 1000, kSecond)};
  for (const rg_budget_policy &before : policies) {
    for (const rg_budget_policy &after : policies) {
      Init(before);
      Begin(100);
      Succeed(100);
      Drain();
      ASSERT_EQ(Level(), 0u);
      Update(after);
      EXPECT_EQ(Level(), 0u);
      EXPECT_FALSE(Take());
    }
  }
}

TEST_F(Budget, CallsGoOnEarningAfterAnUpdate) {
  Init(Bucket(100, 0));
  Update(Bucket(500, 0));
  Succeed(4);
  EXPECT_EQ(Drain(), 2);
  Update(Window(50, 0));
  Begin(4);
  // Two of the eight calls that count were retried before the update.
  EXPECT_GE(Drain(), 1);
}

rg_budget_policy AnyPolicy(rg_test::Random *random) {
  if (random->OneIn(2))
    return Window(static_cast<uint32_t>(random->Below(101)),
                  random->Below(20000), (1 + random->Below(60)) * kSecond);
  return Bucket(1 + static_cast<uint32_t>(random->Below(1000)),
                static_cast<uint32_t>(random->Below(20000)),
                (1 + random->Below(10)) * kSecond,
                random->OneIn(2) ? 0 : 1000 + random->Below(100000));
}

// How much the generation in force could hold.
uint64_t Capacity(rg_budget *budget) {
  rg_budget_generation *g = &budget->generations[budget->current & 1];
  return g->kind == RG_BUDGET_WINDOW
             ? rg_retry_window_read(&g->window, kNow).limit_milli
             : rg_token_bucket_capacity(&g->bucket, kNow);
}

// Rounded towards fewer retries: by less than a milli-token in a bucket, and by
// less than a retry in a window.
TEST_F(Budget, RandomUpdatesKeepTheFraction) {
  rg_test::Random random(1);
  for (int i = 0; i < 20000; i++) {
    Init(AnyPolicy(&random));
    const int calls = static_cast<int>(random.Below(200));
    Begin(calls);
    Succeed(calls);
    Drain(static_cast<int>(random.Below(50)));
    for (int update = 0; update < 3; update++) {
      const double level = static_cast<double>(Level());
      const double capacity = static_cast<double>(Capacity(&budget_));
      const rg_budget_policy policy = AnyPolicy(&random);
      Update(policy);
      const double kept =
          capacity > 0
              ? level / capacity * static_cast<double>(Capacity(&budget_))
              : 0;
      const double grain = policy.kind == RG_BUDGET_WINDOW ? 1000 : 1;
      ASSERT_LE(static_cast<double>(Level()), kept + 1e-6) << i;
      ASSERT_GT(static_cast<double>(Level()), kept - grain - 1e-6) << i;
    }
  }
}

// ---- Tokens from before an update -------------------------------------------

TEST_F(Budget, ATokenFromBeforeAnUpdateIsLost) {
  for (const rg_budget_policy &policy : {Bucket(100, 5000), Window(0, 5000)}) {
    // As many updates as it takes to come by the same generation again.
    for (int updates = 1; updates <= 4; updates++) {
      Init(policy);
      rg_token token;
      EXPECT_TRUE(Take(&token));
      for (int i = 0; i < updates; i++) Update(policy);
      EXPECT_EQ(Level(), 4000u);
      Refund(token);
      EXPECT_EQ(Level(), 4000u) << updates;
      EXPECT_EQ(Drain(), 4) << updates;
    }
  }
}

TEST_F(Budget, ATokenWithoutALimitIsNotRefundedIntoALimit) {
  Init(Unlimited());
  rg_token token;
  EXPECT_TRUE(Take(&token));
  Update(Bucket(100, 5000));
  EXPECT_EQ(Drain(), 5);
  Refund(token);
  EXPECT_EQ(Level(), 0u);
}

TEST_F(Budget, ATokenFromAfterAnUpdateIsRefunded) {
  Init(Bucket(100, 5000));
  Update(Window(0, 5000));
  rg_token token;
  EXPECT_TRUE(Take(&token));
  Refund(token);
  EXPECT_EQ(Level(), 5000u);
}

// ---- Threads ----------------------------------------------------------------

constexpr int kThreads = 8;
constexpr int kTokens = 1000;

const rg_budget_policy kBucketOfTokens = Bucket(100, kTokens * 1000);
const rg_budget_policy kOtherBucketOfTokens = Bucket(900, kTokens * 1000);
const rg_budget_policy kWindowOfTokens = Window(20, kTokens * 1000);
const rg_budget_policy kOtherWindowOfTokens = Window(90, kTokens * 1000);

TEST_F(Budget, ConcurrentTakersGetExactlyWhatIsThere) {
  for (const rg_budget_policy &policy : {kBucketOfTokens, kWindowOfTokens}) {
    Init(policy);
    std::atomic<int> granted{0};
    rg_test::Race(kThreads, [&](int) {
      for (int i = 0; i < kTokens; i++)
        if (Take()) granted++;
    });
    EXPECT_EQ(granted, kTokens);
  }
}

using Policies = std::pair<rg_budget_policy, rg_budget_policy>;

// Both of a pair hold the same, so there is nothing to be had from a change.
const Policies kPairs[] = {{kBucketOfTokens, kOtherBucketOfTokens},
                           {kWindowOfTokens, kOtherWindowOfTokens},
                           {kBucketOfTokens, kWindowOfTokens},
                           {kWindowOfTokens, kBucketOfTokens}};

class BudgetUpdate : public Budget {
 protected:
  // Calls body() over and over in some threads; in the midst of it comes one
  // update. No operation of a real call spans two of them.
  template <typename Body>
  void RaceWithUpdate(const rg_budget_policy &policy, const Body &body) {
    std::atomic<bool> begun{false};
    rg_test::Race(4, [&](int i) {
      if (i == 0) {
        while (!begun) std::this_thread::yield();
        Update(policy);
        return;
      }
      for (int n = 0; n < kTokens; n++) {
        body();
        begun = true;
      }
    });
  }
};

TEST_F(BudgetUpdate, ConcurrentWithTakersNeverOverdraws) {
  for (const auto &[before, after] : kPairs) {
    for (int round = 0; round < 100; round++) {
      Init(before);
      std::atomic<int> granted{0};
      RaceWithUpdate(after, [&] {
        if (Take()) granted++;
      });
      granted += Drain();
      ASSERT_LE(granted, kTokens) << before.kind << after.kind << round;
      // Each taker may lose the one that it was about to take.
      ASSERT_GE(granted, kTokens - 3) << before.kind << after.kind << round;
    }
  }
}

// So fast that a take may begin before one update and end after the next.
TEST_F(BudgetUpdate, ConcurrentUpdatesInARowNeverOverdraw) {
  const rg_budget_policy policies[] = {kBucketOfTokens, kWindowOfTokens,
                                       kOtherWindowOfTokens};
  for (int round = 0; round < 30; round++) {
    Init(policies[0]);
    std::atomic<int> granted{0};
    std::atomic<bool> over{false};
    rg_test::Race(4, [&](int i) {
      if (i == 0) {
        for (int n = 1; n < 2000; n++) Update(policies[n % 3]);
        over = true;
        return;
      }
      while (!over)
        if (Take()) granted++;
    });
    ASSERT_LE(granted + Drain(), kTokens) << round;
  }
}

TEST_F(BudgetUpdate, ConcurrentWithRefundsNeverOverdraws) {
  for (const auto &[before, after] : kPairs) {
    for (int round = 0; round < 100; round++) {
      Init(before);
      ASSERT_EQ(Drain(kTokens - 2), kTokens - 2);
      std::atomic<int> held{0};
      RaceWithUpdate(after, [&] {
        rg_token token;
        if (!Take(&token)) return;
        EXPECT_LE(++held, 2);
        held--;
        Refund(token);
      });
      // Refunds that came too late are lost.
      ASSERT_LE(Drain(), 2) << before.kind << after.kind << round;
    }
  }
}

}  // namespace
