// SPDX-License-Identifier: Apache-2.0
#include "sim/dice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/random.h"

namespace {

constexpr int kDraws = 200000;

TEST(Dice, GiveTheSameBitsForTheSameSeed) {
  rg_dice dice = {42}, again = {42};
  rg_test::Random reference(42);  // SplitMix64, too
  for (int i = 0; i < 100; i++) {
    const uint64_t bits = rg_dice_bits(&dice);
    EXPECT_EQ(bits, rg_dice_bits(&again));
    EXPECT_EQ(bits, reference.Bits());
  }
}

TEST(Dice, GiveOtherBitsForAnotherSeed) {
  rg_dice dice = {1}, other = {2};
  for (int i = 0; i < 100; i++)
    EXPECT_NE(rg_dice_bits(&dice), rg_dice_bits(&other));
}

TEST(Dice, SharesAreEvenlySpreadBelowOne) {
  rg_dice dice = {1};
  double sum = 0, least = 1, most = 0;
  for (int i = 0; i < kDraws; i++) {
    const double share = rg_dice_share(&dice);
    sum += share;
    least = std::min(least, share);
    most = std::max(most, share);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 0.001);
  EXPECT_GT(most, 0.999);
  EXPECT_LT(most, 1);
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
}

// Each of 7 is drawn 1/7 of the time: sigma of the count is 157.
TEST(Dice, PickEachOfAFewEquallyOften) {
  rg_dice dice = {1};
  std::vector<int> counts(7);
  for (int i = 0; i < kDraws; i++) counts.at(rg_dice_pick(&dice, 7))++;
  for (int count : counts) EXPECT_NEAR(count, kDraws / 7.0, 5 * 157);
}

TEST(Dice, PickTheOnlyOne) {
  rg_dice dice = {1};
  for (int i = 0; i < 100; i++) EXPECT_EQ(rg_dice_pick(&dice, 1), 0u);
}

TEST(Dice, PickWithinTheLargestCount) {
  rg_dice dice = {1};
  for (int i = 0; i < kDraws; i++)
    ASSERT_LT(rg_dice_pick(&dice, UINT32_MAX), UINT32_MAX);
}

// Both are the mean with this distribution: mean and standard deviation; and
// 1/e of the times are longer than it.
TEST(Dice, ExponentialTimesHaveTheMeanAndTheSpreadThatAreTheirs) {
  constexpr double kMean = 1e8;
  rg_dice dice = {1};
  double sum = 0, squares = 0;
  int longer = 0;
  for (int i = 0; i < kDraws; i++) {
    const auto time = static_cast<double>(rg_dice_exponential(&dice, kMean));
    sum += time;
    squares += time * time;
    if (time > kMean) longer++;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean / kMean, 1, 0.01);
  EXPECT_NEAR(std::sqrt(squares / kDraws - mean * mean) / kMean, 1, 0.02);
  EXPECT_NEAR(static_cast<double>(longer) / kDraws, std::exp(-1), 0.005);
}

TEST(Dice, ExponentialTimesOfNoLengthAreNone) {
  rg_dice dice = {1};
  for (int i = 0; i < 100; i++) EXPECT_EQ(rg_dice_exponential(&dice, 0), 0u);
}

}  // namespace
