// SPDX-License-Identifier: Apache-2.0

// What core/token_bucket.h promises, with a bucket that is cut to its capacity
// at every event, in plain numbers.
#ifndef RG_TEST_SUPPORT_NAIVE_TOKEN_BUCKET_H
#define RG_TEST_SUPPORT_NAIVE_TOKEN_BUCKET_H

#include <algorithm>
#include <cstdint>

#include "core/token_bucket.h"
#include "support/naive_window.h"

namespace rg_test {

class NaiveTokenBucket {
 public:
  NaiveTokenBucket(const rg_token_bucket_policy &policy, uint64_t now)
      : policy_(policy),
        earned_(policy.burst_ns / RG_WINDOW_SLOTS),
        level_(static_cast<int64_t>(policy.initial_milli)) {
    MoveTo(now);
  }

  int64_t Capacity(uint64_t now) const {
    const int64_t floor = std::max<int64_t>(1000, policy_.initial_milli);
    const int64_t capacity = std::max(floor, earned_.Recent(now));
    if (policy_.max_milli == 0) return capacity;
    return std::min(capacity, static_cast<int64_t>(policy_.max_milli));
  }

  int64_t Level() const { return level_; }

  void MoveTo(uint64_t now) { level_ = std::min(level_, Capacity(now)); }

  void Earn(uint64_t now) {
    earned_.Add(policy_.ratio_milli, now);
    level_ += policy_.ratio_milli;
    MoveTo(now);
  }

  bool Take() {
    if (level_ < 1000) return false;
    level_ -= 1000;
    return true;
  }

  void Refund(uint64_t now) {
    level_ += 1000;
    MoveTo(now);
  }

 private:
  rg_token_bucket_policy policy_;
  NaiveWindow earned_;
  int64_t level_;
};

}  // namespace rg_test

#endif
