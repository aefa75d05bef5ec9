// SPDX-License-Identifier: Apache-2.0
#include "core/deadline.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

constexpr uint64_t kMs = UINT64_C(1000000);
constexpr uint64_t kSecond = UINT64_C(1000000000);
constexpr uint64_t kNow = 100 * kSecond;
constexpr uint64_t kNone = RG_DEADLINE_NONE;

// All off; each test turns one on.
class Deadline : public testing::Test {
 protected:
  uint64_t OfChild(uint64_t parent, uint64_t own) {
    return rg_deadline_of_child(&policy_, parent, own);
  }
  uint64_t OfAttempt(uint64_t call, uint64_t now = kNow) {
    return rg_deadline_of_attempt(&policy_, call, now);
  }
  bool WorthStarting(uint64_t call, uint64_t now = kNow) {
    return rg_deadline_worth_starting(&policy_, call, now);
  }
  bool Fits(uint64_t call, uint64_t delay_ms, uint64_t typical_ns = 0,
            uint64_t now = kNow) {
    return rg_deadline_fits(&policy_, call, delay_ms, typical_ns, now);
  }

  rg_deadline_policy policy_ = {};
};

// ---- A child's --------------------------------------------------------------

TEST_F(Deadline, AChildsIsAtMostItsParents) {
  EXPECT_EQ(OfChild(kNow, kNow - 1), kNow - 1);
  EXPECT_EQ(OfChild(kNow, kNow), kNow);
  EXPECT_EQ(OfChild(kNow, kNow + 1), kNow);
}

TEST_F(Deadline, AChildWithoutOneGetsItsParents) {
  EXPECT_EQ(OfChild(kNow, kNone), kNow);
}

TEST_F(Deadline, AHopKeepsItsMarginBack) {
  policy_.hop_margin_ns = 5 * kMs;
  EXPECT_EQ(OfChild(kNow, kNone), kNow - 5 * kMs);
  EXPECT_EQ(OfChild(kNow, kNow), kNow - 5 * kMs);
  EXPECT_EQ(OfChild(kNow, kNow - 6 * kMs), kNow - 6 * kMs);
}

TEST_F(Deadline, WithoutAnyThereIsNone) {
  policy_.hop_margin_ns = 5 * kMs;
  EXPECT_EQ(OfChild(kNone, kNone), kNone);
  EXPECT_EQ(OfChild(kNone, kNow), kNow);
}

TEST_F(Deadline, AMarginAboveWhatIsLeftLeavesNothing) {
  policy_.hop_margin_ns = UINT64_MAX;
  EXPECT_EQ(OfChild(kNow, kNone), 0u);
  EXPECT_EQ(OfChild(0, kNone), 0u);
  EXPECT_EQ(OfChild(kNone - 1, kNone), 0u);
  EXPECT_EQ(OfChild(kNone, kNone), kNone);
}

TEST_F(Deadline, DisabledAChildKeepsItsOwn) {
  policy_.disabled = true;
  policy_.hop_margin_ns = 5 * kMs;
  EXPECT_EQ(OfChild(kNow, kNow + 1), kNow + 1);
  EXPECT_EQ(OfChild(kNow, kNone), kNone);
}

// ---- An attempt's -----------------------------------------------------------

TEST_F(Deadline, AnAttemptEndsWithTheCallWhenItHasNoTimeoutOfItsOwn) {
  for (uint64_t call : {kNow - 1, kNow, kNow + 1, kNone})
    EXPECT_EQ(OfAttempt(call), call);
}

TEST_F(Deadline, AnAttemptEndsByItsTimeoutOrWithTheCall) {
  policy_.attempt_timeout_ns = kSecond;
  EXPECT_EQ(OfAttempt(kNone), kNow + kSecond);
  EXPECT_EQ(OfAttempt(kNow + kSecond + 1), kNow + kSecond);
  EXPECT_EQ(OfAttempt(kNow + kSecond), kNow + kSecond);
  EXPECT_EQ(OfAttempt(kNow + kSecond - 1), kNow + kSecond - 1);
}

TEST_F(Deadline, AnAttemptsTimeoutDoesNotOverflow) {
  policy_.attempt_timeout_ns = UINT64_MAX;
  EXPECT_EQ(OfAttempt(kNone), kNone);
  EXPECT_EQ(OfAttempt(kNow + 1), kNow + 1);
  policy_.attempt_timeout_ns = 1;
  EXPECT_EQ(OfAttempt(kNone, UINT64_MAX), kNone);
  EXPECT_EQ(OfAttempt(kNone, UINT64_MAX - 2), UINT64_MAX - 1);
}

TEST_F(Deadline, DisabledAnAttemptHasNoTimeout) {
  policy_.disabled = true;
  policy_.attempt_timeout_ns = kSecond;
  EXPECT_EQ(OfAttempt(kNone), kNone);
}

// ---- Worth starting ---------------------------------------------------------

TEST_F(Deadline, ACallIsWorthStartingWithWhatItMustHaveLeft) {
  policy_.min_remaining_ns = kSecond;
  EXPECT_TRUE(WorthStarting(kNow + kSecond + 1));
  EXPECT_TRUE(WorthStarting(kNow + kSecond));
  EXPECT_FALSE(WorthStarting(kNow + kSecond - 1));
  EXPECT_FALSE(WorthStarting(kNow));
  EXPECT_FALSE(WorthStarting(kNow - 1));
  EXPECT_FALSE(WorthStarting(0));
}

TEST_F(Deadline, ACallWithoutADeadlineIsAlwaysWorthStarting) {
  policy_.min_remaining_ns = UINT64_MAX;
  EXPECT_TRUE(WorthStarting(kNone));
  EXPECT_TRUE(WorthStarting(kNone, UINT64_MAX));
}

TEST_F(Deadline, WithoutAMinimumEveryCallIsWorthStarting) {
  EXPECT_TRUE(WorthStarting(kNow - 1));
  EXPECT_TRUE(WorthStarting(0));
}

TEST_F(Deadline, DisabledEveryCallIsWorthStarting) {
  policy_.disabled = true;
  policy_.min_remaining_ns = kSecond;
  EXPECT_TRUE(WorthStarting(kNow));
}

// ---- A retry that fits ------------------------------------------------------

TEST_F(Deadline, ARetryFitsThatStartsBeforeTheDeadline) {
  EXPECT_TRUE(Fits(kNow + 100 * kMs + 1, 100));
  EXPECT_FALSE(Fits(kNow + 100 * kMs, 100));  // it would start to end
  EXPECT_FALSE(Fits(kNow + 100 * kMs - 1, 100));
}

TEST_F(Deadline, NoRetryFitsAfterTheDeadline) {
  EXPECT_TRUE(Fits(kNow + 1, 0));
  EXPECT_FALSE(Fits(kNow, 0));
  EXPECT_FALSE(Fits(kNow - 1, 0));
  EXPECT_FALSE(Fits(0, 0));
}

TEST_F(Deadline, ARetryMustLeaveEnoughForTheShortestAttempt) {
  policy_.min_attempt_ns = 20 * kMs;
  EXPECT_TRUE(Fits(kNow + 120 * kMs + 1, 100));
  EXPECT_FALSE(Fits(kNow + 120 * kMs, 100));
}

TEST_F(Deadline, HowLongAttemptsTakeMattersWhenAdaptive) {
  EXPECT_TRUE(Fits(kNow + 101 * kMs, 100, kSecond));
  policy_.adaptive = true;
  EXPECT_FALSE(Fits(kNow + 101 * kMs, 100, kSecond));
  EXPECT_FALSE(Fits(kNow + kSecond + 100 * kMs, 100, kSecond));
  EXPECT_TRUE(Fits(kNow + kSecond + 100 * kMs + 1, 100, kSecond));
  EXPECT_TRUE(Fits(kNow + 101 * kMs, 100, /*typical_ns=*/0));
}

TEST_F(Deadline, OfTheShortestAndTheTypicalAttemptTheLongerCounts) {
  policy_.adaptive = true;
  policy_.min_attempt_ns = 20 * kMs;
  EXPECT_FALSE(Fits(kNow + 20 * kMs, 0, 10 * kMs));
  EXPECT_TRUE(Fits(kNow + 20 * kMs + 1, 0, 10 * kMs));
  EXPECT_FALSE(Fits(kNow + 30 * kMs, 0, 30 * kMs));
  EXPECT_TRUE(Fits(kNow + 30 * kMs + 1, 0, 30 * kMs));
}

TEST_F(Deadline, WithoutADeadlineEveryRetryFits) {
  policy_.adaptive = true;
  policy_.min_attempt_ns = UINT64_MAX;
  EXPECT_TRUE(Fits(kNone, UINT64_MAX, UINT64_MAX));
  EXPECT_TRUE(Fits(kNone, UINT64_MAX, UINT64_MAX, UINT64_MAX));
}

TEST_F(Deadline, TheLongestDelayDoesNotOverflow) {
  for (uint64_t delay_ms :
       {UINT64_MAX / kMs, UINT64_MAX / kMs + 1, UINT64_MAX / 2, UINT64_MAX}) {
    EXPECT_FALSE(Fits(kNow + kSecond, delay_ms)) << delay_ms;
    EXPECT_FALSE(Fits(kNone - 1, delay_ms)) << delay_ms;
  }
  policy_.min_attempt_ns = UINT64_MAX;
  EXPECT_FALSE(Fits(kNow + kSecond, 1));
  EXPECT_FALSE(Fits(kNone - 1, 0, 0, 0));
}

TEST_F(Deadline, DisabledEveryRetryFits) {
  policy_.disabled = true;
  policy_.min_attempt_ns = kSecond;
  EXPECT_TRUE(Fits(kNow, 100));
}

// ---- The typical attempt ----------------------------------------------------

TEST(DeadlineSmooth, TheFirstAttemptIsTypical) {
  EXPECT_EQ(rg_deadline_smooth(0, 800), 800u);
  EXPECT_EQ(rg_deadline_smooth(0, UINT64_MAX), UINT64_MAX);
}

TEST(DeadlineSmooth, ZeroStaysTheSignOfNotKnown) {
  EXPECT_EQ(rg_deadline_smooth(0, 0), 1u);
  EXPECT_EQ(rg_deadline_smooth(1, 0), 1u);
}

TEST(DeadlineSmooth, TheNewestCountsForAnEighth) {
  EXPECT_EQ(rg_deadline_smooth(800, 1600), 900u);
  EXPECT_EQ(rg_deadline_smooth(800, 0), 700u);
  EXPECT_EQ(rg_deadline_smooth(800, 800), 800u);
}

TEST(DeadlineSmooth, StaysBetweenTheOldAndTheNewest) {
  const uint64_t times[] = {1,         7, 8, 9, kMs, kSecond, UINT64_MAX - 1,
                            UINT64_MAX};
  for (uint64_t typical : times) {
    for (uint64_t took : times) {
      const uint64_t smooth = rg_deadline_smooth(typical, took);
      // A unit may be lost to rounding.
      EXPECT_GE(smooth, std::min(typical, took) - 1) << typical << " " << took;
      EXPECT_LE(smooth, std::max(typical, took)) << typical << " " << took;
    }
  }
}

TEST(DeadlineSmooth, FollowsAChangeWithinSomeDozenAttempts) {
  uint64_t typical = 10 * kMs;
  for (int i = 0; i < 40; i++) typical = rg_deadline_smooth(typical, kSecond);
  EXPECT_GT(typical, 990 * kMs);
  for (int i = 0; i < 60; i++) typical = rg_deadline_smooth(typical, 10 * kMs);
  EXPECT_LT(typical, 11 * kMs);
}

}  // namespace
