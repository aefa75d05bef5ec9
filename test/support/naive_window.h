// SPDX-License-Identifier: Apache-2.0

// What core/window.h promises, told the plain way: 64-bit epochs that never
// wrap, no packing, no atomics.
#ifndef RG_TEST_SUPPORT_NAIVE_WINDOW_H
#define RG_TEST_SUPPORT_NAIVE_WINDOW_H

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/window.h"

namespace rg_test {

class NaiveWindow {
 public:
  explicit NaiveWindow(uint64_t slot_ns) : slot_ns_(slot_ns) {}

  int64_t EpochAt(uint64_t now) const {
    return static_cast<int64_t>(now / slot_ns_);
  }

  void Add(int64_t amount, uint64_t now) {
    const int64_t epoch = EpochAt(now);
    Slot &slot = slots_[static_cast<size_t>(epoch % RG_WINDOW_SLOTS)];
    if (slot.epoch != epoch) slot = {epoch, 0};
    slot.amount += amount;
    total_ += amount;
  }

  int64_t Total() const { return total_; }

  int64_t Recent(uint64_t now) const { return RecentAt(EpochAt(now)); }

  // Time that stepped back a little stands still at the newest amount; after
  // a larger step what lies ahead does not count.
  int64_t RecentAt(int64_t epoch) const {
    int64_t newest = epoch;
    for (const Slot &slot : slots_)
      if (slot.amount > 0 && slot.epoch - epoch < RG_WINDOW_SLOTS)
        newest = std::max(newest, slot.epoch);
    int64_t sum = 0;
    for (const Slot &slot : slots_)
      if (slot.epoch <= newest && newest - slot.epoch < RG_WINDOW_SLOTS)
        sum += slot.amount;
    return sum;
  }

 private:
  struct Slot {
    int64_t epoch = 0;
    int64_t amount = 0;
  };

  uint64_t slot_ns_;
  int64_t total_ = 0;
  std::array<Slot, RG_WINDOW_SLOTS> slots_;
};

}  // namespace rg_test

#endif
