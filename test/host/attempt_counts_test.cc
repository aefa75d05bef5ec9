// SPDX-License-Identifier: Apache-2.0
#include "host/attempt_counts.h"

#include <gtest/gtest.h>

#include "support/race.h"

namespace {

using rg_test::Race;

TEST(AttemptCounts, BeginAtZero) {
  const rg_attempt_counts counts = {};
  const rg_attempt_sums sums = rg_attempt_counts_read(&counts);
  EXPECT_EQ(sums.calls, 0u);
  EXPECT_EQ(sums.attempts, 0u);
  EXPECT_EQ(sums.marks_made, 0u);
}

// Each kind with each mark, every one a different number of times.
TEST(AttemptCounts, DeriveAllSumsFromWhatEachAttemptWas) {
  rg_attempt_counts counts = {};
  int times = 1;
  for (int kind = 0; kind < RG_ATTEMPT_KINDS; kind++)
    for (int origin = 0; origin < RG_MARK_ORIGINS; origin++, times *= 2)
      for (int i = 0; i < times; i++)
        rg_attempt_counts_add(&counts, static_cast<rg_attempt_kind>(kind),
                              static_cast<rg_mark_origin>(origin));
  const rg_attempt_sums sums = rg_attempt_counts_read(&counts);
  EXPECT_EQ(sums.calls, 1u + 2 + 4);
  EXPECT_EQ(sums.retries, 8u + 16 + 32);
  EXPECT_EQ(sums.attempts, sums.calls + sums.retries);
  EXPECT_EQ(sums.transparent_retries, 64u + 128 + 256);
  EXPECT_EQ(sums.marks_made, 2u + 16 + 128);
  EXPECT_EQ(sums.marks_forwarded, 4u + 32 + 256);
}

// More threads than stripes, so that some share one.
TEST(AttemptCounts, LoseNothingBetweenThreads) {
  rg_attempt_counts counts = {};
  Race(3 * RG_ATTEMPT_STRIPES, [&counts](int) {
    for (int i = 0; i < 1000; i++)
      rg_attempt_counts_add(&counts, RG_ATTEMPT_FIRST, RG_MARK_MADE);
  });
  EXPECT_EQ(rg_attempt_counts_read(&counts).calls, 3000u * RG_ATTEMPT_STRIPES);
}

TEST(AttemptCounts, GiveEachStripeItsOwnCacheLines) {
  EXPECT_EQ(alignof(rg_attempt_stripe), 64u);
  EXPECT_EQ(sizeof(rg_attempt_stripe) % 64, 0u);
}

}  // namespace
