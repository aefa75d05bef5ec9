// SPDX-License-Identifier: Apache-2.0

// One retry window, and the verbs that its tests are written in.
#ifndef RG_TEST_SUPPORT_RETRY_WINDOW_FIXTURE_H
#define RG_TEST_SUPPORT_RETRY_WINDOW_FIXTURE_H

#include <gtest/gtest.h>

#include <cstdint>

#include "core/retry_window.h"
#include "support/wild_clock.h"

namespace rg_test {

class RetryWindowFixture : public testing::Test {
 protected:
  static constexpr uint64_t kSecond = UINT64_C(1000000000);
  static constexpr uint64_t kInterval = 10 * kSecond;
  static constexpr uint64_t kSlots = RG_WINDOW_SLOTS;
  static constexpr uint64_t kSlotNs = kInterval / kSlots;
  static constexpr uint64_t kDay = 86400 * kSecond;
  static constexpr uint64_t kEpochWrap = WildClock::EpochWrap(kInterval, 1);
  static constexpr uint64_t kNow = 100 * kSecond;

  static rg_retry_window_policy Policy(uint32_t percent,
                                       uint64_t min_retries_milli) {
    rg_retry_window_policy policy = {};
    policy.percent = percent;
    policy.interval_ns = kInterval;
    policy.min_retries_milli = min_retries_milli;
    return policy;
  }

  void Init(const rg_retry_window_policy &policy, uint64_t now = kNow) {
    rg_retry_window_init(&window_, &policy, 0, 0, now);
  }

  void Begin(uint64_t now) { rg_retry_window_begin(&window_, now); }
  void Begin(int calls, uint64_t now) {
    for (int i = 0; i < calls; i++) Begin(now);
  }
  bool Take(uint64_t now, uint32_t *epoch) {
    return rg_retry_window_take(&window_, now, epoch);
  }
  bool Take(uint64_t now) {
    uint32_t epoch = 0;
    return Take(now, &epoch);
  }
  void Refund(uint32_t epoch) { rg_retry_window_refund(&window_, epoch); }
  rg_retry_window_reading Read(uint64_t now) {
    return rg_retry_window_read(&window_, now);
  }

  // Takes until nothing is left.
  int Drain(uint64_t now) {
    int taken = 0;
    while (taken < 1000000 && Take(now)) taken++;
    return taken;
  }

  rg_retry_window window_;
};

}  // namespace rg_test

#endif
