// SPDX-License-Identifier: Apache-2.0

// What core/retry_window.h promises, with a count for each slot, in plain
// numbers.
#ifndef RG_TEST_SUPPORT_NAIVE_RETRY_WINDOW_H
#define RG_TEST_SUPPORT_NAIVE_RETRY_WINDOW_H

#include <algorithm>
#include <cstdint>
#include <map>

#include "core/retry_window.h"
#include "support/naive_window.h"

namespace rg_test {

class NaiveRetryWindow {
 public:
  NaiveRetryWindow(const rg_retry_window_policy &policy, uint64_t now)
      : policy_(policy),
        calls_(policy.interval_ns / RG_WINDOW_SLOTS),
        epoch_(calls_.EpochAt(now)) {}

  // As if so many calls and retries had just been seen.
  void Pretend(int64_t calls, int64_t retries, uint64_t now) {
    calls_.Add(calls, now);
    retries_[epoch_] += retries;
  }

  void Begin(uint64_t now) { calls_.Add(1, now); }

  // Small steps back are none; a large one leaves a window without retries.
  void MoveTo(uint64_t now) {
    const int64_t epoch = calls_.EpochAt(now);
    if (epoch < epoch_ - RG_RETRY_WINDOW_MARKS) retries_.clear();
    if (epoch > epoch_ || epoch < epoch_ - RG_RETRY_WINDOW_MARKS)
      epoch_ = epoch;
    while (!retries_.empty() &&
           retries_.begin()->first < epoch_ - RG_WINDOW_SLOTS)
      retries_.erase(retries_.begin());
  }

  // How many slots `now` lies behind the furthest that counts.
  int64_t Behind(uint64_t now) const { return epoch_ - calls_.EpochAt(now); }

  int64_t Left() const {
    int64_t left = static_cast<int64_t>(policy_.min_retries_milli);
    left += calls_.RecentAt(epoch_) * policy_.percent * 10;
    for (const auto &[epoch, count] : retries_) left -= count * 1000;
    return std::max<int64_t>(left, 0);
  }

  // Returns when, for the refund.
  int64_t Take() {
    retries_[epoch_]++;
    return epoch_;
  }

  void Refund(int64_t epoch) {
    const auto found = retries_.find(epoch);
    if (found != retries_.end()) found->second--;
  }

 private:
  rg_retry_window_policy policy_;
  NaiveWindow calls_;
  int64_t epoch_;
  std::map<int64_t, int64_t> retries_;
};

}  // namespace rg_test

#endif
