// SPDX-License-Identifier: Apache-2.0

// As gRPC 1.51.1 retries: ShouldRetry and StartRetryTimer in retry_filter.cc,
// retry_throttle.cc, and backoff.cc.
#include "sim/native.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "core/outcome.h"

namespace {

constexpr uint64_t kMs = 1000000;
constexpr uint32_t kInvalidArgument = 3;
constexpr rg_pushback kAbsent = {RG_PUSHBACK_ABSENT, 0};
constexpr rg_pushback kStop = {RG_PUSHBACK_STOP, 0};

constexpr rg_pushback After(uint64_t ms) { return {RG_PUSHBACK_DELAY, ms}; }

class Native : public testing::Test {
 protected:
  // Whether a retry follows an attempt that ended so; its delay is in `delay_`.
  bool Retries(uint32_t status = RG_STATUS_UNAVAILABLE,
               rg_pushback pushback = kAbsent) {
    return rg_native_attempt_ended(&call_, &throttle_, &retry_, status,
                                   pushback, &dice_, &delay_);
  }
  // The first attempt of a call of its own.
  bool NextCallRetries(uint32_t status = RG_STATUS_UNAVAILABLE,
                       rg_pushback pushback = kAbsent) {
    call_ = {};
    return Retries(status, pushback);
  }
  uint64_t Delay(rg_pushback pushback = kAbsent) {
    EXPECT_TRUE(Retries(RG_STATUS_UNAVAILABLE, pushback));
    return delay_;
  }
  void Throttle(uint64_t max_milli, uint64_t ratio_milli) {
    const rg_throttling policy = {max_milli, ratio_milli};
    rg_native_throttle_init(&throttle_, &policy);
  }

  rg_retry_policy retry_ = {5, 1u << RG_STATUS_UNAVAILABLE, 100, 1000, 2000000};
  rg_native_retries call_ = {};
  rg_native_throttle throttle_ = {};
  rg_dice dice_ = {1};
  uint64_t delay_ = 0;
};

TEST_F(Native, RetriesWhatIsRetryable) {
  EXPECT_TRUE(NextCallRetries(RG_STATUS_UNAVAILABLE));
  EXPECT_FALSE(NextCallRetries(RG_STATUS_OK));
  EXPECT_FALSE(NextCallRetries(kInvalidArgument));
}

TEST_F(Native, RetriesNothingWithoutARetryPolicy) {
  Throttle(10000, 100);
  for (uint32_t status : {RG_STATUS_OK, RG_STATUS_UNAVAILABLE})
    EXPECT_FALSE(rg_native_attempt_ended(&call_, &throttle_, nullptr, status,
                                         kAbsent, &dice_, &delay_));
  EXPECT_EQ(throttle_.milli, 10000u);
}

TEST_F(Native, MakesNoMoreAttemptsThanItsMaximum) {
  for (uint32_t most : {2u, 3u, 5u}) {
    retry_.max_attempts = most;
    call_ = {};
    uint32_t attempts = 1;
    while (Retries()) attempts++;
    EXPECT_EQ(attempts, most);
  }
}

// ---- Backoff ----

TEST_F(Native, FirstRetryComesAfterTheInitialBackoffExactly) {
  for (uint64_t seed = 0; seed < 100; seed++) {
    dice_ = {seed};
    call_ = {};
    EXPECT_EQ(Delay(), 100 * kMs);
  }
}

// gRPC cuts only what has grown.
TEST_F(Native, FirstRetryIsNotCutToTheMaximum) {
  retry_.max_backoff_ms = 50;
  EXPECT_EQ(Delay(), 100 * kMs);
  EXPECT_LE(Delay(), 60 * kMs);
}

TEST_F(Native, LaterRetriesComeAFifthSoonerOrLaterThanTheirBackoff) {
  double least[3] = {9, 9, 9}, most[3] = {}, sum[3] = {};
  for (uint64_t seed = 0; seed < 2000; seed++) {
    dice_ = {seed};
    call_ = {};
    Delay();
    for (int i = 0; i < 3; i++) {
      const auto delay = static_cast<double>(Delay()) / (200e6 * (1 << i));
      least[i] = std::min(least[i], delay);
      most[i] = std::max(most[i], delay);
      sum[i] += delay;
    }
  }
  for (int i = 0; i < 3; i++) {
    EXPECT_NEAR(least[i], 0.8, 0.005);
    EXPECT_NEAR(most[i], 1.2, 0.005);
    EXPECT_NEAR(sum[i] / 2000, 1, 0.01);
  }
}

// The jitter comes on top: it may be later than maxBackoff.
TEST_F(Native, BackoffGrowsUpToTheMaximum) {
  retry_.multiplier_micro = 100000000;
  bool later = false, sooner = false;
  for (uint64_t seed = 0; seed < 100; seed++) {
    dice_ = {seed};
    call_ = {};
    Delay();
    for (int i = 0; i < 3; i++) {
      const uint64_t delay = Delay();
      EXPECT_GE(delay, 800 * kMs);
      EXPECT_LE(delay, 1200 * kMs);
      (delay > 1000 * kMs ? later : sooner) = true;
    }
  }
  EXPECT_TRUE(later && sooner);
}

TEST_F(Native, PushbackIsObeyedToTheMillisecond) {
  EXPECT_EQ(Delay(After(7)), 7 * kMs);
  EXPECT_EQ(Delay(After(0)), 0u);
  EXPECT_EQ(Delay(After(5000)), 5000 * kMs);  // maxBackoff or not
}

TEST_F(Native, PushbackLetsTheBackoffBeginAnew) {
  EXPECT_EQ(Delay(), 100 * kMs);
  EXPECT_GE(Delay(), 160 * kMs);
  EXPECT_EQ(Delay(After(7)), 7 * kMs);
  EXPECT_EQ(Delay(), 100 * kMs);
}

TEST_F(Native, PushbackThatSaysNoEndsTheCall) {
  EXPECT_FALSE(Retries(RG_STATUS_UNAVAILABLE, kStop));
}

TEST_F(Native, PushbackIsNoReasonToRetryWhatIsNotRetryable) {
  EXPECT_FALSE(NextCallRetries(kInvalidArgument, After(7)));
  EXPECT_FALSE(NextCallRetries(RG_STATUS_OK, After(7)));
}

TEST_F(Native, PushbackIsAnAttemptLikeAnother) {
  retry_.max_attempts = 2;
  EXPECT_TRUE(Retries(RG_STATUS_UNAVAILABLE, After(7)));
  EXPECT_FALSE(Retries(RG_STATUS_UNAVAILABLE, After(7)));
}

// ---- Throttling ----

// 10 tokens: after 4 failures 6 are left, after 5 it is half of them.
TEST_F(Native, RetriesWhileMoreThanHalfOfTheTokensAreLeft) {
  Throttle(10000, 100);
  for (int i = 0; i < 4; i++) EXPECT_TRUE(NextCallRetries()) << i;
  EXPECT_EQ(throttle_.milli, 6000u);
  EXPECT_FALSE(NextCallRetries());
  EXPECT_EQ(throttle_.milli, 5000u);
}

// gRPC halves integers: of 3.001 tokens, 1.5 are half.
TEST_F(Native, HalfOfTheTokensIsRoundedDown) {
  Throttle(3001, 100);
  EXPECT_TRUE(NextCallRetries());  // 2.001 > 1.5
  Throttle(1, 1);
  EXPECT_FALSE(NextCallRetries());  // 0 > 0 does not hold
}

TEST_F(Native, FailuresCostNoTokenThatIsNotThere) {
  Throttle(10000, 100);
  for (int i = 0; i < 100; i++) NextCallRetries();
  EXPECT_EQ(throttle_.milli, 0u);
}

TEST_F(Native, SuccessesBringTheRatioUpToTheMaximum) {
  Throttle(10000, 300);
  for (int i = 0; i < 5; i++) NextCallRetries();
  for (int i = 0; i < 4; i++) NextCallRetries(RG_STATUS_OK);
  EXPECT_EQ(throttle_.milli, 6200u);
  EXPECT_TRUE(NextCallRetries());  // 5.2
  for (int i = 0; i < 100; i++) NextCallRetries(RG_STATUS_OK);
  EXPECT_EQ(throttle_.milli, 10000u);
}

TEST_F(Native, NothingIsThrottledZeroed) {
  for (int i = 0; i < 1000; i++) EXPECT_TRUE(NextCallRetries());
  NextCallRetries(RG_STATUS_OK);
  EXPECT_TRUE(NextCallRetries());
}

// The order of gRPC's checks decides what costs a token: what is retryable
// does, whatever else forbids the retry; what is not does not.
TEST_F(Native, OnlyWhatIsRetryableCostsATokenAndAllThatIs) {
  Throttle(10000, 100);
  NextCallRetries(kInvalidArgument);
  EXPECT_EQ(throttle_.milli, 10000u);
  NextCallRetries(RG_STATUS_UNAVAILABLE, kStop);
  EXPECT_EQ(throttle_.milli, 9000u);
  call_.attempts = 4;
  EXPECT_FALSE(Retries());
  EXPECT_EQ(throttle_.milli, 8000u);
}

TEST_F(Native, ThrottlingForbidsARetryThatAServerAskedFor) {
  Throttle(2000, 100);
  EXPECT_FALSE(NextCallRetries(RG_STATUS_UNAVAILABLE, After(7)));
}

TEST_F(Native, ThrottlingIsOneForAllCallsOfAChannel) {
  Throttle(10000, 100);
  while (NextCallRetries()) {
  }
  EXPECT_FALSE(NextCallRetries());
  rg_native_retries another = {};
  EXPECT_FALSE(rg_native_attempt_ended(&another, &throttle_, &retry_,
                                       RG_STATUS_UNAVAILABLE, kAbsent, &dice_,
                                       &delay_));
}

}  // namespace
