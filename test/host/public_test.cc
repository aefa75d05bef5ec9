// SPDX-License-Identifier: Apache-2.0

// The parts of the public API that are not about hops or the process.
#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <set>
#include <string>

#include "core/verdict.h"
#include "host/clock.h"
#include "host/fresh_name.h"
#include "host/heap_count.h"
#include "host/target.h"
#include "retry_guard/retry_guard.h"

namespace {

template <typename Enum>
Enum Outside(int value) {
  return static_cast<Enum>(value);
}

TEST(Version, IsTheHeaders) {
  const std::string expected = std::to_string(RETRY_GUARD_VERSION_MAJOR) + "." +
                               std::to_string(RETRY_GUARD_VERSION_MINOR) + "." +
                               std::to_string(RETRY_GUARD_VERSION_PATCH);
  EXPECT_EQ(retry_guard_version_string(), expected);
}

TEST(StatusString, IsASentenceOfItsOwnForEachStatus) {
  std::set<std::string> all;
  for (int status = 0; status <= RETRY_GUARD_CANNOT_LISTEN; status++) {
    const char *text =
        retry_guard_status_string(static_cast<retry_guard_status>(status));
    ASSERT_NE(text, nullptr);
    EXPECT_TRUE(isalpha(static_cast<unsigned char>(text[0]))) << text;
    EXPECT_EQ(strchr(text, '\n'), nullptr) << text;
    EXPECT_TRUE(all.insert(text).second) << text;
  }
}

TEST(StatusString, IsThereForWhatIsNoStatus) {
  std::set<std::string> all;
  for (int value : {-1, RETRY_GUARD_CANNOT_LISTEN + 1, 1 << 30})
    all.insert(retry_guard_status_string(Outside<retry_guard_status>(value)));
  EXPECT_EQ(all.size(), 1u);
  for (int status = 0; status <= RETRY_GUARD_CANNOT_LISTEN; status++)
    EXPECT_EQ(all.count(retry_guard_status_string(
                  static_cast<retry_guard_status>(status))),
              0u);
}

TEST(StopString, NamesEachReason) {
  EXPECT_STREQ(retry_guard_stop_string(RETRY_GUARD_STOP_LAYER), "layer");
  EXPECT_STREQ(retry_guard_stop_string(RETRY_GUARD_STOP_UNSAFE), "unsafe");
  EXPECT_STREQ(retry_guard_stop_string(RETRY_GUARD_STOP_COMPRESSED),
               "compressed");
  EXPECT_STREQ(retry_guard_stop_string(RETRY_GUARD_STOP_PUSHBACK), "pushback");
  EXPECT_STREQ(retry_guard_stop_string(RETRY_GUARD_STOP_BREAKER), "breaker");
  EXPECT_STREQ(retry_guard_stop_string(RETRY_GUARD_STOP_DEADLINE), "deadline");
  EXPECT_STREQ(retry_guard_stop_string(RETRY_GUARD_STOP_BUDGET), "budget");
}

TEST(StopString, IsALowerCaseNameOfItsOwnForEachReason) {
  std::set<std::string> all;
  for (int stop = 0; stop < RETRY_GUARD_STOP_COUNT; stop++) {
    const std::string name =
        retry_guard_stop_string(static_cast<retry_guard_stop>(stop));
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"),
              std::string::npos);
    EXPECT_NE(name, "unknown");
    EXPECT_TRUE(all.insert(name).second) << name;
  }
}

TEST(StopString, IsUnknownForWhatIsNoReason) {
  for (int value : {-1, static_cast<int>(RETRY_GUARD_STOP_COUNT), 1 << 30})
    EXPECT_STREQ(retry_guard_stop_string(Outside<retry_guard_stop>(value)),
                 "unknown");
}

// The numbers are in the public header and in the core.
TEST(StopString, SaysWhatTheCoreMeans) {
  EXPECT_EQ(static_cast<int>(RG_STOP_LAYER), RETRY_GUARD_STOP_LAYER);
  EXPECT_EQ(static_cast<int>(RG_STOP_UNSAFE), RETRY_GUARD_STOP_UNSAFE);
  EXPECT_EQ(static_cast<int>(RG_STOP_COMPRESSED), RETRY_GUARD_STOP_COMPRESSED);
  EXPECT_EQ(static_cast<int>(RG_STOP_PUSHBACK), RETRY_GUARD_STOP_PUSHBACK);
  EXPECT_EQ(static_cast<int>(RG_STOP_BREAKER), RETRY_GUARD_STOP_BREAKER);
  EXPECT_EQ(static_cast<int>(RG_STOP_DEADLINE), RETRY_GUARD_STOP_DEADLINE);
  EXPECT_EQ(static_cast<int>(RG_STOP_BUDGET), RETRY_GUARD_STOP_BUDGET);
  EXPECT_EQ(static_cast<int>(RG_STOP_COUNT), RETRY_GUARD_STOP_COUNT);
}

// A target of this test's own with a budget of five retries.
class Stats : public testing::Test {
 protected:
  Stats()
      : name_(rg_test::FreshName("stats")),
        short_name_(name_.substr(strlen("dns:///"))),
        target_(rg_target_acquire(name_.c_str())) {
    policy_.budget.kind = RG_BUDGET_TOKEN_BUCKET;
    policy_.budget.bucket.ratio_milli = 100;
    policy_.budget.bucket.burst_ns = UINT64_C(3000000000);
    policy_.budget.bucket.initial_milli = 5000;
    policy_.breaker.consecutive_failures = 1;
    policy_.breaker.min_requests = 1000;
    policy_.breaker.window_ns = UINT64_C(10000000000);
    policy_.breaker.cooldown_ns = UINT64_C(3600000000000);
    policy_.breaker.probes = 1;
    rg_target_adopt(target_, rg_target_next_policy_number(), &policy_,
                    rg_clock_now());
  }
  ~Stats() override { rg_target_release(target_); }

  static retry_guard_stats Sized(size_t size = sizeof(retry_guard_stats)) {
    retry_guard_stats stats = {};
    stats.size = size;
    return stats;
  }

  retry_guard_stats Get() {
    retry_guard_stats stats = Sized();
    EXPECT_EQ(retry_guard_stats_get(name_.c_str(), &stats), RETRY_GUARD_OK);
    return stats;
  }

  rg_policy policy_ = {};
  const std::string name_;
  const std::string short_name_;
  rg_target *const target_;
};

TEST_F(Stats, ShowEachCounter) {
  rg_target_counters *c = &target_->counters;
  uint64_t value = 1;
  for (auto &stop : c->stops) stop = value++;
  c->undecided_retries = value++;
  c->rejected_retries = value++;
  c->tokens_outstanding = value++;
  c->refused_remaining = value++;
  c->breaker_rejections = value++;
  c->breaker_opened = value++;
  c->breaker_half_opened = value++;
  c->breaker_closed = value++;
  c->breaker_probes = value++;
  c->breaker_stale = value++;
  c->fail_open = value++;

  const retry_guard_stats stats = Get();
  value = 1;
  for (uint64_t stop : stats.stops) EXPECT_EQ(stop, value++);
  EXPECT_EQ(stats.undecided_retries, value++);
  EXPECT_EQ(stats.rejected_retries, value++);
  EXPECT_EQ(stats.tokens_outstanding, value++);
  EXPECT_EQ(stats.refused_remaining, value++);
  EXPECT_EQ(stats.breaker_rejections, value++);
  EXPECT_EQ(stats.breaker_opened, value++);
  EXPECT_EQ(stats.breaker_half_opened, value++);
  EXPECT_EQ(stats.breaker_closed, value++);
  EXPECT_EQ(stats.breaker_probes, value++);
  EXPECT_EQ(stats.breaker_stale, value++);
  EXPECT_EQ(stats.fail_open, value++);
  EXPECT_EQ(stats.size, sizeof stats);
}

TEST_F(Stats, ShowTheAttempts) {
  const auto add = [this](rg_attempt_kind kind, rg_mark_origin origin, int n) {
    for (int i = 0; i < n; i++)
      rg_attempt_counts_add(&target_->attempts, kind, origin);
  };
  add(RG_ATTEMPT_FIRST, RG_MARK_NOT_SENT, 1);
  add(RG_ATTEMPT_FIRST, RG_MARK_MADE, 2);
  add(RG_ATTEMPT_RETRY, RG_MARK_FORWARDED, 4);
  add(RG_ATTEMPT_TRANSPARENT, RG_MARK_MADE, 8);
  const retry_guard_stats stats = Get();
  EXPECT_EQ(stats.calls, 3u);
  EXPECT_EQ(stats.retries, 4u);
  EXPECT_EQ(stats.attempts, 7u);
  EXPECT_EQ(stats.transparent_retries, 8u);
  EXPECT_EQ(stats.marks_made, 10u);
  EXPECT_EQ(stats.marks_forwarded, 4u);
}

TEST_F(Stats, ShowWhatTheBudgetHolds) {
  EXPECT_EQ(Get().budget_milli, 5000u);
  rg_token token = {};
  ASSERT_TRUE(rg_budget_take(&target_->budget, rg_clock_now(), &token));
  EXPECT_EQ(Get().budget_milli, 4000u);
}

TEST_F(Stats, ShowTheStateOfTheTargetsBreaker) {
  EXPECT_EQ(Get().breaker_state, RETRY_GUARD_BREAKER_CLOSED);
  rg_breaker *breaker = &target_->breakers.whole;
  rg_permit permit = rg_breaker_admit(breaker, rg_clock_now()).permit;
  rg_breaker_settle(breaker, &permit, RG_RESULT_FAILURE, rg_clock_now(), 0);
  EXPECT_EQ(Get().breaker_state, RETRY_GUARD_BREAKER_OPEN);
}

// The numbers are in the public header and in the core.
TEST(BreakerState, IsTheCores) {
  EXPECT_EQ(static_cast<int>(RG_BREAKER_CLOSED), RETRY_GUARD_BREAKER_CLOSED);
  EXPECT_EQ(static_cast<int>(RG_BREAKER_OPEN), RETRY_GUARD_BREAKER_OPEN);
  EXPECT_EQ(static_cast<int>(RG_BREAKER_HALF_OPEN),
            RETRY_GUARD_BREAKER_HALF_OPEN);
}

TEST_F(Stats, AreFoundWithAndWithoutTheDefaultScheme) {
  target_->counters.fail_open = 7;
  retry_guard_stats stats = Sized();
  ASSERT_EQ(retry_guard_stats_get(short_name_.c_str(), &stats), RETRY_GUARD_OK);
  EXPECT_EQ(stats.fail_open, 7u);
  EXPECT_EQ(Get().fail_open, 7u);
}

TEST_F(Stats, ATargetNamedAsAskedComesBeforeOneWithTheDefaultScheme) {
  rg_target *exact = rg_target_acquire(short_name_.c_str());
  rg_target_adopt(exact, rg_target_next_policy_number(), &policy_,
                  rg_clock_now());
  exact->counters.fail_open = 1;
  target_->counters.fail_open = 2;
  retry_guard_stats stats = Sized();
  ASSERT_EQ(retry_guard_stats_get(short_name_.c_str(), &stats), RETRY_GUARD_OK);
  EXPECT_EQ(stats.fail_open, 1u);
  rg_target_release(exact);
}

TEST_F(Stats, AreNotFoundForOtherSpellings) {
  retry_guard_stats stats = Sized();
  for (const std::string &name :
       {std::string(), short_name_ + "x", short_name_.substr(1),
        "dns:" + short_name_, "ipv4:" + short_name_, name_ + ":443"})
    EXPECT_EQ(retry_guard_stats_get(name.c_str(), &stats),
              RETRY_GUARD_NOT_FOUND)
        << name;
}

TEST_F(Stats, AreNotFoundWhileNoGuardedCallWentThere) {
  rg_target *target = rg_target_acquire("dns:///unguarded");
  retry_guard_stats stats = Sized();
  EXPECT_EQ(retry_guard_stats_get("dns:///unguarded", &stats),
            RETRY_GUARD_NOT_FOUND);
  rg_target_release(target);
}

TEST_F(Stats, OutliveTheLastChannel) {
  target_->counters.fail_open = 7;
  rg_target_release(target_);
  EXPECT_EQ(Get().fail_open, 7u);
  EXPECT_EQ(rg_target_acquire(name_.c_str()), target_);
}

TEST_F(Stats, RefuseNullAndAStructOfUnknownSize) {
  retry_guard_stats stats = Sized();
  EXPECT_EQ(retry_guard_stats_get(nullptr, &stats),
            RETRY_GUARD_INVALID_ARGUMENT);
  EXPECT_EQ(retry_guard_stats_get(name_.c_str(), nullptr),
            RETRY_GUARD_INVALID_ARGUMENT);
  for (size_t size : {size_t{0}, sizeof(retry_guard_stats) - 1,
                      sizeof(retry_guard_stats) + 1, SIZE_MAX}) {
    stats = Sized(size);
    stats.calls = 77;
    EXPECT_EQ(retry_guard_stats_get(name_.c_str(), &stats),
              RETRY_GUARD_INVALID_ARGUMENT);
    EXPECT_EQ(stats.calls, 77u);
  }
}

TEST_F(Stats, NeedNoMemoryForATargetNamedInFull) {
  if (!rg_test::EmptyHeap::IsPossible()) GTEST_SKIP();
  retry_guard_stats stats = Sized();
  retry_guard_status full = RETRY_GUARD_INVALID_SERVICE_CONFIG;
  retry_guard_status shortened = RETRY_GUARD_OK;
  {
    const rg_test::EmptyHeap heap;
    full = retry_guard_stats_get(name_.c_str(), &stats);
    shortened = retry_guard_stats_get(short_name_.c_str(), &stats);
  }
  EXPECT_EQ(full, RETRY_GUARD_OK);
  EXPECT_EQ(shortened, RETRY_GUARD_OUT_OF_MEMORY);
}

}  // namespace
