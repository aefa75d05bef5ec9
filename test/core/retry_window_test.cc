// SPDX-License-Identifier: Apache-2.0

// The retry window in the hands of one thread; several meet in
// retry_window_threads_test.cc, retry_window_history_test.cc holds it against a
// naive model.
#include "core/retry_window.h"

#include <gtest/gtest.h>

#include <deque>

#include "support/retry_window_fixture.h"

namespace {

class RetryWindow : public rg_test::RetryWindowFixture {};

// ---- The share --------------------------------------------------------------

TEST_F(RetryWindow, AThousandCallsAtTheSameMomentAllowTwoHundredRetries) {
  Init(Policy(20, 0));
  Begin(1000, kNow);
  EXPECT_EQ(Drain(kNow), 200);
}

TEST_F(RetryWindow, TheShareIsExactForEveryPercentage) {
  for (uint32_t percent = 0; percent <= 100; percent++) {
    Init(Policy(percent, 0));
    int taken = 0;
    for (int call = 1; call <= 100; call++) {
      Begin(kNow);
      taken += Drain(kNow);
      ASSERT_EQ(taken, call * static_cast<int>(percent) / 100) << percent;
    }
  }
}

TEST_F(RetryWindow, TheFloorAllowsRetriesWithoutAnyCall) {
  for (int retries : {0, 1, 2, 50}) {
    Init(Policy(20, static_cast<uint64_t>(retries) * 1000));
    EXPECT_EQ(Drain(kNow), retries);
  }
}

TEST_F(RetryWindow, TheFloorComesOnTopOfTheShare) {
  Init(Policy(20, 3000));
  Begin(10, kNow);
  EXPECT_EQ(Drain(kNow), 5);
}

// 0.2 of one call and 0.8 of a retry make one.
TEST_F(RetryWindow, FractionsOfShareAndFloorAddUp) {
  Init(Policy(20, 799));
  Begin(kNow);
  EXPECT_FALSE(Take(kNow));
  Init(Policy(20, 800));
  EXPECT_FALSE(Take(kNow));
  Begin(kNow);
  EXPECT_TRUE(Take(kNow));
  EXPECT_FALSE(Take(kNow));
}

TEST_F(RetryWindow, AnUnboundedFloorDoesNotOverflow) {
  for (uint64_t floor : {UINT64_MAX - 1, UINT64_MAX}) {
    Init(Policy(100, floor));
    Begin(100, kNow);
    EXPECT_TRUE(Take(kNow));
    EXPECT_EQ(Read(kNow).limit_milli, UINT64_MAX);
    EXPECT_EQ(Read(kNow).left_milli, UINT64_MAX - 1000);
  }
}

TEST_F(RetryWindow, AReadingTellsWhatIsLeft) {
  Init(Policy(20, 500));
  Begin(12, kNow);
  EXPECT_TRUE(Take(kNow));
  const rg_retry_window_reading reading = Read(kNow);
  EXPECT_EQ(reading.calls, 12u);
  EXPECT_EQ(reading.retries, 1u);
  EXPECT_EQ(reading.limit_milli, 2900u);
  EXPECT_EQ(reading.left_milli, 1900u);
}

TEST_F(RetryWindow, InitCanPretendAPast) {
  const rg_retry_window_policy policy = Policy(20, 0);
  rg_retry_window_init(&window_, &policy, /*calls=*/100, /*retries=*/15, kNow);
  EXPECT_EQ(Read(kNow).calls, 100u);
  EXPECT_EQ(Read(kNow).retries, 15u);
  EXPECT_EQ(Drain(kNow), 5);
}

TEST_F(RetryWindow, MoreRetriesThanAllowedLeaveNothing) {
  const rg_retry_window_policy policy = Policy(20, 0);
  rg_retry_window_init(&window_, &policy, 100, UINT32_MAX, kNow);
  EXPECT_EQ(Read(kNow).left_milli, 0u);
  EXPECT_FALSE(Take(kNow));
}

TEST_F(RetryWindow, AClosedWindowGivesNothing) {
  Init(Policy(20, 5000));
  uint32_t epoch = 0;
  EXPECT_TRUE(Take(kNow, &epoch));
  rg_retry_window_close(&window_);
  EXPECT_FALSE(Take(kNow));
  Refund(epoch);
  EXPECT_FALSE(Take(kNow));
  EXPECT_EQ(Read(kNow).left_milli, 5000u);
  Init(Policy(20, 5000));
  EXPECT_EQ(Drain(kNow), 5);
}

// ---- Sliding ----------------------------------------------------------------

// Calls over at most the interval, retries over at least it.
TEST_F(RetryWindow, CallsCountForTenSlotsAndRetriesForEleven) {
  for (uint64_t start : {UINT64_C(0), kEpochWrap - 5 * kSlotNs}) {
    Init(Policy(20, 1000), start);
    Begin(start);
    EXPECT_TRUE(Take(start));
    EXPECT_EQ(Read(start + 10 * kSlotNs - 1).calls, 1u);
    EXPECT_EQ(Read(start + 10 * kSlotNs).calls, 0u);
    EXPECT_EQ(Read(start + 10 * kSlotNs).retries, 1u);
    EXPECT_EQ(Read(start + 11 * kSlotNs - 1).retries, 1u);
    EXPECT_EQ(Read(start + 11 * kSlotNs).retries, 0u);
  }
}

TEST_F(RetryWindow, TheFloorIsThereAgainAnIntervalLater) {
  Init(Policy(0, 1000), kNow);
  EXPECT_EQ(Drain(kNow + kSlotNs - 1), 1);
  EXPECT_EQ(Drain(kNow + kSlotNs - 1 + kInterval), 0);
  EXPECT_EQ(Drain(kNow + kSlotNs + kInterval), 1);
}

TEST_F(RetryWindow, WorksAfterADayOfSilence) {
  Init(Policy(20, 1000));
  Begin(100, kNow);
  EXPECT_EQ(Drain(kNow), 21);
  for (uint64_t day = 1; day <= 3; day++) {
    const uint64_t now = kNow + day * kDay;
    EXPECT_EQ(Read(now).calls, 0u);
    EXPECT_EQ(Read(now).retries, 0u);
    EXPECT_EQ(Drain(now), 1);
    Begin(50, now);
    EXPECT_EQ(Drain(now), 10);
  }
}

// A pause of every length in slots, about the number of marks too.
TEST_F(RetryWindow, RetriesAreForgottenAfterAPauseOfAnyLength) {
  for (uint64_t pause = 0; pause < 70; pause++) {
    Init(Policy(0, 5000));
    for (uint64_t i = 0; i < 3; i++) EXPECT_TRUE(Take(kNow + i * kSlotNs));
    const uint64_t now = kNow + (2 + pause) * kSlotNs;
    const uint64_t left = pause <= 8 ? 3 : pause <= 10 ? 11 - pause : 0;
    ASSERT_EQ(Read(now).retries, left) << pause;
  }
}

TEST_F(RetryWindow, WorksUpToTheEndOfTime) {
  Init(Policy(20, 0), UINT64_MAX - kInterval);
  Begin(10, UINT64_MAX - kInterval);
  EXPECT_EQ(Drain(UINT64_MAX - kInterval), 2);
  Begin(10, UINT64_MAX - 1);
  EXPECT_EQ(Drain(UINT64_MAX - 1), 0);  // two of 10 calls are still counted
  Begin(5, UINT64_MAX);
  EXPECT_EQ(Drain(UINT64_MAX), 1);
}

// ---- Time that steps --------------------------------------------------------

TEST_F(RetryWindow, ASmallStepBackForgetsNoRetry) {
  for (uint64_t back = 0; back <= 16; back++) {
    Init(Policy(0, 3000));
    EXPECT_EQ(Drain(kNow), 3);
    EXPECT_EQ(Drain(kNow - back * kSlotNs), 0) << back;
    EXPECT_EQ(Drain(kNow + kInterval), 0) << back;
  }
}

// The calls left the window together with their retries; were they to come
// back alone, they would pay twice.
TEST_F(RetryWindow, ASmallStepBackBringsNoCallsBack) {
  for (uint64_t back = 0; back <= 16; back++) {
    Init(Policy(20, 0));
    Begin(1000, kNow);
    EXPECT_EQ(Drain(kNow + kSlotNs), 200);
    const uint64_t later = kNow + 18 * kSlotNs;
    EXPECT_EQ(Drain(later), 0);
    EXPECT_EQ(Drain(later - back * kSlotNs), 0) << back;
  }
}

TEST_F(RetryWindow, ACallAheadOfTimeDoesNotWidenTheWindow) {
  Init(Policy(20, 0));
  Begin(1000, kNow);
  Begin(5, kNow + 12 * kSlotNs);  // another thread's
  EXPECT_EQ(Drain(kNow + 9 * kSlotNs), 1);
}

TEST_F(RetryWindow, AfterALargeStepEitherWayItBeginsAnew) {
  const uint64_t now = 3 * kDay;
  for (uint64_t there : {now + kDay, now - kDay, now - 40 * kSlotNs}) {
    Init(Policy(20, 2000), now);
    for (uint64_t i = 0; i <= 20; i++) {
      Begin(100, now + i * kSlotNs);
      Drain(now + i * kSlotNs);
    }
    EXPECT_EQ(Read(there).retries, 0u);
    EXPECT_EQ(Drain(there), 2);
    Begin(100, there);
    EXPECT_EQ(Drain(there), 20);
    EXPECT_EQ(Drain(there + kInterval), 0);
    EXPECT_EQ(Drain(there + kInterval + kSlotNs), 2);
  }
}

// Marks of old times are in the way there; they may make it stricter, for as
// long as they are.
TEST_F(RetryWindow, AfterAMiddlingStepBackItAllowsNoMoreThanItShould) {
  for (uint64_t back = 10; back < 40; back++) {
    Init(Policy(0, 4000), kNow);
    for (uint64_t i = 0; i <= 20; i++) Drain(kNow + i * kSlotNs);
    uint64_t now = kNow + (20 - back) * kSlotNs;
    std::deque<uint64_t> taken;
    for (int i = 0; i < 80; i++, now += kSlotNs) {
      while (Take(now)) taken.push_back(now);
      while (!taken.empty() && taken.front() + kInterval < now)
        taken.pop_front();
      ASSERT_LE(taken.size(), 4u) << back << " " << i;
    }
    EXPECT_EQ(Read(now + 11 * kSlotNs).retries, 0u) << back;
  }
}

// ---- Refunds ----------------------------------------------------------------

TEST_F(RetryWindow, ARefundInTheSameSlotIsARetryAgain) {
  Init(Policy(0, 2000));
  uint32_t epoch = 0;
  EXPECT_TRUE(Take(kNow, &epoch));
  EXPECT_TRUE(Take(kNow));
  Refund(epoch);
  EXPECT_EQ(Read(kNow).retries, 1u);
  EXPECT_EQ(Drain(kNow), 1);
}

// Whenever it comes, it takes away the one retry it was for, and in no slot
// more.
TEST_F(RetryWindow, ARefundAfterSlotChangesGivesBackThatRetryOnly) {
  for (uint64_t start : {kNow, kEpochWrap - 5 * kSlotNs}) {
    for (uint64_t later = 0; later < 60; later++) {
      Init(Policy(0, 100000), start);
      uint32_t epoch = 0;
      ASSERT_TRUE(Take(start, &epoch));
      ASSERT_TRUE(Take(start));
      for (uint64_t i = 1; i <= later; i++)
        ASSERT_TRUE(Take(start + i * kSlotNs));
      Refund(epoch);
      // One retry in the first slot, one in each later one, none from then on.
      for (uint64_t slot = later; slot < later + 15; slot++) {
        const uint64_t first = slot > 10 ? slot - 10 : 0;
        const uint64_t left = first <= later ? later - first + 1 : 0;
        ASSERT_EQ(Read(start + slot * kSlotNs).retries, left)
            << later << " " << slot;
      }
    }
  }
}

TEST_F(RetryWindow, ARefundAfterAPauseGivesNothingTwice) {
  for (uint64_t pause = 0; pause < 60; pause++) {
    Init(Policy(0, 5000));
    uint32_t epoch = 0;
    ASSERT_TRUE(Take(kNow, &epoch));
    const uint64_t now = kNow + pause * kSlotNs;
    EXPECT_EQ(Drain(now), pause <= 10 ? 4 : 5);
    Refund(epoch);
    EXPECT_EQ(Drain(now), pause <= 10 ? 1 : 0) << pause;
    EXPECT_EQ(Drain(now + 11 * kSlotNs), 5) << pause;
  }
}

TEST_F(RetryWindow, ARefundAfterALargeStepBackGivesNothingTwice) {
  for (uint64_t back :
       {UINT64_C(17), UINT64_C(25), UINT64_C(33), UINT64_C(90)}) {
    Init(Policy(0, 5000), kNow);
    uint32_t epoch = 0;
    ASSERT_TRUE(Take(kNow, &epoch));
    const uint64_t now = kNow - back * kSlotNs;
    const int taken = Drain(now);
    Refund(epoch);
    EXPECT_LE(taken + Drain(now), 5) << back;
    EXPECT_EQ(Drain(now + 40 * kSlotNs), 5) << back;
  }
}

// The retry was forgotten with the step; one less than none would be as many as
// there can be.
TEST_F(RetryWindow, ARefundOfAForgottenRetryLeavesTheWindowEmpty) {
  for (uint64_t later = 0; later < 30; later++) {
    Init(Policy(0, 5000), kNow);
    uint32_t epoch = 0;
    ASSERT_TRUE(Take(kNow, &epoch));
    EXPECT_EQ(Read(kNow - 90 * kSlotNs).retries, 0u);
    const uint64_t now = kNow + later * kSlotNs;
    EXPECT_EQ(Read(now).retries, 0u);
    Refund(epoch);
    EXPECT_EQ(Read(now).retries, 0u) << later;
    EXPECT_EQ(Drain(now), 5) << later;
  }
}

}  // namespace
