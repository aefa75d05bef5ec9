// SPDX-License-Identifier: Apache-2.0

// Random histories of the retry window, against a naive model and against what
// it promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "core/retry_window.h"
#include "support/naive_retry_window.h"
#include "support/random.h"
#include "support/retry_window_fixture.h"
#include "support/wild_clock.h"

namespace {

class RetryWindowHistory : public rg_test::RetryWindowFixture {
 protected:
  static constexpr uint64_t kStarts[] = {0, kEpochWrap - 1000 * kSecond,
                                         kEpochWrap / 2 - 1000 * kSecond,
                                         UINT64_MAX - 3 * kDay};

  static inline const rg_retry_window_policy kPolicies[] = {
      Policy(20, 10000), Policy(7, 0), Policy(100, 1500), Policy(33, 123456)};
};

struct Token {
  uint32_t epoch;
  int64_t naive_epoch;
};

TEST_F(RetryWindowHistory, ARandomHistoryIsThatOfTheNaiveModel) {
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
TEST_F(RetryWindowHistory,
       ARandomHistoryKeepsThePromiseInEverySlidingInterval) {
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
TEST_F(RetryWindowHistory, SmallStepsBackKeepThePromise) {
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

}  // namespace
