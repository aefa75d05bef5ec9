/* SPDX-License-Identifier: Apache-2.0 */

/* What a policy can cost at worst: the time and the attempts of one call, and
 * the load that lasts.
 *
 * Threads: pure. */
#ifndef RG_CONFIG_LOAD_H
#define RG_CONFIG_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "config/policy.h"
#include "core/backoff.h"
#include "core/cxx.h"

RG_C_BEGIN

/* The delays before one retry, in milliseconds. */
struct rg_delay_range {
  uint64_t low_ms;
  uint64_t high_ms;
};

/* From when to when retry number n = 0, 1, ... can start; each value in between
 * is as likely as any other. `backoff` NULL: gRPC alone. */
struct rg_delay_range rg_load_delay(const struct rg_backoff_policy *backoff,
                                    const struct rg_retry_policy *retry,
                                    uint32_t n);

/* The longest that one call can wait between its attempts. */
uint64_t rg_load_backoff_ms(const struct rg_backoff_policy *backoff,
                            const struct rg_retry_policy *retry);

/* How many attempts there are for a call, in thousandths, while all attempts
 * fail for as long as one likes: 1000 is the call itself. */
uint64_t rg_load_factor_milli(const struct rg_policy *policy,
                              const struct rg_retry_policy *retry);

RG_C_END

#endif
