// SPDX-License-Identifier: Apache-2.0
#include "core/num.h"

#include <gtest/gtest.h>

#include <array>

#include "support/random.h"

namespace {

constexpr uint64_t kMax = UINT64_MAX;

TEST(Num, AddIsExactUpToTheMaximum) {
  EXPECT_EQ(rg_num_add(0, 0), 0u);
  EXPECT_EQ(rg_num_add(0, 1), 1u);
  EXPECT_EQ(rg_num_add(kMax - 1, 0), kMax - 1);
  EXPECT_EQ(rg_num_add(kMax - 1, 1), kMax);
  EXPECT_EQ(rg_num_add(0, kMax), kMax);
  EXPECT_EQ(rg_num_add(kMax / 2, kMax / 2), kMax - 1);
}

TEST(Num, AddStaysAtTheMaximum) {
  EXPECT_EQ(rg_num_add(kMax - 1, 2), kMax);
  EXPECT_EQ(rg_num_add(kMax, 1), kMax);
  EXPECT_EQ(rg_num_add(1, kMax), kMax);
  EXPECT_EQ(rg_num_add(kMax, kMax), kMax);
}

TEST(Num, SubIsWhatHasPassedBetweenTwoTimes) {
  EXPECT_EQ(rg_num_sub(0, 0), 0u);
  EXPECT_EQ(rg_num_sub(1, 0), 1u);
  EXPECT_EQ(rg_num_sub(kMax, 1), kMax - 1);
  EXPECT_EQ(rg_num_sub(kMax, kMax - 1), 1u);
  EXPECT_EQ(rg_num_sub(kMax, 0), kMax);
}

TEST(Num, SubOfTimesThatStepBackIsNothing) {
  EXPECT_EQ(rg_num_sub(0, 1), 0u);
  EXPECT_EQ(rg_num_sub(0, kMax), 0u);
  EXPECT_EQ(rg_num_sub(kMax - 1, kMax), 0u);
  EXPECT_EQ(rg_num_sub(kMax, kMax), 0u);
}

TEST(Num, MulIsExactUpToTheMaximum) {
  EXPECT_EQ(rg_num_mul(0, kMax), 0u);
  EXPECT_EQ(rg_num_mul(kMax, 0), 0u);
  EXPECT_EQ(rg_num_mul(kMax, 1), kMax);
  EXPECT_EQ(rg_num_mul(1, kMax - 1), kMax - 1);
  EXPECT_EQ(rg_num_mul(UINT32_MAX, UINT32_MAX), UINT64_C(0xfffffffe00000001));
  EXPECT_EQ(rg_num_mul(kMax / 2, 2), kMax - 1);
  EXPECT_EQ(rg_num_mul(kMax / 5, 5), kMax);
}

TEST(Num, MulStaysAtTheMaximum) {
  EXPECT_EQ(rg_num_mul(kMax / 2 + 1, 2), kMax);
  EXPECT_EQ(rg_num_mul(UINT64_C(1) << 32, UINT64_C(1) << 32), kMax);
  EXPECT_EQ(rg_num_mul(kMax - 1, 2), kMax);
  EXPECT_EQ(rg_num_mul(kMax, kMax), kMax);
}

TEST(Num, MulDivRoundsDown) {
  EXPECT_EQ(rg_num_mul_div(0, kMax, 1), 0u);
  EXPECT_EQ(rg_num_mul_div(1, 1, 2), 0u);
  EXPECT_EQ(rg_num_mul_div(10, 3, 4), 7u);
  EXPECT_EQ(rg_num_mul_div(kMax, 1, kMax), 1u);
  EXPECT_EQ(rg_num_mul_div(kMax - 1, 1, kMax), 0u);
}

TEST(Num, MulDivLosesNothingInBetween) {
  EXPECT_EQ(rg_num_mul_div(kMax, kMax, kMax), kMax);
  EXPECT_EQ(rg_num_mul_div(kMax, kMax - 1, kMax), kMax - 1);
  EXPECT_EQ(rg_num_mul_div(kMax, 3, 6), kMax / 2);
  rg_test::Random random(1);
  for (int i = 0; i < 10000; i++) {
    const uint64_t a = random.Bits();
    const uint64_t b = random.Bits() | 1;
    ASSERT_EQ(rg_num_mul_div(a, b, b), a) << b;
  }
}

TEST(Num, MulDivStaysAtTheMaximum) {
  EXPECT_EQ(rg_num_mul_div(kMax, kMax, kMax - 1), kMax);
  EXPECT_EQ(rg_num_mul_div(kMax, kMax, 1), kMax);
  EXPECT_EQ(rg_num_mul_div(kMax, 2, 1), kMax);
}

TEST(Num, UniformReachesBothEnds) {
  EXPECT_EQ(rg_num_uniform(0, 3, 7), 3u);
  EXPECT_EQ(rg_num_uniform(kMax, 3, 7), 7u);
  EXPECT_EQ(rg_num_uniform(0, 0, 1), 0u);
  EXPECT_EQ(rg_num_uniform(kMax, 0, 1), 1u);
  EXPECT_EQ(rg_num_uniform(0, kMax - 1, kMax), kMax - 1);
  EXPECT_EQ(rg_num_uniform(kMax, kMax - 1, kMax), kMax);
  EXPECT_EQ(rg_num_uniform(0, 0, kMax - 1), 0u);
  EXPECT_EQ(rg_num_uniform(kMax, 0, kMax - 1), kMax - 1);
  EXPECT_EQ(rg_num_uniform(kMax, 1, kMax), kMax);
}

TEST(Num, UniformOnOneValueIsThatValue) {
  for (uint64_t value : {UINT64_C(0), UINT64_C(1), kMax - 1, kMax}) {
    EXPECT_EQ(rg_num_uniform(0, value, value), value);
    EXPECT_EQ(rg_num_uniform(kMax, value, value), value);
  }
}

TEST(Num, UniformOnTheWholeRangeIsTheRandomNumber) {
  for (uint64_t bits : {UINT64_C(0), UINT64_C(1), kMax - 1, kMax})
    EXPECT_EQ(rg_num_uniform(bits, 0, kMax), bits);
}

// The 64-bit numbers in order meet the values in order, each as often.
TEST(Num, UniformGivesEachValueTheSameShare) {
  constexpr uint64_t kLow = 10;
  constexpr uint64_t kValues = 7;
  constexpr uint64_t kPerValue = 1000;
  constexpr uint64_t kStep = kMax / (kValues * kPerValue);
  std::array<uint64_t, kValues> met = {};
  for (uint64_t i = 0; i < kValues * kPerValue; i++) {
    const uint64_t value =
        rg_num_uniform(kStep / 2 + i * kStep, kLow, kLow + kValues - 1);
    ASSERT_GE(value, kLow);
    ASSERT_LT(value, kLow + kValues);
    met[value - kLow]++;
  }
  for (uint64_t count : met) EXPECT_EQ(count, kPerValue);
}

}  // namespace
