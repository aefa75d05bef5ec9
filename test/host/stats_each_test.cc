// SPDX-License-Identifier: Apache-2.0

// All targets at once, and what their counters say of retries.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>

#include "host/call_fixture.h"
#include "host/clock.h"
#include "host/delays.h"
#include "retry_guard/retry_guard.h"
#include "support/race.h"

namespace rg_test {
namespace {

using AllStats = std::map<std::string, retry_guard_stats>;

AllStats Each() {
  AllStats all;
  EXPECT_EQ(
      retry_guard_stats_each(
          [](const char *target, const retry_guard_stats *stats, void *arg) {
            auto *found = static_cast<AllStats *>(arg);
            EXPECT_TRUE(found->emplace(target, *stats).second) << target;
          },
          &all),
      RETRY_GUARD_OK);
  return all;
}

class StatsEach : public testing::Test {
 protected:
  ~StatsEach() override { rg_target_release(target_); }

  // A call that fails `failures` times, then ends OK.
  void Call(int failures) {
    rg_test::Call call(target_, nullptr, true, &now_);
    call.Bind(&method_);
    for (int i = 0; i < failures; i++) call.Try(kUnavailable);
    call.Try(0);
    call.End(0);
  }

  const std::string name_ = FreshName("stats-each");
  rg_target *target_ = rg_target_acquire(name_.c_str());
  rg_method_policy method_ = Method(Unlimited());
  uint64_t now_ = rg_clock_now();
};

TEST_F(StatsEach, VisitsTargetsThatGuardedCallsWentTo) {
  EXPECT_EQ(Each().count(name_), 0u);
  Call(2);
  AllStats all = Each();
  ASSERT_EQ(all.count(name_), 1u);
  EXPECT_EQ(all[name_].size, sizeof(retry_guard_stats));
  EXPECT_EQ(all[name_].attempts, 3u);
}

TEST_F(StatsEach, WantsAVisitor) {
  EXPECT_EQ(retry_guard_stats_each(nullptr, nullptr),
            RETRY_GUARD_INVALID_ARGUMENT);
}

TEST_F(StatsEach, KeepsTheTargetThatIsVisited) {
  Call(0);
  struct Visit {
    std::string name;
    rg_target *target;
    bool seen;
  } visit = {name_, target_, false};
  retry_guard_stats_each(
      [](const char *target, const retry_guard_stats *, void *arg) {
        auto *v = static_cast<Visit *>(arg);
        if (target != v->name) return;
        // Its channel goes, and so many others that it would have gone, too.
        rg_target_release(v->target);
        for (int i = 0; i < 2 * RG_TARGETS_IDLE_MAX; i++)
          rg_target_release(rg_target_acquire(FreshName("crowd").c_str()));
        EXPECT_EQ(v->name, target) << "still there";
        v->target = rg_target_acquire(target);
        v->seen = true;
      },
      &visit);
  EXPECT_TRUE(visit.seen);
  EXPECT_EQ(visit.target, target_) << "the same one";
}

TEST_F(StatsEach, MayBeNested) {
  Call(0);
  struct Visit {
    std::string name;
    size_t seen;
  } visit = {name_, 0};
  retry_guard_stats_each(
      [](const char *target, const retry_guard_stats *, void *arg) {
        auto *v = static_cast<Visit *>(arg);
        if (target == v->name) v->seen += Each().count(target);
      },
      &visit);
  EXPECT_EQ(visit.seen, 1u);
}

TEST_F(StatsEach, NeverDecreaseWhileOthersWrite) {
  Call(0);
  std::atomic<int> writers{3};
  Race(4, [&](int thread) {
    if (thread > 0) {
      uint64_t now = rg_clock_now();
      for (int i = 0; i < 2000; i++) {
        rg_test::Call call(target_, nullptr, true, &now);
        call.Bind(&method_);
        call.Try(kUnavailable);
        call.Try(0);
        call.End(0);
      }
      writers--;
      return;
    }
    retry_guard_stats before = {};
    do {
      retry_guard_stats stats = Each()[name_];
      EXPECT_GE(stats.calls, before.calls);
      EXPECT_GE(stats.attempts, before.attempts);
      EXPECT_GE(stats.retries, before.retries);
      EXPECT_GE(stats.delay_ms, before.delay_ms);
      before = stats;
    } while (writers > 0);
  });
  EXPECT_EQ(Each()[name_].attempts, 12001u);
}

TEST_F(StatsEach, CountTheDelaysOfRetries) {
  Call(2);
  retry_guard_stats stats = Each()[name_];
  uint64_t sum = 0;
  for (uint64_t count : stats.delays) sum += count;
  EXPECT_EQ(sum, 2u);
  EXPECT_EQ(stats.retries, 2u);
}

TEST_F(StatsEach, SayHowMuchTheRetriesAmplify) {
  Call(0);
  EXPECT_EQ(Each()[name_].amplification_milli, 0u);
  Call(3);
  Call(0);
  EXPECT_EQ(Each()[name_].amplification_milli, 1000u) << "3 for 3 calls";
  EXPECT_FALSE(Each()[name_].amplification_alarm);
}

TEST_F(StatsEach, TellOfTheAlarm) {
  method_.policy.amplification_alarm_milli = 200;
  // The past, so that the present is a minute later.
  now_ -= 70 * kSecond;
  for (int i = 0; i < 65; i++) {
    now_ += kSecond;
    Call(1);
  }
  EXPECT_TRUE(Each()[name_].amplification_alarm);
}

TEST(Delays, AreCountedByTheirBounds) {
  rg_delays delays = {};
  for (uint64_t ms : {0u, 1u, 2u, 5u, 10001u}) rg_delays_add(&delays, ms);
  EXPECT_EQ(delays.counts[0], 2u);
  EXPECT_EQ(delays.counts[1], 2u);
  EXPECT_EQ(delays.counts[RETRY_GUARD_DELAY_BUCKETS - 1], 1u);
  EXPECT_EQ(delays.sum_ms, 10009u);
}

TEST(Delays, HaveBoundsThatRise) {
  for (size_t i = 1; i < RETRY_GUARD_DELAY_BUCKETS; i++)
    EXPECT_GT(retry_guard_delay_bound_ms(i), retry_guard_delay_bound_ms(i - 1));
  EXPECT_EQ(retry_guard_delay_bound_ms(RETRY_GUARD_DELAY_BUCKETS - 1),
            UINT64_MAX);
  EXPECT_EQ(retry_guard_delay_bound_ms(1000), UINT64_MAX);
}

}  // namespace
}  // namespace rg_test
