// SPDX-License-Identifier: Apache-2.0
#include "core/backoff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/random.h"

namespace {

constexpr uint64_t kMax = UINT64_MAX;
constexpr uint64_t kMicro = 1000000;
constexpr uint64_t kDouble = 2 * kMicro;
// What scripted random can be at its ends.
constexpr uint64_t kLowest = 0;
constexpr uint64_t kHighest = kMax;

rg_retry_policy Retry(uint64_t initial_ms, uint64_t max_ms,
                      uint64_t multiplier_micro) {
  rg_retry_policy retry = {};
  retry.max_attempts = RG_MAX_ATTEMPTS;
  retry.initial_backoff_ms = initial_ms;
  retry.max_backoff_ms = max_ms;
  retry.multiplier_micro = multiplier_micro;
  return retry;
}

uint64_t Cap(const rg_retry_policy &retry, uint32_t n) {
  return rg_backoff_cap_ms(&retry, n);
}

// A cap that is the same for every retry.
rg_retry_policy Constant(uint64_t cap_ms) {
  return Retry(cap_ms, cap_ms, kMicro);
}

rg_pushback Pushback(rg_pushback_kind kind, uint64_t delay_ms) {
  rg_pushback pushback = {};
  pushback.kind = kind;
  pushback.delay_ms = delay_ms;
  return pushback;
}

const rg_pushback kAbsent = Pushback(RG_PUSHBACK_ABSENT, 0);

rg_delay Delay(rg_jitter jitter, uint64_t floor_ms,
               const rg_retry_policy &retry, rg_pushback pushback,
               uint64_t random, uint32_t n = 0) {
  rg_backoff_policy policy = {};
  policy.jitter = jitter;
  policy.floor_ms = floor_ms;
  return rg_backoff_delay(&policy, &retry, n, pushback, random);
}

uint64_t Full(uint64_t floor_ms, uint64_t cap_ms, rg_pushback pushback,
              uint64_t random) {
  const rg_delay delay =
      Delay(RG_JITTER_FULL, floor_ms, Constant(cap_ms), pushback, random);
  EXPECT_FALSE(delay.native);
  return delay.ms;
}

uint64_t Equal(uint64_t floor_ms, uint64_t cap_ms, uint64_t random) {
  const rg_delay delay =
      Delay(RG_JITTER_EQUAL, floor_ms, Constant(cap_ms), kAbsent, random);
  EXPECT_FALSE(delay.native);
  return delay.ms;
}

TEST(Backoff, CapDoublesUpToTheMaximum) {
  const rg_retry_policy retry = Retry(100, 10000, kDouble);
  const uint64_t expected[] = {100,  200,  400,   800,   1600,
                               3200, 6400, 10000, 10000, 10000};
  for (uint32_t n = 0; n < 10; n++) EXPECT_EQ(Cap(retry, n), expected[n]) << n;
}

// 1, 1.3, 1.69, 2.197, 2.8561, 3.71293: nothing is lost on the way.
TEST(Backoff, CapKeepsFractionsOfAMillisecond) {
  const rg_retry_policy retry = Retry(1, 1000, 1300000);
  const uint64_t expected[] = {1, 1, 1, 2, 2, 3};
  for (uint32_t n = 0; n < 6; n++) EXPECT_EQ(Cap(retry, n), expected[n]) << n;
}

TEST(Backoff, CapIsTheFormula) {
  rg_test::Random random(1);
  for (int i = 0; i < 20000; i++) {
    const uint64_t initial = 1 + random.Below(100000);
    const uint64_t max = 1 + random.Below(1000000);
    const uint64_t multiplier = 1 + random.Below(5 * kMicro);
    const uint32_t n = static_cast<uint32_t>(random.Below(RG_MAX_ATTEMPTS));
    const double exact = std::max(
        1.0, std::min(static_cast<double>(max),
                      static_cast<double>(initial) *
                          std::pow(static_cast<double>(multiplier) / kMicro,
                                   static_cast<double>(n))));
    // Rounded down, and a nanosecond may go at each step.
    const double cap =
        static_cast<double>(Cap(Retry(initial, max, multiplier), n));
    ASSERT_LE(cap, exact + 1e-6);
    ASSERT_GT(cap, exact - 1.00002)
        << initial << " " << max << " " << multiplier << " " << n;
  }
}

TEST(Backoff, CapIsMonotoneAndNeverZero) {
  const uint64_t amounts[] = {0,        1,        2,   50, 1000, kMax / 1000000,
                              kMax / 2, kMax - 1, kMax};
  const uint64_t multipliers[] = {kMicro,          kMicro + 1,  1300000,
                                  kDouble,         10 * kMicro, 1000 * kMicro,
                                  kMicro * kMicro, kMax - 1,    kMax};
  for (uint64_t initial : amounts) {
    for (uint64_t max : amounts) {
      for (uint64_t multiplier : multipliers) {
        const rg_retry_policy retry = Retry(initial, max, multiplier);
        uint64_t last = 0;
        for (uint32_t n = 0; n < 100; n++) {
          const uint64_t cap = Cap(retry, n);
          ASSERT_GE(cap, std::max<uint64_t>(last, 1))
              << initial << " " << max << " " << multiplier;
          ASSERT_LE(cap, std::max<uint64_t>(max, 1));
          last = cap;
        }
        for (uint32_t n : {1000u, UINT32_MAX - 1, UINT32_MAX})
          ASSERT_GE(Cap(retry, n), last);
      }
    }
  }
}

TEST(Backoff, AMaximumBeyondNanosecondsDoesNotOverflow) {
  for (uint64_t max : {kMax / kMicro, kMax / kMicro + 1, kMax - 1, kMax})
    EXPECT_EQ(Cap(Retry(1000, max, kDouble), 3), 8000u) << max;
}

TEST(Backoff, CapShrinksUnderAMultiplierBelowOneButNotToZero) {
  const rg_retry_policy half = Retry(100, 1000, kMicro / 2);
  const uint64_t expected[] = {100, 50, 25, 12, 6, 3, 1, 1, 1};
  for (uint32_t n = 0; n < 9; n++) EXPECT_EQ(Cap(half, n), expected[n]) << n;
  EXPECT_EQ(Cap(half, UINT32_MAX), 1u);
  EXPECT_EQ(Cap(Retry(100, 1000, 0), 0), 100u);
  EXPECT_EQ(Cap(Retry(100, 1000, 0), 1), 1u);
}

// min(50, 100), min(50, 50), min(50, 25): the maximum does not stop the
// shrinking of what is above it.
TEST(Backoff, CapShrinksFromAnInitialBackoffAboveTheMaximum) {
  const rg_retry_policy retry = Retry(100, 50, kMicro / 2);
  EXPECT_EQ(Cap(retry, 0), 50u);
  EXPECT_EQ(Cap(retry, 1), 50u);
  EXPECT_EQ(Cap(retry, 2), 25u);
  EXPECT_EQ(Cap(retry, 3), 12u);
}

TEST(Backoff, FullJitterDrawsFromTheFloorToTheCapBothIncluded) {
  EXPECT_EQ(Full(0, 100, kAbsent, kLowest), 0u);
  EXPECT_EQ(Full(0, 100, kAbsent, kHighest), 100u);
  EXPECT_EQ(Full(30, 100, kAbsent, kLowest), 30u);
  EXPECT_EQ(Full(30, 100, kAbsent, kHighest), 100u);
  EXPECT_EQ(Full(0, 1, kAbsent, kLowest), 0u);
  EXPECT_EQ(Full(0, 1, kAbsent, kHighest), 1u);
}

TEST(Backoff, AFloorAboveTheCapIsTheDelay) {
  for (uint64_t random : {kLowest, kMax / 2, kHighest}) {
    EXPECT_EQ(Full(100, 100, kAbsent, random), 100u);
    EXPECT_EQ(Full(500, 100, kAbsent, random), 500u);
    EXPECT_EQ(Full(kMax, 100, kAbsent, random), kMax);
    EXPECT_EQ(Equal(500, 100, random), 500u);
  }
}

TEST(Backoff, EqualJitterDrawsFromHalfTheCapToTheCapBothIncluded) {
  EXPECT_EQ(Equal(0, 100, kLowest), 50u);
  EXPECT_EQ(Equal(0, 100, kHighest), 100u);
  EXPECT_EQ(Equal(0, 5, kLowest), 2u);
  EXPECT_EQ(Equal(0, 5, kHighest), 5u);
  EXPECT_EQ(Equal(0, 1, kLowest), 0u);
  EXPECT_EQ(Equal(0, 1, kHighest), 1u);
}

TEST(Backoff, EqualJitterHeedsAFloorAboveHalfTheCap) {
  EXPECT_EQ(Equal(49, 100, kLowest), 50u);
  EXPECT_EQ(Equal(51, 100, kLowest), 51u);
  EXPECT_EQ(Equal(51, 100, kHighest), 100u);
}

TEST(Backoff, TheDrawFollowsTheCapOfTheRetry) {
  const rg_retry_policy retry = Retry(100, 1000, kDouble);
  const uint64_t caps[] = {100, 200, 400, 800, 1000};
  for (uint32_t n = 0; n < 5; n++) {
    EXPECT_EQ(Delay(RG_JITTER_FULL, 0, retry, kAbsent, kHighest, n).ms,
              caps[n]);
    EXPECT_EQ(Delay(RG_JITTER_EQUAL, 0, retry, kAbsent, kLowest, n).ms,
              caps[n] / 2);
  }
}

TEST(Backoff, NativeJitterIsLeftToGrpcWithItsUpperBound) {
  const rg_retry_policy retry = Retry(100, 1000, kDouble);
  for (uint64_t random : {kLowest, kHighest}) {
    const rg_delay first =
        Delay(RG_JITTER_NATIVE, 0, retry, kAbsent, random, 0);
    EXPECT_TRUE(first.native);
    EXPECT_GE(first.ms, 100u);
    const rg_delay fifth =
        Delay(RG_JITTER_NATIVE, 0, retry, kAbsent, random, 4);
    EXPECT_TRUE(fifth.native);
    EXPECT_EQ(fifth.ms, 1200u);  // 1000 and a fifth
  }
}

TEST(Backoff, NativeJitterLeavesAServersDelayAsItIs) {
  for (uint64_t asked : {UINT64_C(0), UINT64_C(7), kMax}) {
    const rg_delay delay = Delay(RG_JITTER_NATIVE, 0, Constant(100),
                                 Pushback(RG_PUSHBACK_DELAY, asked), kHighest);
    EXPECT_TRUE(delay.native);
    EXPECT_EQ(delay.ms, asked);
  }
}

// Never earlier than asked, and spread over the cap.
TEST(Backoff, AServersDelayIsObeyedAndTheDrawAdded) {
  const rg_pushback pushback = Pushback(RG_PUSHBACK_DELAY, 1000);
  EXPECT_EQ(Full(0, 100, pushback, kLowest), 1000u);
  EXPECT_EQ(Full(0, 100, pushback, kHighest), 1100u);
}

TEST(Backoff, EqualJitterSpreadsAServersDelayOverTheWholeCap) {
  const rg_pushback pushback = Pushback(RG_PUSHBACK_DELAY, 1000);
  EXPECT_EQ(Delay(RG_JITTER_EQUAL, 0, Constant(100), pushback, kLowest).ms,
            1000u);
  EXPECT_EQ(Delay(RG_JITTER_EQUAL, 0, Constant(100), pushback, kHighest).ms,
            1100u);
}

// Equal jitter tells them apart: half the cap applies to the server's silence
// only.
TEST(Backoff, AServersDelayOfZeroIsNotTheSameAsNone) {
  const rg_pushback zero = Pushback(RG_PUSHBACK_DELAY, 0);
  EXPECT_EQ(Delay(RG_JITTER_EQUAL, 0, Constant(100), zero, kLowest).ms, 0u);
  EXPECT_EQ(Delay(RG_JITTER_EQUAL, 0, Constant(100), kAbsent, kLowest).ms, 50u);
  EXPECT_EQ(Delay(RG_JITTER_EQUAL, 0, Constant(100), zero, kHighest).ms, 100u);
  EXPECT_EQ(Delay(RG_JITTER_NATIVE, 0, Constant(100), zero, kLowest).ms, 0u);
}

TEST(Backoff, AServersDelayDoesNotUndercutTheFloor) {
  EXPECT_EQ(Full(50, 100, Pushback(RG_PUSHBACK_DELAY, 0), kLowest), 50u);
  EXPECT_EQ(Full(50, 100, Pushback(RG_PUSHBACK_DELAY, 0), kHighest), 100u);
  EXPECT_EQ(Full(50, 100, Pushback(RG_PUSHBACK_DELAY, 60), kLowest), 60u);
}

TEST(Backoff, AServersDelaySaturates) {
  EXPECT_EQ(Full(0, 100, Pushback(RG_PUSHBACK_DELAY, kMax), kHighest), kMax);
  EXPECT_EQ(Full(0, 100, Pushback(RG_PUSHBACK_DELAY, kMax - 1), kHighest),
            kMax);
  EXPECT_EQ(Full(0, 100, Pushback(RG_PUSHBACK_DELAY, kMax - 100), kHighest),
            kMax);
  EXPECT_EQ(Full(0, 100, Pushback(RG_PUSHBACK_DELAY, kMax - 101), kHighest),
            kMax - 1);
}

// The distance between the draws and the uniform distribution on [0, cap], by
// Kolmogorov and Smirnov. On whole milliseconds the distance is looked at
// where both are steps.
double DistanceFromUniform(std::vector<uint64_t> draws, uint64_t cap) {
  std::sort(draws.begin(), draws.end());
  double distance = 0;
  size_t below = 0;
  for (uint64_t ms = 0; ms <= cap; ms++) {
    while (below < draws.size() && draws[below] <= ms) below++;
    const double seen =
        static_cast<double>(below) / static_cast<double>(draws.size());
    const double expected =
        static_cast<double>(ms + 1) / static_cast<double>(cap + 1);
    distance = std::max(distance, std::abs(seen - expected));
  }
  return distance;
}

constexpr int kDraws = 5000;

// The distance that true draws exceed once in a hundred times.
const double kCritical = 1.63 / std::sqrt(static_cast<double>(kDraws));

std::vector<uint64_t> FirstRetries(const rg_retry_policy &retry,
                                   rg_jitter jitter) {
  rg_test::Random random(1);
  std::vector<uint64_t> draws;
  for (int i = 0; i < kDraws; i++)
    draws.push_back(Delay(jitter, 0, retry, kAbsent, random.Bits()).ms);
  return draws;
}

TEST(Backoff, FirstRetriesAreUniformFromZeroToTheCap) {
  for (uint64_t cap : {1u, 7u, 50u, 100u, 9999u}) {
    const std::vector<uint64_t> draws =
        FirstRetries(Retry(cap, 100000, kDouble), RG_JITTER_FULL);
    EXPECT_LE(*std::max_element(draws.begin(), draws.end()), cap);
    EXPECT_LT(DistanceFromUniform(draws, cap), kCritical) << cap;
  }
}

TEST(Backoff, TheTestOfUniformityTellsOtherJittersApart) {
  EXPECT_GT(
      DistanceFromUniform(
          FirstRetries(Retry(100, 100000, kDouble), RG_JITTER_EQUAL), 100),
      kCritical);
  EXPECT_GT(DistanceFromUniform(
                FirstRetries(Retry(95, 100000, kDouble), RG_JITTER_FULL), 100),
            kCritical);
}

}  // namespace
