// SPDX-License-Identifier: Apache-2.0

// A virtual clock for random histories: it mostly goes on by little, leaps now
// and then, and steps back.
#ifndef RG_TEST_SUPPORT_WILD_CLOCK_H
#define RG_TEST_SUPPORT_WILD_CLOCK_H

#include <algorithm>
#include <cstdint>

#include "support/random.h"

namespace rg_test {

class WildClock {
 public:
  static constexpr uint64_t kDayNs = UINT64_C(86400) * 1000000000;

  // `span_ns` is that of the window under test; 32-bit counts of its slots wrap
  // at EpochWrap(span_ns, 1), EpochWrap(span_ns, 2), ...
  WildClock(uint64_t start, uint64_t span_ns, uint64_t seed)
      : span_ns_(span_ns), random_(seed), now_(start), furthest_(start) {}

  static constexpr uint64_t EpochWrap(uint64_t span_ns, uint64_t times) {
    return times * (UINT64_C(1) << 32) * (span_ns / 10);
  }

  uint64_t now() const { return now_; }

  // Mostly much less than a slot, now and then some slots, rarely a day.
  void GoOn() {
    if (random_.OneIn(20000))
      Leap(kDayNs + random_.Below(kDayNs));
    else if (random_.OneIn(50))
      Leap(random_.Below(2 * span_ns_));
    else
      Leap(random_.Below(span_ns_ / 200));
  }

  void Leap(uint64_t step) {
    now_ = now_ < UINT64_MAX - step ? now_ + step : UINT64_MAX;
    furthest_ = std::max(furthest_, now_);
  }

  // To less than half a span behind the furthest that it has been.
  void StepBackALittle() {
    const uint64_t behind = random_.Below(span_ns_ / 2);
    if (furthest_ > behind) now_ = std::min(now_, furthest_ - behind);
  }

  // So far that nothing from before counts any more.
  void StepBackADay() {
    const uint64_t day = kDayNs + random_.Below(kDayNs);
    if (now_ < day) return;
    now_ -= day;
    furthest_ = now_;
  }

 private:
  uint64_t span_ns_;
  Random random_;
  uint64_t now_;
  uint64_t furthest_;
};

}  // namespace rg_test

#endif
