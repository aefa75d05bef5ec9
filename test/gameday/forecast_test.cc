// SPDX-License-Identifier: Apache-2.0
#include "gameday/forecast.h"

#include <gtest/gtest.h>

namespace {

constexpr double kNever = -1;

// So many retries for 1,000 calls.
rg_tally Tally(uint64_t retries, double recovery_s) {
  rg_tally tally{};
  tally.trial.amplification = static_cast<double>(retries) / 1000;
  tally.trial.review.recovered = recovery_s != kNever;
  tally.trial.review.recovery_s = recovery_s;
  return tally;
}

// Of two seeds.
class Forecast {
 public:
  Forecast(const rg_tally &one, const rg_tally &other) {
    rg_forecast_add(&forecast_, &one);
    rg_forecast_add(&forecast_, &other);
  }
  bool Amplification(uint64_t retries) const {
    rg_tally seen = Tally(retries, 0);
    return rg_forecast_amplification_is(&forecast_, &seen);
  }
  bool Recovery(double recovery_s) const {
    rg_tally seen = Tally(0, recovery_s);
    return rg_forecast_recovery_is(&forecast_, &seen);
  }

 private:
  rg_forecast forecast_{};
};

// 3 retries for a call in the mean, so 2.4 to 3.6.
TEST(Forecast, AnAmplificationIsNearTheMean) {
  Forecast forecast(Tally(2900, 0), Tally(3100, 0));
  EXPECT_FALSE(forecast.Amplification(2399));
  EXPECT_TRUE(forecast.Amplification(2401));
  EXPECT_TRUE(forecast.Amplification(3599));
  EXPECT_FALSE(forecast.Amplification(3601));
}

TEST(Forecast, AnAmplificationThatASeedHasIsRight) {
  Forecast forecast(Tally(1000, 0), Tally(4000, 0));
  EXPECT_FALSE(forecast.Amplification(999));
  EXPECT_TRUE(forecast.Amplification(1000));
  EXPECT_TRUE(forecast.Amplification(4000));
  EXPECT_FALSE(forecast.Amplification(4001));
}

// One retry for 100 calls, give or take five for 1,000.
TEST(Forecast, ASmallAmplificationIsNearEnough) {
  Forecast forecast(Tally(10, 0), Tally(10, 0));
  EXPECT_FALSE(forecast.Amplification(4));
  EXPECT_TRUE(forecast.Amplification(6));
  EXPECT_TRUE(forecast.Amplification(14));
  EXPECT_FALSE(forecast.Amplification(16));
}

// 8 to 12 s.
TEST(Forecast, ARecoveryIsNearTheRange) {
  Forecast forecast(Tally(0, 10), Tally(0, 10));
  EXPECT_FALSE(forecast.Recovery(7.9));
  EXPECT_TRUE(forecast.Recovery(8.1));
  EXPECT_TRUE(forecast.Recovery(11.9));
  EXPECT_FALSE(forecast.Recovery(12.1));
  EXPECT_FALSE(forecast.Recovery(kNever));
}

TEST(Forecast, ARecoveryAtOnceIsOneWithinHalfASecond) {
  Forecast forecast(Tally(0, 0), Tally(0, 0));
  EXPECT_TRUE(forecast.Recovery(0.4));
  EXPECT_FALSE(forecast.Recovery(0.6));
}

TEST(Forecast, WhatNeverRecoversMustNot) {
  Forecast forecast(Tally(0, kNever), Tally(0, kNever));
  EXPECT_TRUE(forecast.Recovery(kNever));
  EXPECT_FALSE(forecast.Recovery(0));
}

TEST(Forecast, WhereChanceDecidesWhetherItRecoversBothAreRight) {
  Forecast forecast(Tally(0, 10), Tally(0, kNever));
  EXPECT_TRUE(forecast.Recovery(kNever));
  EXPECT_TRUE(forecast.Recovery(11));
  EXPECT_FALSE(forecast.Recovery(20));
}

}  // namespace
