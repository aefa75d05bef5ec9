// SPDX-License-Identifier: Apache-2.0
#include "core/window.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/naive_window.h"
#include "support/race.h"
#include "support/random.h"
#include "support/wild_clock.h"

namespace {

constexpr uint64_t kSlots = RG_WINDOW_SLOTS;
constexpr uint64_t kSlotNs = 1000000;
constexpr uint64_t kSpanNs = kSlots * kSlotNs;
constexpr uint64_t kDayNs = UINT64_C(24) * 3600 * 1000000000;
constexpr uint64_t kEpochWrap = UINT64_C(1) << 28;
constexpr uint32_t kAmountMax = (UINT32_C(1) << 30) - 1;

// The beginning and the end of a slot.
constexpr uint64_t Begin(uint64_t slot) { return slot * kSlotNs; }
constexpr uint64_t End(uint64_t slot) { return Begin(slot + 1) - 1; }

class Window : public testing::Test {
 protected:
  Window() { rg_window_init(&window_, kSpanNs); }

  void Add(uint32_t amount, uint64_t now) {
    rg_window_add(&window_, amount, now);
  }
  uint64_t Recent(uint64_t now) { return rg_window_read(&window_, now).recent; }
  uint64_t Total(uint64_t now) { return rg_window_read(&window_, now).total; }

  rg_window window_;
};

TEST_F(Window, IsEmptyWhenNew) {
  for (uint64_t now : {UINT64_C(0), UINT64_C(1), Begin(kEpochWrap),
                       UINT64_MAX - 1, UINT64_MAX}) {
    EXPECT_EQ(Recent(now), 0u);
    EXPECT_EQ(Total(now), 0u);
  }
}

// Wherever it begins, at the ends of the epoch's range too.
TEST_F(Window, CountsAnAmountForNineTenthsOfTheSpanAndNotBeyondIt) {
  for (uint64_t around : {UINT64_C(0), kEpochWrap / 2 - 12, kEpochWrap - 12,
                          kEpochWrap, 7 * kEpochWrap - 12}) {
    for (uint64_t slot = around; slot < around + 25; slot++) {
      for (uint64_t now : {Begin(slot), Begin(slot) + 1, End(slot)}) {
        rg_window_init(&window_, kSpanNs);
        Add(3, now);
        ASSERT_EQ(Recent(now), 3u) << slot;
        ASSERT_EQ(Recent(End(slot + kSlots - 1)), 3u) << slot;
        ASSERT_EQ(Recent(Begin(slot + kSlots)), 0u) << slot;
        ASSERT_EQ(Recent(now + kSpanNs), 0u) << slot;
      }
    }
  }
}

TEST_F(Window, SlidesBySlots) {
  for (uint64_t start : {UINT64_C(0), kEpochWrap - 20}) {
    rg_window_init(&window_, kSpanNs);
    for (uint64_t i = 0; i < 40; i++) {
      Add(1, Begin(start + i));
      Add(1, End(start + i));
      ASSERT_EQ(Recent(End(start + i)), 2 * std::min(i + 1, kSlots)) << i;
      ASSERT_EQ(Total(End(start + i)), 2 * (i + 1)) << i;
    }
  }
}

TEST_F(Window, WorksUpToTheEndOfTime) {
  Add(1, UINT64_MAX - kSpanNs);
  Add(2, UINT64_MAX - 1);
  Add(3, UINT64_MAX);
  EXPECT_EQ(Recent(UINT64_MAX), 5u);
  EXPECT_EQ(Total(UINT64_MAX), 6u);
}

TEST_F(Window, TheTotalForgetsNothing) {
  Add(5, Begin(0));
  EXPECT_EQ(Total(Begin(100)), 5u);
  Add(7, Begin(kSlots));  // takes the place of the first
  EXPECT_EQ(Total(Begin(100)), 12u);
  Add(0, Begin(5 * kSlots));
  EXPECT_EQ(Total(Begin(100)), 12u);
}

TEST_F(Window, ADayOfSilenceEmptiesItAndNothingElse) {
  for (uint64_t slot = 0; slot < kSlots; slot++) Add(1, Begin(slot));
  EXPECT_EQ(Recent(kDayNs), 0u);
  EXPECT_EQ(Total(kDayNs), 10u);
  Add(4, kDayNs);
  EXPECT_EQ(Recent(kDayNs), 4u);
  EXPECT_EQ(Total(kDayNs), 14u);
}

TEST_F(Window, ASlotHoldsItsMaximumAndLosesWhatIsAbove) {
  Add(kAmountMax, Begin(50));
  EXPECT_EQ(Recent(Begin(50)), kAmountMax);
  for (uint32_t more : {UINT32_C(2), kAmountMax - 1, kAmountMax, UINT32_MAX}) {
    Add(more, Begin(50));
    EXPECT_EQ(Recent(Begin(50)), kAmountMax) << more;
    EXPECT_EQ(Recent(Begin(50 + kSlots)), 0u) << more;  // the epoch is intact
  }
  Add(kAmountMax, Begin(51));
  EXPECT_EQ(Recent(Begin(51)), UINT64_C(2) * kAmountMax);
  Add(UINT32_MAX, Begin(52));
  Add(1, Begin(52));
  EXPECT_EQ(Recent(Begin(52)), UINT64_C(2) * kAmountMax + 1);
}

// More than the word that counts them has room for.
TEST_F(Window, TheTotalOfManyFullSlotsIsExact) {
  for (uint64_t slot = 1; slot <= 1000; slot++) {
    Add(kAmountMax, Begin(slot));
    ASSERT_EQ(Total(Begin(slot)), slot * kAmountMax);
    ASSERT_EQ(Recent(Begin(slot)), std::min(slot, kSlots) * kAmountMax);
  }
}

TEST_F(Window, EmptyingLeavesTheTotal) {
  for (uint64_t slot : {UINT64_C(50), UINT64_C(51), UINT64_C(48)}) {
    Add(3, Begin(50));
    const uint64_t total = Total(Begin(50));
    rg_window_empty(&window_, kSpanNs);
    EXPECT_EQ(Recent(Begin(50)), 0u);
    EXPECT_EQ(Total(Begin(50)), total);
    Add(4, Begin(slot));
    EXPECT_EQ(Recent(Begin(slot)), 4u);
    EXPECT_EQ(Recent(Begin(slot + kSlots)), 0u);
    EXPECT_EQ(Total(Begin(slot)), total + 4);
  }
}

TEST_F(Window, EmptyingSetsTheSpan) {
  Add(3, Begin(50));
  rg_window_empty(&window_, 2 * kSpanNs);
  Add(4, Begin(50));
  EXPECT_EQ(Recent(Begin(50 + 2 * kSlots) - 1), 4u);
  EXPECT_EQ(Recent(Begin(50 + 2 * kSlots)), 0u);
}

TEST_F(Window, AddingNothingChangesNothing) {
  Add(2, Begin(50));
  Add(0, Begin(50));
  Add(0, Begin(51));
  EXPECT_EQ(Recent(Begin(51)), 2u);
  EXPECT_EQ(Total(Begin(51)), 2u);
}

TEST_F(Window, ASpanBelowOneNanosecondPerSlotCountsAsThat) {
  for (uint64_t span : {0u, 1u, 9u, 10u, 19u}) {
    rg_window_init(&window_, span);
    Add(1, 1000);
    EXPECT_EQ(Recent(1009), 1u) << span;
    EXPECT_EQ(Recent(1010), 0u) << span;
  }
}

TEST_F(Window, TheLongestSpanCoversAllTimes) {
  rg_window_init(&window_, UINT64_MAX);
  Add(1, 0);
  Add(2, UINT64_MAX / 2);
  EXPECT_EQ(Recent(UINT64_MAX / 2), 3u);
}

TEST_F(Window, ASmallStepBackLeavesAmountsWhereTheyAre) {
  Add(5, Begin(100));
  Add(6, Begin(103));
  for (uint64_t slot = 94; slot <= 103; slot++)
    EXPECT_EQ(Recent(Begin(slot)), 11u) << slot;
  Add(7, Begin(95));
  EXPECT_EQ(Recent(Begin(95)), 18u);
  EXPECT_EQ(Recent(Begin(103)), 18u);
  EXPECT_EQ(Recent(Begin(105)), 11u);
}

// What had left the window must not come in again: it would cover more than
// its span.
TEST_F(Window, ASmallStepBackBringsNothingBack) {
  Add(1000, Begin(90));
  Add(1, Begin(102));
  EXPECT_EQ(Recent(Begin(102)), 1u);
  for (uint64_t slot = 93; slot < 102; slot++)
    EXPECT_EQ(Recent(End(slot)), 1u) << slot;
}

// A slot without an amount says nothing about time, even if its epoch is ahead.
TEST_F(Window, JustBeforeTheEpochWrapsUnusedSlotsDoNotMatter) {
  for (uint64_t back = 1; back < kSlots; back++) {
    rg_window_init(&window_, kSpanNs);
    Add(1, Begin(kEpochWrap - kSlots));
    Add(2, Begin(kEpochWrap - back));
    EXPECT_EQ(Recent(Begin(kEpochWrap - 1)), 3u) << back;
  }
}

TEST_F(Window, ALargeStepBackEmptiesIt) {
  for (uint64_t slot = 1000; slot < 1000 + kSlots; slot++) Add(1, Begin(slot));
  EXPECT_EQ(Recent(Begin(500)), 0u);
  for (uint64_t slot = 500; slot < 500 + kSlots; slot++) {
    Add(2, Begin(slot));
    EXPECT_EQ(Recent(Begin(slot)), 2 * (slot - 499)) << slot;
  }
  EXPECT_EQ(Recent(Begin(1000)), 0u);
  EXPECT_EQ(Total(Begin(1000)), 10u + 20u);
}

TEST_F(Window, AStepBackOfMoreThanASpanEmptiesItWithTheNextAddition) {
  Add(1, Begin(100));
  Add(2, Begin(100 - kSlots));  // a span back it is late, and too late to count
  EXPECT_EQ(Recent(Begin(100 - kSlots)), 1u);
  Add(4, Begin(100 - kSlots - 1));
  EXPECT_EQ(Recent(Begin(100 - kSlots - 1)), 4u);
  EXPECT_EQ(Recent(Begin(100)), 0u);
  EXPECT_EQ(Total(Begin(100)), 7u);
}

TEST_F(Window, ARandomHistoryReadsAsTheNaiveModel) {
  for (uint64_t start : {UINT64_C(0), Begin(kEpochWrap) - 10 * kSpanNs,
                         Begin(kEpochWrap / 2), UINT64_MAX - kDayNs}) {
    rg_window_init(&window_, kSpanNs);
    rg_test::NaiveWindow naive(kSlotNs);
    rg_test::Random random(start);
    rg_test::WildClock clock(start, kSpanNs, start);
    for (int i = 0; i < 200000; i++) {
      clock.GoOn();
      if (random.OneIn(20)) clock.StepBackALittle();
      if (random.OneIn(20000)) clock.StepBackADay();
      const uint32_t amount = static_cast<uint32_t>(random.Below(4));
      Add(amount, clock.now());
      naive.Add(amount, clock.now());
      clock.GoOn();
      if (random.OneIn(20)) clock.StepBackALittle();
      const rg_window_reading reading = rg_window_read(&window_, clock.now());
      ASSERT_EQ(reading.recent,
                static_cast<uint64_t>(naive.Recent(clock.now())))
          << i;
      ASSERT_EQ(reading.total, static_cast<uint64_t>(naive.Total())) << i;
    }
  }
}

// In lockstep: each slot is found left over from the round before by several
// threads at once.
TEST_F(Window, ConcurrentAdditionsAreCountedOnce) {
  constexpr uint64_t kThreads = 3;
  constexpr uint64_t kRounds = 20000;
  std::atomic<uint64_t> arrived{0};
  rg_test::Race(kThreads, [&](int) {
    for (uint64_t n = 0; n < kRounds; n++) {
      arrived++;
      while (arrived < kThreads * (n + 1)) std::this_thread::yield();
      Add(1, Begin(n));
    }
  });
  EXPECT_EQ(Total(Begin(kRounds)), kThreads * kRounds);
  EXPECT_EQ(Recent(Begin(kRounds - 1)), kThreads * kSlots);
}

TEST_F(Window, ConcurrentReadersNeverSeeMoreThanWasAdded) {
  std::atomic<uint64_t> clock{Begin(100)};
  std::atomic<uint64_t> begun{0};
  rg_test::Race(8, [&](int i) {
    for (int n = 0; n < 50000; n++) {
      if (i % 2 == 0) {
        begun++;
        Add(1, clock += kSlotNs / 10);
        continue;
      }
      const rg_window_reading reading = rg_window_read(&window_, clock);
      ASSERT_LE(reading.total, begun);
      ASSERT_LE(reading.recent, reading.total);
    }
  });
  EXPECT_EQ(Total(clock), begun);
}

}  // namespace
