/* SPDX-License-Identifier: Apache-2.0 */
#include "host/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/num.h"

static RG_ATOMIC(rg_event_deliverer *) deliverer;

void rg_events_deliver_by(rg_event_deliverer *deliver) {
  atomic_store(&deliverer, deliver);
}

void rg_events_raise(const retry_guard_event *event) {
  rg_event_deliverer *deliver = atomic_load(&deliverer);
  if (deliver == NULL) return;
  retry_guard_event sized = *event;
  sized.size = sizeof sized;
  deliver(&sized);
}

const char *retry_guard_event_string(retry_guard_event_kind kind) {
  switch (kind) {
    case RETRY_GUARD_EVENT_BREAKER_OPENED:
      return "breaker_opened";
    case RETRY_GUARD_EVENT_BREAKER_HALF_OPENED:
      return "breaker_half_opened";
    case RETRY_GUARD_EVENT_BREAKER_CLOSED:
      return "breaker_closed";
    case RETRY_GUARD_EVENT_BUDGET_EXHAUSTED:
      return "budget_exhausted";
    case RETRY_GUARD_EVENT_ALARM_BEGAN:
      return "alarm_began";
    case RETRY_GUARD_EVENT_ALARM_ENDED:
      return "alarm_ended";
    case RETRY_GUARD_EVENT_COUNT:
      break;
  }
  return "unknown";
}

/* ---- Lines --------------------------------------------------------------- */

static int write_opened(const retry_guard_event *event, char *text,
                        size_t size) {
  switch (event->cause) {
    case RETRY_GUARD_CAUSE_RATE:
      return snprintf(text, size,
                      "opened, %" PRIu64 " of %" PRIu64 " attempts failed",
                      event->failures, event->total);
    case RETRY_GUARD_CAUSE_CONSECUTIVE:
      return snprintf(text, size,
                      "opened, %" PRIu64 " attempts failed in a row",
                      event->failures);
    case RETRY_GUARD_CAUSE_PROBE:
      return snprintf(text, size, "opened again, a probe failed");
    default:
      return snprintf(text, size, "opened");
  }
}

static int write_what(const retry_guard_event *event, char *text, size_t size) {
  switch (event->kind) {
    case RETRY_GUARD_EVENT_BREAKER_OPENED:
      return write_opened(event, text, size);
    case RETRY_GUARD_EVENT_BREAKER_HALF_OPENED:
      return snprintf(text, size, "half-open, a probe is made");
    case RETRY_GUARD_EVENT_BREAKER_CLOSED:
      return snprintf(text, size, "closed, a probe succeeded");
    case RETRY_GUARD_EVENT_BUDGET_EXHAUSTED:
      return snprintf(text, size,
                      "retry budget exhausted, retries are refused");
    case RETRY_GUARD_EVENT_ALARM_BEGAN:
      return snprintf(text, size,
                      "retry amplification alarm, %" PRIu32
                      " retries for 1000 calls of the last minute",
                      event->amplification_milli);
    case RETRY_GUARD_EVENT_ALARM_ENDED:
      return snprintf(text, size,
                      "retry amplification alarm ended, %" PRIu32
                      " retries for 1000 calls of the last minute",
                      event->amplification_milli);
    default:
      return snprintf(text, size, "unknown event");
  }
}

/* The breaker that it is about, with a blank behind it. */
static void write_which(const retry_guard_event *event, char *text,
                        size_t size) {
  bool of_breaker = event->kind == RETRY_GUARD_EVENT_BREAKER_OPENED ||
                    event->kind == RETRY_GUARD_EVENT_BREAKER_HALF_OPENED ||
                    event->kind == RETRY_GUARD_EVENT_BREAKER_CLOSED;
  bool named = of_breaker && event->breaker[0] != '\0';
  snprintf(text, size, "%s%s%s", of_breaker ? "breaker " : "",
           named ? "of " : "", named ? event->breaker : "");
  if (named) strcat(text, " ");
}

void rg_event_write(const retry_guard_event *event, uint64_t left_out,
                    char line[RG_EVENT_LINE_SIZE]) {
  char what[128];
  char which[160];
  char more[64] = "";
  write_which(event, which, sizeof which);
  write_what(event, what, sizeof what);
  if (left_out > 0)
    snprintf(more, sizeof more, " (%" PRIu64 " like it were not logged)",
             left_out);
  snprintf(line, RG_EVENT_LINE_SIZE, "%.300s: %s%s%s", event->target, which,
           what, more);
}

/* ---- The limit of lines -------------------------------------------------- */

/* Upper half: the minute, from 1. Lower half: lines in it. */
static RG_ATOMIC(uint64_t) lines[RETRY_GUARD_EVENT_COUNT];
static RG_ATOMIC(uint64_t) left_out_of[RETRY_GUARD_EVENT_COUNT];

static bool count_line(RG_ATOMIC(uint64_t) * line, uint32_t minute) {
  uint64_t before = atomic_load_explicit(line, memory_order_relaxed);
  for (;;) {
    uint32_t count = (uint32_t)(before >> 32) == minute ? (uint32_t)before : 0;
    if (count >= RG_EVENT_LINES_PER_MINUTE) return false;
    uint64_t after = (uint64_t)minute << 32 | (count + 1);
    if (atomic_compare_exchange_weak(line, &before, after)) return true;
  }
}

bool rg_events_may_log(retry_guard_event_kind kind, uint64_t now,
                       uint64_t *left_out) {
  uint32_t minute = (uint32_t)(now / (60 * RG_NS_PER_S) + 1);
  if (!count_line(&lines[kind], minute)) {
    atomic_fetch_add_explicit(&left_out_of[kind], 1, memory_order_relaxed);
    return false;
  }
  *left_out =
      atomic_exchange_explicit(&left_out_of[kind], 0, memory_order_relaxed);
  return true;
}
