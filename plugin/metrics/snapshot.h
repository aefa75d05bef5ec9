/* SPDX-License-Identifier: Apache-2.0 */

/* What all targets and the process counted, read once for one text: a family
 * of metrics stands together in it, and so needs all of them at hand.
 *
 * Threads: a snapshot has one owner; taking one is safe. */
#ifndef RG_METRICS_SNAPSHOT_H
#define RG_METRICS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"
#include "host/breaker_series.h"
#include "retry_guard/retry_guard.h"

RG_C_BEGIN

struct rg_snapshot_target {
  char *name;
  retry_guard_stats stats;
  /* Those of its breakers that are told of by themselves. */
  struct rg_told_breaker *breakers;
  size_t breaker_count;
  /* How many amplification alarms are on: of one target, or of all that have no
   * name of their own. */
  uint64_t alarms;
  uint64_t amplification_milli; /* of several targets the highest */
};

/* The caller's memory. */
struct rg_snapshot {
  struct rg_snapshot_target *targets; /* by name; the unnamed ones come last */
  size_t count;
  size_t capacity;
  retry_guard_process_stats process;
};

/* False: there was no memory for it, and nothing is to be cleaned up. */
bool rg_snapshot_take(struct rg_snapshot *snapshot);

void rg_snapshot_clean_up(struct rg_snapshot *snapshot);

RG_C_END

#endif
