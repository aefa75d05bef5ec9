/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backoff.h"

#include "core/num.h"

#define MICRO UINT64_C(1000000)

/* Bounds the loop for multipliers that hardly grow; gRPC makes four retries. */
#define MAX_STEPS 64

static uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* In nanoseconds, so that a multiplier like 1.3 loses nothing on 1 ms. */
static uint64_t grown_ms(const struct rg_retry_policy *retry, uint32_t n) {
  uint64_t cap_ns = rg_num_mul(retry->initial_backoff_ms, RG_NS_PER_MS);
  uint32_t steps = n < MAX_STEPS ? n : MAX_STEPS;
  for (; steps > 0; steps--)
    cap_ns = rg_num_mul_div(cap_ns, retry->multiplier_micro, MICRO);
  return cap_ns / RG_NS_PER_MS;
}

uint64_t rg_backoff_cap_ms(const struct rg_retry_policy *retry, uint32_t n) {
  uint64_t cap = n > 0 ? grown_ms(retry, n) : retry->initial_backoff_ms;
  /* More would be a step back once it is in nanoseconds. */
  uint64_t max = min_u64(retry->max_backoff_ms, UINT64_MAX / RG_NS_PER_MS);
  return max_u64(min_u64(cap, max), 1);
}

struct rg_delay rg_backoff_delay(const struct rg_backoff_policy *policy,
                                 const struct rg_retry_policy *retry,
                                 uint32_t n, struct rg_pushback pushback,
                                 uint64_t random) {
  uint64_t cap = rg_backoff_cap_ms(retry, n);
  if (policy->jitter == RG_JITTER_NATIVE) {
    bool asked = pushback.kind == RG_PUSHBACK_DELAY;
    /* Native jitter adds at most a fifth. */
    uint64_t latest = rg_num_add(cap, cap / 5);
    return (struct rg_delay){true, asked ? pushback.delay_ms : latest};
  }
  if (pushback.kind == RG_PUSHBACK_DELAY) {
    uint64_t spread = rg_num_uniform(random, 0, cap);
    uint64_t ms = rg_num_add(pushback.delay_ms, spread);
    return (struct rg_delay){false, max_u64(ms, policy->floor_ms)};
  }
  uint64_t half = policy->jitter == RG_JITTER_EQUAL ? cap / 2 : 0;
  uint64_t low = max_u64(policy->floor_ms, half);
  return (struct rg_delay){false,
                           rg_num_uniform(random, low, max_u64(low, cap))};
}
