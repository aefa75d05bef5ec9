// SPDX-License-Identifier: Apache-2.0

// One token bucket, and the verbs that its tests are written in.
#ifndef RG_TEST_SUPPORT_TOKEN_BUCKET_FIXTURE_H
#define RG_TEST_SUPPORT_TOKEN_BUCKET_FIXTURE_H

#include <gtest/gtest.h>

#include <cstdint>

#include "core/token_bucket.h"
#include "support/wild_clock.h"

namespace rg_test {

class TokenBucketFixture : public testing::Test {
 protected:
  static constexpr uint64_t kSecond = UINT64_C(1000000000);
  static constexpr uint64_t kBurst = 3 * kSecond;
  static constexpr uint64_t kSlotNs = kBurst / RG_WINDOW_SLOTS;
  static constexpr uint64_t kHour = 3600 * kSecond;
  static constexpr uint64_t kDay = 24 * kHour;
  static constexpr uint64_t kEpochWrap = WildClock::EpochWrap(kBurst, 1);
  static constexpr uint64_t kNow = 100 * kSecond;

  static rg_token_bucket_policy Policy(uint32_t ratio_milli,
                                       uint32_t initial_milli,
                                       uint64_t max_milli = 0) {
    rg_token_bucket_policy policy = {};
    policy.ratio_milli = ratio_milli;
    policy.burst_ns = kBurst;
    policy.initial_milli = initial_milli;
    policy.max_milli = max_milli;
    return policy;
  }

  // As a new target has it.
  void Init(const rg_token_bucket_policy &policy, uint64_t now = kNow) {
    rg_token_bucket_init(&bucket_, &policy, policy.initial_milli, 0, now);
  }

  void Earn(uint64_t now) { rg_token_bucket_earn(&bucket_, now); }
  void Earn(int calls, uint64_t now) {
    for (int i = 0; i < calls; i++) Earn(now);
  }
  bool Take(uint64_t now) { return rg_token_bucket_take(&bucket_, now); }
  void Refund() { rg_token_bucket_refund(&bucket_); }
  uint64_t Level(uint64_t now) { return rg_token_bucket_level(&bucket_, now); }
  uint64_t Capacity(uint64_t now) {
    return rg_token_bucket_capacity(&bucket_, now);
  }

  // Takes until nothing is left.
  int Drain(uint64_t now) {
    int taken = 0;
    while (taken < 1000000 && Take(now)) taken++;
    return taken;
  }

  rg_token_bucket bucket_;
};

}  // namespace rg_test

#endif
