// SPDX-License-Identifier: Apache-2.0
#include "core/retry_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>
#include <vector>

#include "support/naive_retry_window.h"
#include "support/race.h"
#include "support/random.h"
#include "support/wild_clock.h"

namespace {

constexpr uint64_t kSecond = UINT64_C(1000000000);
constexpr uint64_t kInterval = 10 * kSecond;
constexpr uint64_t kSlots = RG_WINDOW_SLOTS;
constexpr uint64_t kSlotNs = kInterval / kSlots;
constexpr uint64_t kDay = 86400 * kSecond;
constexpr uint64_t kEpochWrap = rg_test::WildClock::EpochWrap(kInterval, 1);
constexpr uint64_t kNow = 100 * kSecond;

rg_retry_window_policy Policy(uint32_t percent, uint64_t min_retries_milli) {
  rg_retry_window_policy policy = {};
  policy.percent = percent;
  policy.interval_ns = kInterval;
  policy.min_retries_milli = min_retries_milli;
  return policy;
}

class RetryWindow : public testing::Test {
 protected:
  void Init(const rg_retry_window_policy &policy, uint64_t now = kNow) {
    rg_retry_window_init(&window_, &policy, 0, 0, now);
  }

  void Begin(uint64_t now) { rg_retry_window_begin(&window_, now); }
  void Begin(int calls, uint64_t now) {
    for (int i = 0; i < calls; i++) Begin(now);
  }
  bool Take(uint64_t now, uint32_t *epoch) {
    return rg_retry_window_take(&window_, now, epoch);
  }
  bool Take(uint64_t now) {
    uint32_t epoch = 0;
    return Take(now, &epoch);
  }
  void Refund(uint32_t epoch) { rg_retry_window_refund(&window_, epoch); }
  rg_retry_window_reading Read(uint64_t now) {
    return rg_retry_window_read(&window_, now);
  }

  // Takes until nothing is left.
  int Drain(uint64_t now) {
    int taken = 0;
    while (taken < 1000000 && Take(now)) taken++;
    return taken;
  }

  rg_retry_window window_;
};

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

// ---- Random histories -------------------------------------------------------

const uint64_t kStarts[] = {0, kEpochWrap - 1000 * kSecond,
                            kEpochWrap / 2 - 1000 * kSecond,
                            UINT64_MAX - 3 * kDay};

const rg_retry_window_policy kPolicies[] = {
    Policy(20, 10000), Policy(7, 0), Policy(100, 1500), Policy(33, 123456)};

struct Token {
  uint32_t epoch;
  int64_t naive_epoch;
};

TEST_F(RetryWindow, ARandomHistoryIsThatOfTheNaiveModel) {
  for (uint64_t run = 0; run < 4; run++) {
    rg_test::Random random(run);
    rg_test::WildClock clock(kStarts[run], kInterval, run);
    Init(kPolicies[run], clock.now());
    rg_test::NaiveRetryWindow naive(kPolicies[run], clock.now());
    std::vector<Token> tokens;
    for (int i = 0; i < 250000; i++) {
      clock.GoOn();
      if (random.OneIn(30)) clock.StepBackALittle();
      if (random.OneIn(20000)) {
        clock.StepBackADay();
        tokens.clear();
      }
      naive.MoveTo(clock.now());
      const bool storm = i / 1000 % 3 == 1;
      const uint64_t draw = random.Below(storm ? 4 : 12);
      if (draw < 2) {
        Token token = {0, 0};
        const bool taken = Take(clock.now(), &token.epoch);
        ASSERT_EQ(taken, naive.Left() >= 1000) << run << " " << i;
        if (!taken) continue;
        token.naive_epoch = naive.Take();
        tokens.push_back(token);
      } else if (draw == 2 && !tokens.empty()) {
        const size_t which = random.Below(tokens.size());
        Refund(tokens[which].epoch);
        naive.Refund(tokens[which].naive_epoch);
        tokens[which] = tokens.back();
        tokens.pop_back();
        if (tokens.size() > 200) tokens.clear();  // their retries were made
      } else {
        Begin(clock.now());
        naive.Begin(clock.now());
      }
      ASSERT_EQ(Read(clock.now()).left_milli,
                static_cast<uint64_t>(naive.Left()))
          << run << " " << i;
    }
  }
}

// At the moment of each retry, looking back over exactly the interval: to the
// nanosecond, not by slots.
TEST_F(RetryWindow, ARandomHistoryKeepsThePromiseInEverySlidingInterval) {
  for (uint64_t run = 0; run < 4; run++) {
    const rg_retry_window_policy policy = kPolicies[run];
    rg_test::Random random(run);
    rg_test::WildClock clock(kStarts[run], kInterval, run);
    Init(policy, clock.now());
    std::deque<uint64_t> calls;
    std::deque<uint64_t> retries;
    for (int i = 0; i < 250000; i++) {
      clock.GoOn();
      const uint64_t now = clock.now();
      if (random.Below(10) < 7) {
        Begin(now);
        calls.push_back(now);
        continue;
      }
      if (!Take(now)) continue;
      retries.push_back(now);
      while (!calls.empty() && now - calls.front() >= kInterval)
        calls.pop_front();
      while (now - retries.front() > kInterval) retries.pop_front();
      ASSERT_LE(retries.size() * 1000,
                calls.size() * policy.percent * 10 + policy.min_retries_milli)
          << run << " " << i;
    }
  }
}

// The same with small steps back: none passes until time has caught up with
// where the window saw it.
TEST_F(RetryWindow, SmallStepsBackKeepThePromise) {
  const rg_retry_window_policy policy = Policy(20, 2000);
  rg_test::Random random(1);
  rg_test::WildClock clock(kEpochWrap - 1000 * kSecond, kInterval, 1);
  Init(policy, clock.now());
  uint64_t furthest = clock.now();
  std::deque<uint64_t> calls;
  std::deque<uint64_t> retries;
  for (int i = 0; i < 250000; i++) {
    clock.GoOn();
    Read(clock.now());
    furthest = std::max(furthest, clock.now());
    if (random.OneIn(5)) clock.StepBackALittle();
    if (random.Below(10) < 7) {
      Begin(clock.now());
      calls.push_back(furthest);
      continue;
    }
    if (!Take(clock.now())) continue;
    retries.push_back(furthest);
    while (!calls.empty() && furthest - calls.front() >= kInterval)
      calls.pop_front();
    while (furthest - retries.front() > kInterval) retries.pop_front();
    ASSERT_LE(retries.size() * 1000,
              calls.size() * policy.percent * 10 + policy.min_retries_milli)
        << i;
  }
}

// ---- Threads ----------------------------------------------------------------

constexpr int kThreads = 8;

// As another thread leaves it that was stopped in a take nine slots later: its
// marks are set, and have run over that of the interval's beginning.
TEST_F(RetryWindow, ATakeThatMeetsTheMarksOfALaterOneAllowsNoMore) {
  constexpr uint64_t kEpoch = kNow / kSlotNs;
  Init(Policy(0, 1000));
  ASSERT_TRUE(Take(kNow));
  for (uint64_t epoch = kEpoch + 1; epoch <= kEpoch + 9; epoch++)
    window_.marks[epoch % RG_RETRY_WINDOW_MARKS] = epoch << 32 | 1;
  EXPECT_FALSE(Take(kNow));
  EXPECT_EQ(Read(kNow).left_milli, 0u);
  EXPECT_TRUE(Take(kNow + 2 * kInterval));
}

TEST_F(RetryWindow, ConcurrentTakersGetExactlyWhatIsThere) {
  const rg_retry_window_policy policy = Policy(20, 3000);
  for (int round = 0; round < 5; round++) {
    rg_retry_window_init(&window_, &policy, /*calls=*/50000, 0, kNow);
    std::atomic<int> granted{0};
    rg_test::Race(kThreads, [&](int) {
      for (int i = 0; i < 5000; i++)
        if (Take(kNow)) granted++;
    });
    ASSERT_EQ(granted, 10003);
    ASSERT_EQ(Read(kNow).retries, 10003u);
  }
}

TEST_F(RetryWindow, ConcurrentTakersGetExactlyWhatIsThereWhileSlotsChange) {
  const rg_retry_window_policy policy = Policy(20, 3000);
  for (int round = 0; round < 5; round++) {
    rg_retry_window_init(&window_, &policy, /*calls=*/50000, 0, kNow);
    std::atomic<uint64_t> clock{kNow};
    std::atomic<int> granted{0};
    rg_test::Race(kThreads, [&](int) {
      for (int i = 0; i < 5000; i++) {
        // Over the ten slots for which the calls count.
        const uint64_t now = clock += kInterval / (kThreads * 5000 + 1);
        if (Take(now)) granted++;
      }
    });
    ASSERT_EQ(granted, 10003);
  }
}

TEST_F(RetryWindow, ConcurrentTakersGetExactlyWhatCallsBringMeanwhile) {
  constexpr int kCalls = 5000;  // of each thread
  Init(Policy(20, 0));
  std::atomic<int> granted{0};
  rg_test::Race(kThreads, [&](int) {
    for (int i = 0; i < kCalls; i++) {
      Begin(kNow);
      if (Take(kNow)) granted++;
    }
  });
  EXPECT_EQ(granted + Drain(kNow), kThreads * kCalls / 5);
}

TEST_F(RetryWindow, ConcurrentRefundsLoseAndMakeNoRetry) {
  constexpr int kRetries = 5;
  Init(Policy(0, kRetries * 1000));
  std::atomic<int> held{0};
  rg_test::Race(kThreads, [&](int) {
    for (int i = 0; i < 20000; i++) {
      uint32_t epoch = 0;
      if (!Take(kNow, &epoch)) continue;
      ASSERT_LE(++held, kRetries);
      held--;
      Refund(epoch);
    }
  });
  EXPECT_EQ(Drain(kNow), kRetries);
}

// Slots change under takes and refunds, no more of them than a thread may fall
// behind. Afterwards one slot after the other is left behind: at none of them
// is a retry missing that was kept, nor one there that was never taken.
TEST_F(RetryWindow, RefundsThatMeetASlotChangeLoseNoRetry) {
  constexpr uint64_t kChanges = 5;
  for (int round = 0; round < 2000; round++) {
    Init(Policy(0, 1000000000));
    std::atomic<uint64_t> clock{kNow};
    uint64_t kept[kChanges + 1] = {};
    rg_test::Race(2, [&](int i) {
      for (uint64_t n = 0; n < kChanges; n++) {
        uint32_t epoch = 0;
        const uint64_t now = i == 0 ? clock += kSlotNs : clock.load();
        ASSERT_TRUE(Take(now, &epoch));
        if (i == 0)
          kept[epoch - kNow / kSlotNs]++;
        else
          Refund(epoch);
      }
    });
    uint64_t expected = kChanges;
    for (uint64_t slot = 10; slot <= kChanges + 10; slot++) {
      const uint64_t retries = Read(kNow + slot * kSlotNs).retries;
      ASSERT_GE(retries, expected) << round << " " << slot;
      ASSERT_LE(retries, 2 * kChanges) << round << " " << slot;
      expected -= kept[slot - 10];
    }
    ASSERT_EQ(Read(kNow + (kChanges + 11) * kSlotNs).retries, 0u) << round;
  }
}

TEST_F(RetryWindow, NoTakeThatMeetsTheCloseEscapesTheReading) {
  for (int round = 0; round < 100; round++) {
    Init(Policy(0, 1000000000));
    std::atomic<bool> begun{false};
    std::atomic<uint64_t> granted{0};
    uint64_t counted = 0;
    rg_test::Race(3, [&](int i) {
      if (i == 0) {
        while (!begun) std::this_thread::yield();
        rg_retry_window_close(&window_);
        counted = Read(kNow).retries;
        return;
      }
      uint64_t mine = 0;
      for (; Take(kNow); mine++) begun = true;
      begun = true;
      granted += mine;
    });
    // A take may be counted and refused, never granted and not counted.
    ASSERT_GE(counted, granted) << round;
  }
}

}  // namespace
