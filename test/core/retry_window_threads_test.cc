// SPDX-License-Identifier: Apache-2.0

// Threads that meet at the retry window.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/retry_window.h"
#include "support/race.h"
#include "support/retry_window_fixture.h"

namespace {

class RetryWindowThreads : public rg_test::RetryWindowFixture {};

constexpr int kThreads = 8;

// As another thread leaves it that was stopped in a take nine slots later: its
// marks are set, and have run over that of the interval's beginning.
TEST_F(RetryWindowThreads, ATakeThatMeetsTheMarksOfALaterOneAllowsNoMore) {
  constexpr uint64_t kEpoch = kNow / kSlotNs;
  Init(Policy(0, 1000));
  ASSERT_TRUE(Take(kNow));
  for (uint64_t epoch = kEpoch + 1; epoch <= kEpoch + 9; epoch++)
    window_.marks[epoch % RG_RETRY_WINDOW_MARKS] = epoch << 32 | 1;
  EXPECT_FALSE(Take(kNow));
  EXPECT_EQ(Read(kNow).left_milli, 0u);
  EXPECT_TRUE(Take(kNow + 2 * kInterval));
}

TEST_F(RetryWindowThreads, ConcurrentTakersGetExactlyWhatIsThere) {
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

TEST_F(RetryWindowThreads,
       ConcurrentTakersGetExactlyWhatIsThereWhileSlotsChange) {
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

TEST_F(RetryWindowThreads, ConcurrentTakersGetExactlyWhatCallsBringMeanwhile) {
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

TEST_F(RetryWindowThreads, ConcurrentRefundsLoseAndMakeNoRetry) {
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
TEST_F(RetryWindowThreads, RefundsThatMeetASlotChangeLoseNoRetry) {
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

TEST_F(RetryWindowThreads, NoTakeThatMeetsTheCloseEscapesTheReading) {
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
