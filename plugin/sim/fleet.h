/* SPDX-License-Identifier: Apache-2.0 */

/* A fleet in virtual time: clients, tiers of servers, and one way to call. What
 * is decided about retries is decided by the rg_call that runs in production;
 * what gRPC does by itself is modelled in native.h.
 *
 * Threads: one owner. */
#ifndef RG_SIM_FLEET_H
#define RG_SIM_FLEET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"
#include "sim/record.h"
#include "sim/scenario.h"

RG_C_BEGIN

/* What all of a run comes to, from the end of the warm-up on. */
struct rg_run_totals {
  uint64_t calls; /* from outside: begun, and how they ended */
  uint64_t ok;
  uint64_t failed;
  uint64_t retries;    /* of all who call, tiers that call tiers, too */
  uint64_t requests;   /* that came to the watched tier */
  uint64_t rejections; /* calls and attempts that an open breaker refused */
};

struct rg_run {
  struct rg_record record;
  struct rg_run_totals totals;
  uint64_t appointments; /* what all of it took */
  /* When the last call from outside ended, in nanoseconds from the begin. */
  uint64_t last_end;
};

/* Asked now and then, with the share that is done; false: stop. */
typedef bool rg_run_progress(double share, void *arg);

/* Runs `variant` of the scenario with all chance from `seed`. `progress` may be
 * NULL. False when memory is out, there are more requests in the fleet than it
 * is made for, or it was stopped; `run` is to be cleaned up anyway. */
bool rg_run_do(struct rg_run *run, const struct rg_scenario *scenario,
               size_t variant, uint64_t seed, rg_run_progress *progress,
               void *arg);

void rg_run_clean_up(struct rg_run *run);

RG_C_END

#endif
