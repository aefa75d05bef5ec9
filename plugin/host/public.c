/* SPDX-License-Identifier: Apache-2.0 */

/* The parts of the public API that need nothing of gRPC. */
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/target.h"
#include "retry_guard/retry_guard.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define VERSION                   \
  TEXT(RETRY_GUARD_VERSION_MAJOR) \
  "." TEXT(RETRY_GUARD_VERSION_MINOR) "." TEXT(RETRY_GUARD_VERSION_PATCH)

_Static_assert((int)RETRY_GUARD_STOP_COUNT == (int)RG_STOP_COUNT,
               "the public stop reasons are the core's");

const char *retry_guard_version_string(void) { return VERSION; }

const char *retry_guard_status_string(retry_guard_status status) {
  switch (status) {
    case RETRY_GUARD_OK:
      return "ok";
    case RETRY_GUARD_TOO_LATE:
      return "gRPC was used before Retry Guard was registered; call "
             "retry_guard_register at the start of main, before grpc_init";
    case RETRY_GUARD_ALREADY_REGISTERED:
      return "Retry Guard is registered already; register it once per process";
    case RETRY_GUARD_WRONG_GRPC_VERSION:
      return "this build of Retry Guard does not fit the gRPC library of the "
             "process; build it against the installed gRPC";
    case RETRY_GUARD_INVALID_ARGUMENT:
      return "an argument is NULL, out of range, or a struct whose size was "
             "not set";
    case RETRY_GUARD_NOT_FOUND:
      return "there is no such target or hop context";
    case RETRY_GUARD_BUFFER_TOO_SMALL:
      return "the buffer is too small; use the length that was reported";
    case RETRY_GUARD_OUT_OF_MEMORY:
      return "out of memory";
    case RETRY_GUARD_INVALID_SERVICE_CONFIG:
      return "gRPC would refuse a channel with this service config; repair "
             "what "
             "was told of it";
  }
  return "unknown status; the header is newer than the library";
}

const char *retry_guard_stop_string(retry_guard_stop stop) {
  switch (stop) {
    case RETRY_GUARD_STOP_LAYER:
      return "layer";
    case RETRY_GUARD_STOP_UNSAFE:
      return "unsafe";
    case RETRY_GUARD_STOP_COMPRESSED:
      return "compressed";
    case RETRY_GUARD_STOP_PUSHBACK:
      return "pushback";
    case RETRY_GUARD_STOP_BREAKER:
      return "breaker";
    case RETRY_GUARD_STOP_DEADLINE:
      return "deadline";
    case RETRY_GUARD_STOP_BUDGET:
      return "budget";
    case RETRY_GUARD_STOP_COUNT:
      break;
  }
  return "unknown";
}

static uint64_t value_of(RG_ATOMIC(uint64_t) * counter) {
  return atomic_load_explicit(counter, memory_order_relaxed);
}

static void read_delays(struct rg_delays *delays, retry_guard_stats *stats) {
  for (size_t i = 0; i < RETRY_GUARD_DELAY_BUCKETS; i++)
    stats->delays[i] = value_of(&delays->counts[i]);
  stats->delay_ms = value_of(&delays->sum_ms);
}

/* The alarm ends with the traffic, too, though nobody notices then. */
static void read_amplification(struct rg_target *target, uint64_t now,
                               retry_guard_stats *stats) {
  stats->amplification_milli = 0;
  while (!rg_amplification_read(&target->amplification, stats->calls,
                                stats->retries, now,
                                &stats->amplification_milli)) {
  }
  uint32_t alarm_milli =
      atomic_load_explicit(&target->alarm_milli, memory_order_relaxed);
  stats->amplification_alarm =
      rg_amplification_alarmed(&target->amplification) &&
      !rg_amplification_is_calm(stats->amplification_milli, alarm_milli);
}

struct snapshot {
  retry_guard_stats *stats;
  uint64_t now;
};

/* May run under the lock of the target table. */
static void take_snapshot(struct rg_target *target, void *arg) {
  const struct snapshot *snapshot = arg;
  retry_guard_stats *stats = snapshot->stats;
  struct rg_target_counters *c = &target->counters;
  struct rg_attempt_sums sums = rg_attempt_counts_read(&target->attempts);
  stats->calls = sums.calls;
  stats->attempts = sums.attempts;
  stats->retries = sums.retries;
  stats->transparent_retries = sums.transparent_retries;
  for (int i = 0; i < RG_STOP_COUNT; i++)
    stats->stops[i] = value_of(&c->stops[i]);
  stats->undecided_retries = value_of(&c->undecided_retries);
  stats->rejected_retries = value_of(&c->rejected_retries);
  stats->tokens_outstanding = value_of(&c->tokens_outstanding);
  stats->budget_milli = rg_budget_level(&target->budget, snapshot->now);
  stats->marks_made = sums.marks_made;
  stats->marks_forwarded = sums.marks_forwarded;
  stats->refused_remaining = value_of(&c->refused_remaining);
  stats->breaker_rejections = value_of(&c->breaker_rejections);
  stats->breaker_opened = value_of(&c->breaker_opened);
  stats->breaker_half_opened = value_of(&c->breaker_half_opened);
  stats->breaker_closed = value_of(&c->breaker_closed);
  stats->breaker_probes = value_of(&c->breaker_probes);
  stats->breaker_stale = value_of(&c->breaker_stale);
  stats->breaker_state =
      (retry_guard_breaker_state)rg_breaker_state_of(&target->breakers.whole);
  stats->fail_open = value_of(&c->fail_open);
  read_delays(&target->delays, stats);
  read_amplification(target, snapshot->now, stats);
}

retry_guard_status retry_guard_stats_each(
    void (*visit)(const char *target, const retry_guard_stats *stats,
                  void *arg),
    void *arg) {
  if (visit == NULL) return RETRY_GUARD_INVALID_ARGUMENT;
  for (struct rg_target *target = rg_target_next(NULL); target != NULL;
       target = rg_target_next(target)) {
    if (atomic_load(&target->policy_number) == 0) continue;
    retry_guard_stats stats = {.size = sizeof stats};
    struct snapshot snapshot = {.stats = &stats, .now = rg_clock_now()};
    take_snapshot(target, &snapshot);
    visit(target->name, &stats, arg);
  }
  return RETRY_GUARD_OK;
}

/* gRPC prefixes a target that names no scheme of its own with this one. */
static char *with_default_scheme(const char *name) {
  static const char scheme[] = "dns:///";
  size_t length = strlen(name);
  char *full = malloc(sizeof scheme + length);
  if (full == NULL) return NULL;
  memcpy(full, scheme, sizeof scheme - 1);
  memcpy(full + sizeof scheme - 1, name, length + 1);
  return full;
}

retry_guard_status retry_guard_stats_get(const char *target,
                                         retry_guard_stats *stats) {
  if (target == NULL || stats == NULL || stats->size != sizeof *stats)
    return RETRY_GUARD_INVALID_ARGUMENT;
  struct snapshot snapshot = {.stats = stats, .now = rg_clock_now()};
  if (rg_target_visit(target, take_snapshot, &snapshot)) return RETRY_GUARD_OK;
  char *full = with_default_scheme(target);
  if (full == NULL) return RETRY_GUARD_OUT_OF_MEMORY;
  bool found = rg_target_visit(full, take_snapshot, &snapshot);
  free(full);
  return found ? RETRY_GUARD_OK : RETRY_GUARD_NOT_FOUND;
}
