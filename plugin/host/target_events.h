/* SPDX-License-Identifier: Apache-2.0 */

/* What of a target's life is an event.
 *
 * Threads: safe, wait-free. */
#ifndef RG_HOST_TARGET_EVENTS_H
#define RG_HOST_TARGET_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/breaker.h"
#include "core/cxx.h"
#include "host/target.h"

RG_C_BEGIN

/* Looks at the retry amplification: when a retry was decided, and with every
 * call while its alarm is on. */
void rg_target_watch(struct rg_target *target, uint64_t now);

/* A breaker of the target, found with `key`, let its first probe through, or a
 * result moved it. */
void rg_target_breaker_half_opened(struct rg_target *target,
                                   struct rg_breaker *breaker,
                                   const struct rg_breaker_key *key);
void rg_target_breaker_settled(struct rg_target *target,
                               struct rg_breaker *breaker,
                               const struct rg_breaker_key *key,
                               enum rg_settlement settlement);

/* It let a probe through, or kept an attempt or a call from the network. */
void rg_target_breaker_probed(struct rg_target *target,
                              struct rg_breaker *breaker);
void rg_target_breaker_rejected(struct rg_target *target,
                                struct rg_breaker *breaker);

/* A retry was paid for, or refused for want of budget. */
void rg_target_budget_paid(struct rg_target *target);
void rg_target_budget_refused(struct rg_target *target);

RG_C_END

#endif
