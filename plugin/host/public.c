/* SPDX-License-Identifier: Apache-2.0 */

/* The parts of the public API that need nothing of gRPC. */
#include <stdlib.h>
#include <string.h>

#include "core/num.h"
#include "host/breaker_report.h"
#include "host/clock.h"
#include "host/stats.h"
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
    case RETRY_GUARD_ADDRESS_IN_USE:
      return "another socket listens on this address; choose another port, or "
             "0 for any free one";
    case RETRY_GUARD_CANNOT_LISTEN:
      return "it is not possible to listen on this address; use one of this "
             "machine, and a port above 1023";
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

retry_guard_status retry_guard_stats_each(
    void (*visit)(const char *target, const retry_guard_stats *stats,
                  void *arg),
    void *arg) {
  if (visit == NULL) return RETRY_GUARD_INVALID_ARGUMENT;
  for (struct rg_target *target = rg_target_next(NULL); target != NULL;
       target = rg_target_next(target)) {
    if (atomic_load(&target->policy_number) == 0) continue;
    retry_guard_stats stats = {.size = sizeof stats};
    rg_stats_read(target, rg_clock_now(), &stats);
    visit(target->name, &stats, arg);
  }
  return RETRY_GUARD_OK;
}

const char *retry_guard_breaker_state_string(retry_guard_breaker_state state) {
  switch (state) {
    case RETRY_GUARD_BREAKER_CLOSED:
      return "closed";
    case RETRY_GUARD_BREAKER_OPEN:
      return "open";
    case RETRY_GUARD_BREAKER_HALF_OPEN:
      return "half_open";
    case RETRY_GUARD_BREAKER_STATE_COUNT:
      break;
  }
  return "unknown";
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

/* Calls `visit` with the target called `name`, with or without the scheme,
 * under the lock of the target table. */
static retry_guard_status visit_target(const char *name,
                                       void (*visit)(struct rg_target *target,
                                                     void *arg),
                                       void *arg) {
  if (rg_target_visit(name, visit, arg)) return RETRY_GUARD_OK;
  char *full = with_default_scheme(name);
  if (full == NULL) return RETRY_GUARD_OUT_OF_MEMORY;
  bool found = rg_target_visit(full, visit, arg);
  free(full);
  return found ? RETRY_GUARD_OK : RETRY_GUARD_NOT_FOUND;
}

struct snapshot {
  retry_guard_stats *stats;
  uint64_t now;
};

static void take_snapshot(struct rg_target *target, void *arg) {
  const struct snapshot *snapshot = arg;
  rg_stats_read(target, snapshot->now, snapshot->stats);
}

retry_guard_status retry_guard_stats_get(const char *target,
                                         retry_guard_stats *stats) {
  if (target == NULL || stats == NULL || stats->size != sizeof *stats)
    return RETRY_GUARD_INVALID_ARGUMENT;
  struct snapshot snapshot = {.stats = stats, .now = rg_clock_now()};
  return visit_target(target, take_snapshot, &snapshot);
}

struct reports {
  struct rg_breaker_report *all;
  size_t count;
  uint64_t now;
};

static void take_reports(struct rg_target *target, void *arg) {
  struct reports *reports = arg;
  reports->count =
      rg_breaker_report_all(&target->breakers, reports->now, reports->all);
}

static void show(const struct rg_breaker_report *report,
                 void (*visit)(const retry_guard_breaker *breaker, void *arg),
                 void *arg) {
  retry_guard_breaker breaker = {
      .scope = (retry_guard_breaker_scope)report->scope,
      .name = report->name,
      .state = (retry_guard_breaker_state)report->look.state,
      .cooldown_left_ms = report->look.left_ns / RG_NS_PER_MS,
      .opened = report->tallies[RG_TALLY_OPENED],
      .half_opened = report->tallies[RG_TALLY_HALF_OPENED],
      .closed = report->tallies[RG_TALLY_CLOSED],
      .probes = report->tallies[RG_TALLY_PROBES],
      .rejections = report->tallies[RG_TALLY_REJECTIONS],
  };
  visit(&breaker, arg);
}

retry_guard_status retry_guard_breakers_each(
    const char *target,
    void (*visit)(const retry_guard_breaker *breaker, void *arg), void *arg) {
  if (target == NULL || visit == NULL) return RETRY_GUARD_INVALID_ARGUMENT;
  struct reports reports = {.now = rg_clock_now()};
  reports.all = calloc(RG_BREAKERS_MAX, sizeof *reports.all);
  if (reports.all == NULL) return RETRY_GUARD_OUT_OF_MEMORY;
  retry_guard_status status = visit_target(target, take_reports, &reports);
  for (size_t i = 0; i < reports.count; i++) show(&reports.all[i], visit, arg);
  free(reports.all);
  return status;
}
