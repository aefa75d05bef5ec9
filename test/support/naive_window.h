// SPDX-License-Identifier: Apache-2.0

// What core/window.h promises, told the plain way: 64-bit epochs that never
// wrap, a sum over the amounts of each, no atomics.
#ifndef RG_TEST_SUPPORT_NAIVE_WINDOW_H
#define RG_TEST_SUPPORT_NAIVE_WINDOW_H

#include <algorithm>
#include <cstdint>
#include <map>

#include "core/window.h"

namespace rg_test {

class NaiveWindow {
 public:
  explicit NaiveWindow(uint64_t slot_ns) : slot_ns_(slot_ns) {}

  int64_t EpochAt(uint64_t now) const {
    return static_cast<int64_t>(now / slot_ns_);
  }

  void Add(int64_t amount, uint64_t now) {
    if (amount == 0) return;
    const int64_t epoch = EpochAt(now);
    if (IsLeftBehindBy(epoch)) amounts_.clear();
    amounts_[epoch] += amount;
    total_ += amount;
    amounts_.erase(amounts_.begin(),
                   amounts_.upper_bound(Newest() - RG_WINDOW_SLOTS));
  }

  int64_t Total() const { return total_; }

  int64_t Recent(uint64_t now) const { return RecentAt(EpochAt(now)); }

  // Time that stepped back by no more than a span stands still at the newest
  // amount; after a larger step what lies ahead does not count.
  int64_t RecentAt(int64_t epoch) const {
    if (amounts_.empty() || IsLeftBehindBy(epoch)) return 0;
    int64_t sum = 0;
    for (const auto &[at, amount] : amounts_)
      if (at > std::max(epoch, Newest()) - RG_WINDOW_SLOTS) sum += amount;
    return sum;
  }

 private:
  int64_t Newest() const { return amounts_.rbegin()->first; }

  bool IsLeftBehindBy(int64_t epoch) const {
    return !amounts_.empty() && epoch < Newest() - RG_WINDOW_SLOTS;
  }

  uint64_t slot_ns_;
  int64_t total_ = 0;
  std::map<int64_t, int64_t> amounts_;  // by epoch
};

}  // namespace rg_test

#endif
