/* SPDX-License-Identifier: Apache-2.0 */

/* What a call and its attempts ask of circuit breakers, and tell them: always
 * the breaker of the scope that the target's policy has.
 *
 * Threads: as host/call.h. */
#ifndef RG_HOST_CALL_BREAKER_H
#define RG_HOST_CALL_BREAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"
#include "host/call.h"

RG_C_BEGIN

/* The part of rg_call_admit that needs no time: true, and all is done, when one
 * breaker is there for the whole target, and is closed. */
bool rg_call_admit_closed(struct rg_call *call);

/* The same for breakers of every scope: true when the call's is closed, or
 * there is none. */
bool rg_call_admit_closed_in_scope(struct rg_call *call, uint64_t now);

/* Whether rg_call_admit would refuse the call. Takes no permit. */
bool rg_call_is_barred(const struct rg_call *call, uint64_t now);

/* Asks a breaker that is not closed; true when it refuses, for `left_ns` more.
 */
bool rg_call_open_breaker_refuses(const struct rg_call *call,
                                  struct rg_breaker *breaker,
                                  struct rg_permit *permit, uint64_t *left_ns,
                                  uint64_t now);

/* Asks the breaker for `backend` (or NULL), which `breaker` then names, for
 * `permit`; true when it refuses, for `left_ns` more. Inline, since every
 * attempt comes by. */
static inline bool rg_call_breaker_refuses(struct rg_call *call,
                                           const struct rg_backend *backend,
                                           struct rg_breaker **breaker,
                                           struct rg_permit *permit,
                                           uint64_t *left_ns, uint64_t now) {
  call->key.backend = backend;
  *breaker = rg_breakers_find(&call->target->breakers, &call->key, now);
  return *breaker != NULL && !rg_breaker_admit_closed(*breaker, permit) &&
         rg_call_open_breaker_refuses(call, *breaker, permit, left_ns, now);
}

/* Gives a permit of `breaker`, which was asked for `backend`, back with how it
 * went. One that is not held is ignored. `random`: 64 random bits. */
void rg_call_breaker_settle(struct rg_call *call, struct rg_breaker *breaker,
                            const struct rg_backend *backend,
                            struct rg_permit *permit, enum rg_result result,
                            uint64_t now, uint64_t random);

RG_C_END

#endif
