/* SPDX-License-Identifier: Apache-2.0 */
#include "core/deadline.h"

#include "core/num.h"

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t left(uint64_t deadline, uint64_t now) {
  return deadline == RG_DEADLINE_NONE ? UINT64_MAX : rg_num_sub(deadline, now);
}

uint64_t rg_deadline_of_child(const struct rg_deadline_policy *policy,
                              uint64_t parent, uint64_t own) {
  if (policy->disabled || parent == RG_DEADLINE_NONE) return own;
  return earlier(own, rg_num_sub(parent, policy->hop_margin_ns));
}

uint64_t rg_deadline_of_attempt(const struct rg_deadline_policy *policy,
                                uint64_t call, uint64_t now) {
  if (policy->disabled || policy->attempt_timeout_ns == 0) return call;
  return earlier(call, rg_num_add(now, policy->attempt_timeout_ns));
}

bool rg_deadline_worth_starting(const struct rg_deadline_policy *policy,
                                uint64_t call, uint64_t now) {
  return policy->disabled || left(call, now) >= policy->min_remaining_ns;
}

bool rg_deadline_fits(const struct rg_deadline_policy *policy, uint64_t call,
                      uint64_t delay_ms, uint64_t typical_ns, uint64_t now) {
  if (policy->disabled || call == RG_DEADLINE_NONE) return true;
  uint64_t attempt = policy->min_attempt_ns;
  if (policy->adaptive && typical_ns > attempt) attempt = typical_ns;
  uint64_t needed = rg_num_add(rg_num_mul(delay_ms, RG_NS_PER_MS), attempt);
  return needed < left(call, now);
}

uint64_t rg_deadline_smooth(uint64_t typical_ns, uint64_t took_ns) {
  if (typical_ns == 0) return took_ns > 0 ? took_ns : 1;
  uint64_t result = typical_ns - typical_ns / 8 + took_ns / 8;
  return result > 0 ? result : 1;
}
