/* SPDX-License-Identifier: Apache-2.0 */

/* Retry Guard: all counters as text for Prometheus and what reads its formats.
 *
 * The names begin with `retry_guard_`, counters end in `_total`, units are
 * seconds and ratios, and every family says what it is. Counters of a target
 * have the label `target`, which is its name as the channel was created. Of at
 * most 1,000 targets at a time, with names of at most 512 bytes: the others
 * are told of together, as `target="other"`. A target is named or not for as
 * long as it is known, so that no counter decreases since another series took
 * over; a target that was reclaimed ends its series, unless it was among the
 * others.
 *
 * Circuit breakers of single services, methods or backends have the label
 * `scope` too, with the name that retry_guard_breakers_each gives them: those
 * that opened since the program began, at most 1,000 at a time, and 100 of a
 * target. The others of a target are told of together, as `scope="other"`. A
 * breaker is named or not for as long as it is there, and its counters go on
 * when it comes back, unless that takes more than an hour.
 *
 * retry_guard/metrics_endpoint.h serves this text by HTTP. All strings are
 * UTF-8. No function raises a signal or throws, and none sets
 * errno but for want of memory. */
#ifndef RETRY_GUARD_METRICS_H
#define RETRY_GUARD_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "retry_guard/retry_guard.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values never change their meaning; new ones are added at the end. */
typedef enum retry_guard_metrics_format {
  /* Prometheus' text format 0.0.4; a program that serves it says
   * "text/plain; version=0.0.4; charset=utf-8". */
  RETRY_GUARD_METRICS_PROMETHEUS = 0,
  /* OpenMetrics 1.0: the same samples; "application/openmetrics-text;
   * version=1.0.0; charset=utf-8". */
  RETRY_GUARD_METRICS_OPENMETRICS = 1,
} retry_guard_metrics_format;

/* Gives the whole text to `write`, piece by piece, with `arg`. A piece holds at
 * most 4,096 bytes, ends anywhere, not in NUL, and is valid during the call
 * only. Returning false from `write` ends it.
 *
 * Targets are in the order of their names. Every counter is exact and never
 * decreases, but the counters are not of one instant. A process without any
 * guarded call has a valid text too.
 *
 * Returns OK, also when `write` ended it; INVALID_ARGUMENT for a NULL `write`
 * or an unknown format; OUT_OF_MEMORY before anything was written.
 * Thread-safe. It takes about 500 bytes for each target meanwhile, 200 for each
 * breaker that is named, and the lock of the target table for each, and once
 * for all that it does not name; a call takes that only when it is the first
 * with a new policy. Names of breakers have a lock of their own, which a call
 * only tries: one that is the first of its service, method or backend in that
 * moment has no breaker. `write` is called without any. */
RETRY_GUARD_API retry_guard_status retry_guard_metrics_text(
    retry_guard_metrics_format format,
    bool (*write)(const char *bytes, size_t length, void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif /* RETRY_GUARD_METRICS_H */
