/* SPDX-License-Identifier: Apache-2.0 */

/* When a retry starts: backoff, jitter, and what the server asked for.
 *
 * Threads: pure. */
#ifndef RG_CORE_BACKOFF_H
#define RG_CORE_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

/* gRPC refuses a smaller maxAttempts, and takes this for a larger one. */
#define RG_MIN_ATTEMPTS 2
#define RG_MAX_ATTEMPTS 5

/* A method's `retryPolicy`, as gRPC read it. */
struct rg_retry_policy {
  uint32_t max_attempts;    /* at most RG_MAX_ATTEMPTS */
  uint32_t retryable_codes; /* bit n: status code n */
  uint64_t initial_backoff_ms;
  uint64_t max_backoff_ms;
  uint64_t multiplier_micro; /* backoffMultiplier in millionths */
};

enum rg_jitter {
  RG_JITTER_FULL,   /* anywhere from the floor to the cap */
  RG_JITTER_EQUAL,  /* from half the cap to the cap */
  RG_JITTER_NATIVE, /* gRPC's own: the cap, +-20 % after the first retry */
};

struct rg_backoff_policy {
  enum rg_jitter jitter;
  uint64_t floor_ms; /* no retry starts earlier than this */
};

enum rg_pushback_kind {
  RG_PUSHBACK_ABSENT, /* the server said nothing */
  RG_PUSHBACK_DELAY,  /* not before so many ms; 0 is not the same as absent */
  RG_PUSHBACK_STOP,   /* negative or malformed: do not retry */
};

struct rg_pushback {
  enum rg_pushback_kind kind;
  uint64_t delay_ms; /* with RG_PUSHBACK_DELAY */
};

struct rg_delay {
  bool native; /* gRPC computes the delay itself; `ms` is its upper bound */
  uint64_t ms;
};

/* min(maxBackoff, initialBackoff * multiplier^n) for the retry number
 * n = 0, 1, ...; at least 1 ms. Never decreases with n while the multiplier is
 * at least 1. */
uint64_t rg_backoff_cap_ms(const struct rg_retry_policy *retry, uint32_t n);

/* The delay before retry number n, drawn by `random` (64 random bits) from
 * [floor, cap], both ends included. A server's delay is obeyed and the draw
 * added to it: never earlier than asked, and spread, since clients that are
 * all told the same second must not come back in step. `pushback` is not
 * RG_PUSHBACK_STOP. */
struct rg_delay rg_backoff_delay(const struct rg_backoff_policy *policy,
                                 const struct rg_retry_policy *retry,
                                 uint32_t n, struct rg_pushback pushback,
                                 uint64_t random);

RG_C_END

#endif
