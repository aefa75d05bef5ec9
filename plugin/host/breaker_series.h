/* SPDX-License-Identifier: Apache-2.0 */

/* Which breakers of services, methods and backends metrics tell of by name:
 * those that opened at some time, as far as there is room for them. What such a
 * breaker counted outlives its place, so that no series of theirs ever falls
 * when its breaker comes back; what the others counted goes into one sum.
 *
 * Threads: tell is safe, and waits for the lock of host/breakers.h; enter and
 * leave are called under it, clean_up by the last owner. */
#ifndef RG_HOST_BREAKER_SERIES_H
#define RG_HOST_BREAKER_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"
#include "host/breakers.h"

RG_C_BEGIN

/* Names at a time, of the process and of one target. */
#define RG_BREAKER_SERIES_MAX 1000
#define RG_BREAKER_SERIES_OF_TARGET_MAX 100

/* How long a name is kept for a breaker without a place. */
#define RG_BREAKER_SERIES_KEPT_S 3600

/* What all without a name are called. */
#define RG_BREAKER_SERIES_CROWD "other"

/* One breaker, or all without a name. */
struct rg_told_breaker {
  char name[RG_BREAKER_NAME_SIZE];
  uint64_t states[RG_BREAKER_STATES]; /* how many are in each */
  uint64_t tallies[RG_TALLIES];
};

/* `place` gets another breaker: keeps what it counted. */
void rg_breaker_series_leave(struct rg_breakers *breakers,
                             struct rg_scoped_breaker *place, uint64_t now);

/* `place` is about to get the breaker of `hash`: counts on from where it was
 * before. */
void rg_breaker_series_enter(struct rg_breakers *breakers,
                             struct rg_scoped_breaker *place, uint64_t hash);

/* Writes to `told`, of RG_BREAKER_SERIES_OF_TARGET_MAX + 1, what is to be told,
 * and returns how many they are. Those without a name come last, if there are
 * or were any. A breaker that could have a name, but has none yet, is told of
 * another time. */
size_t rg_breaker_series_tell(struct rg_breakers *breakers, uint64_t now,
                              struct rg_told_breaker *told);

void rg_breaker_series_clean_up(struct rg_breakers *breakers);

RG_C_END

#endif
