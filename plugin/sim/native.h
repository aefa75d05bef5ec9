/* SPDX-License-Identifier: Apache-2.0 */

/* What gRPC 1.51 does by itself when an attempt fails, as its retry filter, its
 * backoff and its throttle do it:
 *
 * - the order: OK, status not retryable, throttled, attempts used up, pushback
 * - the first retry comes after initialBackoff exactly, later ones after up to
 *   20 % more or less than their backoff; a pushback starts this anew
 * - the throttle is one for all calls of a channel
 *
 * Threads: one owner. */
#ifndef RG_SIM_NATIVE_H
#define RG_SIM_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/native_retry.h"
#include "core/backoff.h"
#include "core/cxx.h"
#include "sim/dice.h"

RG_C_BEGIN

/* Zeroed, there is no throttling. */
struct rg_native_throttle {
  struct rg_throttling policy;
  uint64_t milli;
};

void rg_native_throttle_init(struct rg_native_throttle *throttle,
                             const struct rg_throttling *policy);

/* One call's retries; zeroed, none has been. */
struct rg_native_retries {
  uint32_t attempts;   /* that ended */
  uint64_t backoff_ms; /* of the retry before; 0: none was timed by gRPC */
};

/* An attempt ended with `status`. True: the next one begins `delay_ns` later.
 * `retry` NULL: the method has no retryPolicy. */
bool rg_native_attempt_ended(struct rg_native_retries *retries,
                             struct rg_native_throttle *throttle,
                             const struct rg_retry_policy *retry,
                             uint32_t status, struct rg_pushback pushback,
                             struct rg_dice *dice, uint64_t *delay_ns);

RG_C_END

#endif
