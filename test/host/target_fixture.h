// SPDX-License-Identifier: Apache-2.0

// What tests of targets share.
#ifndef RG_TEST_HOST_TARGET_FIXTURE_H
#define RG_TEST_HOST_TARGET_FIXTURE_H

#include <gtest/gtest.h>

#include <cstdint>

#include "host/target.h"

namespace rg_test {

class TargetTest : public testing::Test {
 protected:
  static constexpr uint64_t kSecond = UINT64_C(1000000000);
  static constexpr uint64_t kNow = 100 * kSecond;

  static rg_budget_policy Bucket(uint32_t initial_milli,
                                 uint64_t max_milli = 0) {
    rg_budget_policy policy = {};
    policy.kind = RG_BUDGET_TOKEN_BUCKET;
    policy.bucket.ratio_milli = 100;
    policy.bucket.burst_ns = 3 * kSecond;
    policy.bucket.initial_milli = initial_milli;
    policy.bucket.max_milli = max_milli;
    return policy;
  }

  static void Adopt(rg_target *target, uint64_t number,
                    const rg_budget_policy &budget) {
    rg_policy policy = {};
    policy.budget = budget;
    rg_target_adopt(target, number, &policy, kNow);
  }

  static uint64_t Adopt(rg_target *target, const rg_budget_policy &budget) {
    const uint64_t number = rg_target_next_policy_number();
    Adopt(target, number, budget);
    return number;
  }

  static bool Take(rg_target *target) {
    rg_token token = {};
    return rg_budget_take(&target->budget, kNow, &token);
  }

  static uint64_t Level(rg_target *target) {
    return rg_budget_level(&target->budget, kNow);
  }
};

}  // namespace rg_test

#endif
