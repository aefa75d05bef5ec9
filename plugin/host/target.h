/* SPDX-License-Identifier: Apache-2.0 */

/* What all channels of the process to one server URI share: the budget, the
 * circuit breakers, and the counters.
 *
 * Threads: safe. The lock is taken when a channel comes or goes, when a policy
 * is first used with a target, and to read statistics; never on the path of a
 * call besides. A fork waits for it and for that of host/breakers.h, so that
 * the child finds them free. */
#ifndef RG_HOST_TARGET_H
#define RG_HOST_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/policy.h"
#include "core/amplification.h"
#include "core/budget.h"
#include "core/cxx.h"
#include "core/verdict.h"
#include "host/attempt_counts.h"
#include "host/breakers.h"
#include "host/delays.h"
#include "retry_guard/retry_guard.h"

RG_C_BEGIN

/* Targets without a channel that are kept: a program that opens a channel for
 * each call must not find a fresh budget each time. */
#define RG_TARGETS_IDLE_MAX 64

/* Targets that metrics tell apart at a time, each by about 60 series, and how
 * long their names may be; they tell of the others as one, which is called
 * RG_TARGET_CROWD. */
#define RG_TARGETS_NAMED_MAX 1000
#define RG_TARGET_NAMED_BYTES 512
#define RG_TARGET_CROWD "other"

/* What happens seldom enough for all threads to count in one place. */
struct rg_target_counters {
  RG_ATOMIC(uint64_t) stops[RG_STOP_COUNT];
  RG_ATOMIC(uint64_t) undecided_retries;
  RG_ATOMIC(uint64_t) rejected_retries;
  RG_ATOMIC(uint64_t) tokens_outstanding;
  RG_ATOMIC(uint64_t) refused_remaining;
  RG_ATOMIC(uint64_t) breaker_rejections;
  RG_ATOMIC(uint64_t) breaker_opened;
  RG_ATOMIC(uint64_t) breaker_half_opened;
  RG_ATOMIC(uint64_t) breaker_closed;
  RG_ATOMIC(uint64_t) breaker_probes;
  RG_ATOMIC(uint64_t) breaker_stale;
  RG_ATOMIC(uint64_t) fail_open;
};

struct rg_target {
  struct rg_target *next;      /* in its bucket of the table */
  struct rg_target *idle_next; /* while no channel uses it, oldest first */
  struct rg_target *idle_previous;
  size_t channels;
  size_t walkers; /* that look at it; it is kept for them */
  /* Whether metrics name it: from its first policy on and for good, so that no
   * counter of theirs goes from one series to another. */
  RG_ATOMIC(bool) named;
  /* The number of the policy in force; 0: none yet, the budget is raw. */
  RG_ATOMIC(uint64_t) policy_number;
  struct rg_budget_policy budget_policy; /* under the lock */
  struct rg_budget budget;
  struct rg_breakers breakers;
  RG_ATOMIC(uint64_t) typical_attempt_ns; /* smoothed; 0: not known */
  struct rg_amplification amplification;
  RG_ATOMIC(uint32_t) alarm_milli; /* of the amplification; 0: none */
  RG_ATOMIC(bool) out_of_budget;   /* since the last retry that was paid for */
  struct rg_delays delays;
  struct rg_target_counters counters;
  struct rg_attempt_counts attempts;
  const char *name; /* the server URI */
};

/* The target called `name`, for one more channel; NULL when memory is out. Give
 * it back with rg_target_release. */
struct rg_target *rg_target_acquire(const char *name);

/* One channel less. NULL is ignored. */
void rg_target_release(struct rg_target *target);

/* Puts `policy` in force if `number` is newer than what is; numbers come from
 * rg_target_next_policy_number. Wait-free when it is in force already. */
void rg_target_adopt(struct rg_target *target, uint64_t number,
                     const struct rg_policy *policy, uint64_t now);

/* A number larger than all before, for a policy just parsed. */
uint64_t rg_target_next_policy_number(void);

/* The target that comes after `previous` in the table, the first after NULL;
 * NULL: there is none. It stays in the table until it is `previous`, so that a
 * walk through all of them ends with nothing held. Targets that come and go
 * meanwhile may be missed. */
struct rg_target *rg_target_next(struct rg_target *previous);

/* Calls `visit` with each target that metrics do not name, under the lock, and
 * adds to `gone` what such targets counted that are reclaimed: together all
 * that any of them ever counted. False: there has been none. */
bool rg_target_visit_crowd(void (*visit)(struct rg_target *target, void *arg),
                           void *arg, retry_guard_stats *gone);

/* Calls `visit` with the target called `name`, under the lock; false when there
 * is none that a policy was ever in force for. */
bool rg_target_visit(const char *name,
                     void (*visit)(struct rg_target *target, void *arg),
                     void *arg);

RG_C_END

#endif
