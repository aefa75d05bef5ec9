/* SPDX-License-Identifier: Apache-2.0 */

/* How long retries were made to wait: a histogram, and the sum.
 *
 * Threads: safe, wait-free. */
#ifndef RG_HOST_DELAYS_H
#define RG_HOST_DELAYS_H

#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"
#include "retry_guard/retry_guard.h"

RG_C_BEGIN

/* All zero to begin with. */
struct rg_delays {
  RG_ATOMIC(uint64_t) counts[RETRY_GUARD_DELAY_BUCKETS];
  RG_ATOMIC(uint64_t) sum_ms;
};

void rg_delays_add(struct rg_delays *delays, uint64_t ms);

RG_C_END

#endif
