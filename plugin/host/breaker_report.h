/* SPDX-License-Identifier: Apache-2.0 */

/* What the breakers of a target do, for those who look at them.
 *
 * Threads: safe. States are read without waiting; names wait for the lock of
 * host/breakers.h. */
#ifndef RG_HOST_BREAKER_REPORT_H
#define RG_HOST_BREAKER_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"
#include "host/breakers.h"

RG_C_BEGIN

/* A breaker that no call asked for so long is not told of, unless it is open:
 * what it is for may be gone. */
#define RG_BREAKER_IDLE_S 600

struct rg_breaker_report {
  enum rg_breaker_scope scope;
  struct rg_breaker_look look;
  uint64_t tallies[RG_TALLIES];
  char name[RG_BREAKER_NAME_SIZE]; /* "" of the target's own */
};

/* Whether the breaker at `place` is one to tell of; if so, how it is. */
bool rg_breaker_report_looks(const struct rg_breakers *breakers,
                             const struct rg_scoped_breaker *place,
                             uint64_t now, struct rg_breaker_look *look);

/* Counts them by their state. */
void rg_breaker_report_states(const struct rg_breakers *breakers, uint64_t now,
                              uint64_t states[RG_BREAKER_STATES]);

/* Writes one report for each to `reports`, of RG_BREAKERS_MAX, and returns how
 * many they are. */
size_t rg_breaker_report_all(struct rg_breakers *breakers, uint64_t now,
                             struct rg_breaker_report *reports);

RG_C_END

#endif
