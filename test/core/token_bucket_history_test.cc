// SPDX-License-Identifier: Apache-2.0

// Random histories of the token bucket, against a naive model and against what
// it promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "core/token_bucket.h"
#include "support/naive_token_bucket.h"
#include "support/random.h"
#include "support/token_bucket_fixture.h"
#include "support/wild_clock.h"

namespace {

class TokenBucketHistory : public rg_test::TokenBucketFixture {
 protected:
  static constexpr uint64_t kStarts[] = {
      0, kEpochWrap - kHour, 5 * kEpochWrap - kHour, UINT64_MAX - 3 * kDay};

  static inline const rg_token_bucket_policy kPolicies[] = {
      Policy(100, 1000), Policy(333, 0, 20000), Policy(600, 5000),
      Policy(1000, 1000, 50000)};
};

// In every interval takes <= tokens at its start + earnings in it. That is to
// say: takes - earnings never exceed the smallest that any earlier start
// allows, level + takes - earnings as they stood then.
class Promise {
 public:
  void Start(uint64_t level) {
    allowed_ = std::min(allowed_, static_cast<int64_t>(level) + balance_);
  }
  void Earn(uint32_t ratio_milli) { balance_ -= ratio_milli; }
  void Take() { balance_ += 1000; }
  void Refund() { balance_ -= 1000; }
  // Time stepped back, and what it had forfeited meanwhile is there again.
  void Return(uint64_t milli) { allowed_ += static_cast<int64_t>(milli); }
  bool Holds() const { return balance_ <= allowed_; }

 private:
  int64_t balance_ = 0;  // takes - earnings
  int64_t allowed_ = INT64_MAX / 2;
};

enum Event { kTake, kRefund, kEarn };

// Calls come in tides: storms drain what calm times earn.
Event NextEvent(int number, rg_test::Random *random) {
  const bool storm = number / 1000 % 3 == 1;
  const uint64_t draw = random->Below(storm ? 4 : 12);
  return draw < 2 ? kTake : draw == 2 ? kRefund : kEarn;
}

TEST_F(TokenBucketHistory, ARandomHistoryIsThatOfABucketThatIsCutAllTheTime) {
  for (uint64_t run = 0; run < 4; run++) {
    rg_test::Random random(run);
    rg_test::WildClock clock(kStarts[run], kBurst, run);
    Init(kPolicies[run], clock.now());
    rg_test::NaiveTokenBucket naive(kPolicies[run], clock.now());
    int outstanding = 0;
    for (int i = 0; i < 250000; i++) {
      clock.GoOn();
      naive.MoveTo(clock.now());
      const Event event = NextEvent(i, &random);
      if (event == kTake) {
        const bool taken = Take(clock.now());
        ASSERT_EQ(taken, naive.Take()) << run << " " << i;
        outstanding += taken ? 1 : 0;
      } else if (event == kRefund && outstanding > 0) {
        outstanding--;
        Refund();
        naive.Refund(clock.now());
      } else {
        Earn(clock.now());
        naive.Earn(clock.now());
        // Behind an amount that was earned, time stands still.
        if (random.OneIn(30)) clock.StepBackALittle();
      }
      ASSERT_EQ(Level(clock.now()), static_cast<uint64_t>(naive.Level()))
          << run << " " << i;
      ASSERT_EQ(Capacity(clock.now()),
                static_cast<uint64_t>(naive.Capacity(clock.now())))
          << run << " " << i;
    }
  }
}

TEST_F(TokenBucketHistory, ARandomHistoryKeepsThePromiseInEveryInterval) {
  for (uint64_t run = 0; run < 4; run++) {
    rg_test::Random random(run);
    rg_test::WildClock clock(kStarts[run], kBurst, run);
    Init(kPolicies[run], clock.now());
    Promise promise;
    int outstanding = 0;
    for (int i = 0; i < 250000; i++) {
      clock.GoOn();
      const uint64_t level = Level(clock.now());
      promise.Start(level);
      if (random.OneIn(30)) {
        if (random.OneIn(1000))
          clock.StepBackADay();
        else
          clock.StepBackALittle();
        const uint64_t there = Level(clock.now());
        if (there > level) promise.Return(there - level);
      }
      const Event event = NextEvent(i, &random);
      if (event == kTake) {
        if (!Take(clock.now())) continue;
        outstanding++;
        promise.Take();
      } else if (event == kRefund && outstanding > 0) {
        outstanding--;
        Refund();
        promise.Refund();
      } else {
        Earn(clock.now());
        promise.Earn(kPolicies[run].ratio_milli);
      }
      ASSERT_TRUE(promise.Holds()) << run << " " << i;
    }
  }
}

// Whatever time does, a token is earned before it is taken.
TEST_F(TokenBucketHistory, StepsOfTimeMakeNoTokens) {
  rg_test::Random random(1);
  Init(Policy(100, 1000));
  int64_t balance = 1000;
  for (int i = 0; i < 250000; i++) {
    const uint64_t now = random.Below(4 * kBurst);
    if (random.OneIn(3)) {
      if (Take(now)) balance -= 1000;
    } else {
      Earn(now);
      balance += 100;
    }
    ASSERT_GE(balance, 0) << i;
    ASSERT_LE(Level(now), static_cast<uint64_t>(balance)) << i;
  }
}

// Counted to the nanosecond, not by slots.
TEST_F(TokenBucketHistory, ARandomHistoryNeverHoldsMoreThanTheLastBurstEarned) {
  rg_test::Random random(1);
  rg_test::WildClock clock(kEpochWrap - kHour, kBurst, 1);
  Init(Policy(100, 1000), clock.now());
  std::deque<uint64_t> calls;
  for (int i = 0; i < 250000; i++) {
    clock.GoOn();
    const uint64_t now = clock.now();
    if (random.OneIn(10)) {
      Take(now);
    } else {
      Earn(now);
      calls.push_back(now);
    }
    while (!calls.empty() && now - calls.front() >= kBurst) calls.pop_front();
    ASSERT_LE(Level(now), std::max<uint64_t>(1000, 100 * calls.size())) << i;
  }
}

}  // namespace
