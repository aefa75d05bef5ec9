// SPDX-License-Identifier: Apache-2.0

// More targets than metrics tell apart, and many threads that count. Who is
// named is decided for good, so each test needs a process of its own, which
// CTest gives it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "host/delays.h"
#include "host/fresh_name.h"
#include "metrics/text.h"
#include "support/race.h"

namespace rg_test {
namespace {

std::vector<Target> Targets(size_t count) {
  std::vector<Target> targets;
  for (size_t i = 0; i < count; i++) targets.emplace_back(FreshName("crowd"));
  return targets;
}

std::string Calls(const std::string &target) {
  auto samples = Samples(Text());
  auto found =
      samples.find("retry_guard_calls_total{target=\"" + target + "\"}");
  return found == samples.end() ? "none" : found->second;
}

size_t NamedTargets() {
  size_t count = 0;
  for (const auto &sample : Samples(Text()))
    count += sample.first.rfind("retry_guard_calls_total{", 0) == 0;
  return count;
}

TEST(MetricsCrowd, IsToldOfAsOne) {
  std::vector<Target> targets = Targets(RG_TARGETS_NAMED_MAX + 3);
  for (Target &target : targets) target.Called(5);
  EXPECT_EQ(NamedTargets(), RG_TARGETS_NAMED_MAX + 1u);
  EXPECT_EQ(Calls("other"), "15");
  auto samples = Samples(Text());
  EXPECT_EQ(samples["retry_guard_budget_tokens{target=\"other\"}"], "7.5");
  EXPECT_EQ(
      samples["retry_guard_breaker_state{target=\"other\",state=\"closed\"}"],
      "3");
}

TEST(MetricsCrowd, IsNotThereBeforeItIsNeeded) {
  Target target(FreshName("alone"));
  EXPECT_EQ(Calls("other"), "none");
}

// Otherwise Prometheus would take it for a restart, and see all its calls anew.
TEST(MetricsCrowd, NeverCountsLessWhenItsTargetsGo) {
  std::vector<Target> named = Targets(RG_TARGETS_NAMED_MAX);
  {
    std::vector<Target> others = Targets(2 * RG_TARGETS_IDLE_MAX);
    for (Target &target : others) {
      target.Called(3);
      rg_delays_add(&target.get()->delays, 1);
    }
  }
  EXPECT_EQ(Calls("other"), std::to_string(3 * 2 * RG_TARGETS_IDLE_MAX));
  EXPECT_EQ(Samples(Text())["retry_guard_retry_delay_seconds_count{target="
                            "\"other\"}"],
            std::to_string(2 * RG_TARGETS_IDLE_MAX));
}

// A name that is free again is for a new target, not for one whose calls were
// told of otherwise.
TEST(MetricsCrowd, KeepsATargetThatWasNotNamed) {
  std::vector<Target> named = Targets(RG_TARGETS_NAMED_MAX);
  const std::string name = FreshName("late");
  Target late(name);
  late.Called(1);
  named.clear();  // and all but some idle ones are reclaimed
  EXPECT_EQ(Calls(name), "none");
  EXPECT_EQ(Calls("other"), "1");
  const std::string fresh = FreshName("fresh");
  Target after(fresh);
  EXPECT_EQ(Calls(fresh), "0");
}

TEST(MetricsCrowd, HasTheTargetsOfLongNamesAndOfItsOwnName) {
  const std::string longest(RG_TARGET_NAMED_BYTES, 'x');
  Target good(longest);
  Target bad(longest + "x");
  Target odd("other");
  good.Called(1);
  bad.Called(2);
  odd.Called(4);
  EXPECT_EQ(Calls(longest), "1");
  EXPECT_EQ(Calls("other"), "6");
}

// ---- While others count ----------------------------------------------------

constexpr int kWriters = 64;
constexpr size_t kTargets = 1000;
constexpr uint64_t kCallsEach = 20000;

void Count(Target *target) {
  rg_attempt_counts_add(&target->get()->attempts, RG_ATTEMPT_FIRST,
                        RG_MARK_MADE);
  rg_attempt_counts_add(&target->get()->attempts, RG_ATTEMPT_RETRY,
                        RG_MARK_MADE);
  rg_delays_add(&target->get()->delays, 7);
}

bool Rises(const std::string &series) {
  for (const char *part : {"_total{", "_bucket{", "_count{", "_sum{"})
    if (series.find(part) != std::string::npos) return true;
  return false;
}

void ExpectNoneFell(const std::map<std::string, std::string> &before,
                    const std::map<std::string, std::string> &after) {
  for (const auto &[series, value] : before) {
    if (!Rises(series)) continue;
    auto found = after.find(series);
    ASSERT_NE(found, after.end()) << series;
    EXPECT_LE(std::stod(value), std::stod(found->second)) << series;
  }
}

uint64_t Sum(const std::map<std::string, std::string> &samples,
             const std::string &begin) {
  uint64_t sum = 0;
  for (const auto &[series, value] : samples)
    if (series.rfind(begin, 0) == 0) sum += std::stoull(value);
  return sum;
}

TEST(MetricsCrowd, NeverFallsWhileManyThreadsCount) {
  std::vector<Target> targets = Targets(kTargets);
  std::atomic<int> writers{kWriters};
  Race(kWriters + 1, [&](int thread) {
    if (thread > 0) {
      for (uint64_t i = 0; i < kCallsEach; i++)
        Count(&targets[(i * kWriters + static_cast<uint64_t>(thread)) %
                       kTargets]);
      writers--;
      return;
    }
    auto before = Samples(Text());
    // Ten times a second, and at least a few times on a slow machine.
    for (int scrapes = 0; writers > 0 || scrapes < 5; scrapes++) {
      auto after = Samples(Text());
      ExpectNoneFell(before, after);
      before = std::move(after);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  auto samples = Samples(Text());
  EXPECT_EQ(Sum(samples, "retry_guard_calls_total{"), kWriters * kCallsEach);
  EXPECT_EQ(Sum(samples, "retry_guard_retry_delay_seconds_count{"),
            kWriters * kCallsEach);
}

}  // namespace
}  // namespace rg_test
