/* SPDX-License-Identifier: Apache-2.0 */

/* Events on their way out. They are raised in the middle of gRPC's work, so
 * whoever delivers them has to find a better place.
 *
 * Threads: safe. The deliverer is set once, before events are raised. */
#ifndef RG_HOST_EVENTS_H
#define RG_HOST_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"
#include "retry_guard/retry_guard.h"

RG_C_BEGIN

/* Takes the event on: copies it, and returns at once. */
typedef void rg_event_deliverer(const retry_guard_event *event);

/* NULL: events go nowhere. */
void rg_events_deliver_by(rg_event_deliverer *deliver);

/* `event` without its size. */
void rg_events_raise(const retry_guard_event *event);

/* Bytes that suffice for a line with its NUL; a long target is cut. */
#define RG_EVENT_LINE_SIZE 768

/* Writes the event for a log: "dns:///a:1: breaker of /shop.Ledger/Add opened,
 * 11 of 20 attempts failed". `left_out` events of its kind were not logged
 * before it. */
void rg_event_write(const retry_guard_event *event, uint64_t left_out,
                    char line[RG_EVENT_LINE_SIZE]);

/* Lines of one kind in a minute: a budget that is exhausted again and again
 * must not fill a log. */
#define RG_EVENT_LINES_PER_MINUTE 10

/* Whether an event of `kind` may be logged now; if so, how many of its kind
 * were not since the last one is written to `left_out`. */
bool rg_events_may_log(retry_guard_event_kind kind, uint64_t now,
                       uint64_t *left_out);

RG_C_END

#endif
