/* SPDX-License-Identifier: Apache-2.0 */
#include "config/load.h"

#include "core/num.h"

/* gRPC's own jitter, from the second retry on: a fifth either way. */
static struct rg_delay_range native(uint64_t cap, uint32_t n) {
  uint64_t fifth = n == 0 ? 0 : cap / 5;
  return (struct rg_delay_range){cap - fifth, rg_num_add(cap, fifth)};
}

struct rg_delay_range rg_load_delay(const struct rg_backoff_policy *backoff,
                                    const struct rg_retry_policy *retry,
                                    uint32_t n) {
  if (backoff == NULL || backoff->jitter == RG_JITTER_NATIVE)
    return native(rg_backoff_cap_ms(retry, n), n);
  const struct rg_pushback absent = {.kind = RG_PUSHBACK_ABSENT};
  return (struct rg_delay_range){
      rg_backoff_delay(backoff, retry, n, absent, 0).ms,
      rg_backoff_delay(backoff, retry, n, absent, UINT64_MAX).ms};
}

uint64_t rg_load_backoff_ms(const struct rg_backoff_policy *backoff,
                            const struct rg_retry_policy *retry) {
  uint64_t sum = 0;
  for (uint32_t n = 0; n + 1 < retry->max_attempts; n++)
    sum = rg_num_add(sum, rg_load_delay(backoff, retry, n).high_ms);
  return sum;
}

uint64_t rg_load_factor_milli(const struct rg_policy *policy,
                              const struct rg_retry_policy *retry) {
  uint64_t attempts = (uint64_t)retry->max_attempts * RG_MILLI;
  if (!policy->budgeted) return attempts;
  uint64_t share = attempts;
  if (policy->budget.kind == RG_BUDGET_TOKEN_BUCKET)
    share = RG_MILLI + policy->budget.bucket.ratio_milli;
  else if (policy->budget.kind == RG_BUDGET_WINDOW)
    share = RG_MILLI + (uint64_t)policy->budget.window.percent * 10;
  return share < attempts ? share : attempts;
}
