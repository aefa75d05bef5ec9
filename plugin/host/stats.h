/* SPDX-License-Identifier: Apache-2.0 */

/* The public counters of a target, read and summed.
 *
 * Threads: safe. Counters are read without waiting; the amplification waits for
 * a thread that is just looking at it. */
#ifndef RG_HOST_STATS_H
#define RG_HOST_STATS_H

#include <stdint.h>

#include "core/cxx.h"
#include "host/target.h"
#include "retry_guard/retry_guard.h"

RG_C_BEGIN

/* What only rises: counters and delays. The rest of `stats` is left alone. */
void rg_stats_read_counters(struct rg_target *target, retry_guard_stats *stats);

/* Everything. A policy must have been in force for the target. */
void rg_stats_read(struct rg_target *target, uint64_t now,
                   retry_guard_stats *stats);

/* Adds what only rises of `stats` to that of `sum`. */
void rg_stats_add_counters(retry_guard_stats *sum,
                           const retry_guard_stats *stats);

RG_C_END

#endif
