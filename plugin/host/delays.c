/* SPDX-License-Identifier: Apache-2.0 */
#include "host/delays.h"

/* From a millisecond to gRPC's usual maxBackoff and beyond, about two to a
 * doubling of ten. */
static const uint64_t bounds_ms[RETRY_GUARD_DELAY_BUCKETS] = {
    1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, UINT64_MAX,
};

uint64_t retry_guard_delay_bound_ms(size_t bucket) {
  return bucket < RETRY_GUARD_DELAY_BUCKETS ? bounds_ms[bucket] : UINT64_MAX;
}

void rg_delays_add(struct rg_delays *delays, uint64_t ms) {
  size_t bucket = 0;
  while (ms > bounds_ms[bucket]) bucket++;
  atomic_fetch_add_explicit(&delays->counts[bucket], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&delays->sum_ms, ms, memory_order_relaxed);
}
