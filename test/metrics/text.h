// SPDX-License-Identifier: Apache-2.0

// The text of metrics as tests read it, and targets that it tells of.
#ifndef RG_TEST_METRICS_TEXT_H
#define RG_TEST_METRICS_TEXT_H

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "host/clock.h"
#include "host/target.h"
#include "retry_guard/metrics.h"

namespace rg_test {

inline std::string Text(
    retry_guard_metrics_format format = RETRY_GUARD_METRICS_PROMETHEUS) {
  std::string text;
  EXPECT_EQ(retry_guard_metrics_text(
                format,
                [](const char *bytes, size_t length, void *arg) {
                  EXPECT_LE(length, 4096u);
                  static_cast<std::string *>(arg)->append(bytes, length);
                  return true;
                },
                &text),
            RETRY_GUARD_OK);
  return text;
}

inline std::vector<std::string> Lines(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// What each series, by its name and labels, is at.
inline std::map<std::string, std::string> Samples(const std::string &text) {
  std::map<std::string, std::string> samples;
  for (const std::string &line : Lines(text)) {
    if (line[0] == '#') continue;
    size_t space = line.rfind(' ');
    EXPECT_TRUE(
        samples.emplace(line.substr(0, space), line.substr(space + 1)).second)
        << "twice: " << line;
  }
  return samples;
}

// A target with a policy, for as long as a channel of it would live.
class Target {
 public:
  explicit Target(const std::string &name)
      : target_(rg_target_acquire(name.c_str())) {
    rg_policy policy = {};
    policy.budget.kind = RG_BUDGET_TOKEN_BUCKET;
    policy.budget.bucket.ratio_milli = 100;
    policy.budget.bucket.burst_ns = UINT64_C(3000000000);
    policy.budget.bucket.initial_milli = 2500;
    rg_target_adopt(target_, rg_target_next_policy_number(), &policy,
                    rg_clock_now());
  }
  Target(Target &&other) noexcept : target_(other.target_) {
    other.target_ = nullptr;
  }
  ~Target() { rg_target_release(target_); }

  rg_target_counters *counters() { return &target_->counters; }

  // So many attempts of that kind began, with such a mark.
  void Began(rg_attempt_kind kind, uint64_t count,
             rg_mark_origin origin = RG_MARK_NOT_SENT) {
    target_->attempts.stripes[0].counts[kind][origin] += count;
  }
  void Called(uint64_t count) { Began(RG_ATTEMPT_FIRST, count); }

  rg_target *get() { return target_; }

 private:
  rg_target *target_;
};

}  // namespace rg_test

#endif
