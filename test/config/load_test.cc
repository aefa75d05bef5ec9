// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include <gtest/gtest.h>

#include "config/policy.h"

namespace rg_test {
namespace {

const rg_retry_policy kRetry = {4, 1u << 14, 100, 300, 2000000};

rg_policy Defaults() {
  rg_policy policy;
  rg_policy_resolve(nullptr, nullptr, &policy);
  return policy;
}

TEST(Load, RangesFromTheFloorToTheCap) {
  rg_backoff_policy backoff = {RG_JITTER_FULL, 0};
  EXPECT_EQ(rg_load_delay(&backoff, &kRetry, 0).low_ms, 0u);
  EXPECT_EQ(rg_load_delay(&backoff, &kRetry, 0).high_ms, 100u);
  EXPECT_EQ(rg_load_delay(&backoff, &kRetry, 2).high_ms, 300u);
  backoff = {RG_JITTER_EQUAL, 0};
  EXPECT_EQ(rg_load_delay(&backoff, &kRetry, 1).low_ms, 100u);
  backoff = {RG_JITTER_FULL, 250};
  EXPECT_EQ(rg_load_delay(&backoff, &kRetry, 0).low_ms, 250u);
  EXPECT_EQ(rg_load_delay(&backoff, &kRetry, 0).high_ms, 250u);
}

TEST(Load, KnowsGrpcsOwnJitter) {
  const rg_backoff_policy backoff = {RG_JITTER_NATIVE, 0};
  const rg_backoff_policy *none = nullptr;
  for (const rg_backoff_policy *policy : {&backoff, none}) {
    EXPECT_EQ(rg_load_delay(policy, &kRetry, 0).low_ms, 100u);
    EXPECT_EQ(rg_load_delay(policy, &kRetry, 0).high_ms, 100u);
    EXPECT_EQ(rg_load_delay(policy, &kRetry, 1).low_ms, 160u);
    EXPECT_EQ(rg_load_delay(policy, &kRetry, 1).high_ms, 240u);
  }
}

TEST(Load, AddsUpTheLongestDelays) {
  const rg_backoff_policy full = {RG_JITTER_FULL, 0};
  EXPECT_EQ(rg_load_backoff_ms(&full, &kRetry), 100u + 200u + 300u);
  EXPECT_EQ(rg_load_backoff_ms(nullptr, &kRetry), 100u + 240u + 360u);
  rg_retry_policy endless = {5, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  EXPECT_GT(rg_load_backoff_ms(&full, &endless), UINT64_MAX / 2000000);
}

TEST(Load, IsWhatTheBudgetAllows) {
  rg_policy policy = Defaults();
  EXPECT_EQ(rg_load_factor_milli(&policy, &kRetry), 1100u);
  policy.budget.kind = RG_BUDGET_WINDOW;
  EXPECT_EQ(rg_load_factor_milli(&policy, &kRetry), 1200u);
  policy.budget.window.percent = 100;
  EXPECT_EQ(rg_load_factor_milli(&policy, &kRetry), 2000u);
}

TEST(Load, WithoutABudgetIsAllAttempts) {
  rg_policy policy = Defaults();
  policy.budgeted = false;
  EXPECT_EQ(rg_load_factor_milli(&policy, &kRetry), 4000u);
  policy = Defaults();
  policy.budget.kind = RG_BUDGET_UNLIMITED;
  EXPECT_EQ(rg_load_factor_milli(&policy, &kRetry), 4000u);
}

}  // namespace
}  // namespace rg_test
