/* SPDX-License-Identifier: Apache-2.0 */
#include "host/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/num.h"
#include "retry_guard/retry_guard.h"

static void append(char *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void append(char *line, const char *format, ...) {
  size_t used = strlen(line);
  va_list args;
  va_start(args, format);
  vsnprintf(line + used, RG_TRACE_LINE_SIZE - used, format, args);
  va_end(args);
}

static void begin(const struct rg_call *call, char *line) {
  snprintf(line, RG_TRACE_LINE_SIZE, "%.300s call %p", call->target->name,
           (const void *)call);
}

static const char *lineage_name(enum rg_lineage lineage) {
  static const char *const names[] = {
      [RG_LINEAGE_UNMARKED] = "unmarked",
      [RG_LINEAGE_MARKED] = "marked",
      [RG_LINEAGE_MARKED_NO_FORWARD] = "marked to the end",
  };
  return names[lineage];
}

static const char *origin_name(enum rg_mark_origin origin) {
  static const char *const names[RG_MARK_ORIGINS] = {
      [RG_MARK_NOT_SENT] = "none",
      [RG_MARK_MADE] = "made",
      [RG_MARK_FORWARDED] = "forwarded",
  };
  return names[origin];
}

static const char *state_name(const struct rg_breaker *breaker) {
  static const char *const names[] = {
      [RG_BREAKER_CLOSED] = "closed",
      [RG_BREAKER_OPEN] = "open",
      [RG_BREAKER_HALF_OPEN] = "half-open",
  };
  return breaker != NULL ? names[rg_breaker_state_of(breaker)] : "none";
}

/* `backend` is that of the attempt. */
static void append_breaker(char *line, const struct rg_call *call,
                           const struct rg_breaker *breaker,
                           const struct rg_backend *backend) {
  struct rg_breaker_key key = call->key;
  char name[RG_BREAKER_NAME_SIZE] = "";
  key.backend = backend;
  if (breaker != NULL)
    rg_breakers_name(&call->target->breakers, breaker, &key, name);
  append(line, " breaker=%s%s%s", state_name(breaker),
         name[0] != '\0' ? " of " : "", name);
}

static void append_refusal(char *line, const struct rg_admission *admission) {
  switch (admission->refusal) {
    case RG_REFUSED_NOT:
      break;
    case RG_REFUSED_BREAKER:
      append(line, ": refused, breaker open for %" PRIu64 " ms more",
             admission->left_ns / RG_NS_PER_MS);
      break;
    case RG_REFUSED_REMAINING:
      append(line, ": refused, less than minRemaining is left");
      break;
    case RG_REFUSED_RETRY:
      append(line, ": refused, %s",
             retry_guard_stop_string((retry_guard_stop)admission->stop));
      break;
  }
}

static void append_time_left(char *line, const char *what, uint64_t deadline,
                             uint64_t now) {
  if (deadline == RG_DEADLINE_NONE)
    append(line, " %s=none", what);
  else
    append(line, " %s=%" PRIu64 "ms", what,
           rg_num_sub(deadline, now) / RG_NS_PER_MS);
}

static void append_budget(char *line, const struct rg_call *call,
                          uint64_t now) {
  if (call->budget == NULL)
    append(line, " budget=unlimited");
  else
    append(line, " budget=%" PRIu64, rg_budget_level(call->budget, now));
}

void rg_trace_admission(const struct rg_call *call,
                        const struct rg_attempt *attempt,
                        const struct rg_attempt_facts *facts,
                        const struct rg_admission *admission, uint64_t now,
                        char line[RG_TRACE_LINE_SIZE]) {
  begin(call, line);
  append(line, " attempt %" PRIu32 " begins: previous=%" PRIu32 " lineage=%s",
         call->attempts_begun, facts->previous_attempts,
         lineage_name(call->ancestry->lineage));
  append_breaker(line, call, attempt->breaker, facts->backend);
  append_time_left(line, "left", call->deadline, now);
  append_time_left(line, "timer", admission->deadline, now);
  append(line, " mark=%s", origin_name(admission->mark_origin));
  append_refusal(line, admission);
}

static void append_pushback(char *line, struct rg_pushback pushback) {
  if (pushback.kind == RG_PUSHBACK_ABSENT)
    append(line, " pushback=none");
  else if (pushback.kind == RG_PUSHBACK_STOP)
    append(line, " pushback=stop");
  else
    append(line, " pushback=%" PRIu64 "ms", pushback.delay_ms);
}

static void append_verdict(char *line, const struct rg_verdict *verdict) {
  switch (verdict->action) {
    case RG_ACTION_LEAVE:
      append(line, ": left alone");
      break;
    case RG_ACTION_STOP:
      append(line, ": stopped, %s",
             retry_guard_stop_string((retry_guard_stop)verdict->reason));
      break;
    case RG_ACTION_RETRY:
      append(line, ": retried after %s%" PRIu64 " ms",
             verdict->delay.native ? "at most " : "", verdict->delay.ms);
      break;
  }
}

void rg_trace_verdict(const struct rg_call *call,
                      const struct rg_attempt *attempt,
                      const struct rg_outcome *outcome,
                      const struct rg_verdict *verdict, uint64_t now,
                      char line[RG_TRACE_LINE_SIZE]) {
  static const char *const networks[] = {
      [RG_NETWORK_UNKNOWN] = "unknown",
      [RG_NETWORK_NOT_SENT] = "not sent",
      [RG_NETWORK_NOT_SEEN] = "not seen",
  };
  begin(call, line);
  append(line,
         " attempt %" PRIu32 " ends: status=%" PRIu32
         " network=%s local=%d committed=%d compressed=%d",
         attempt->number, outcome->status, networks[outcome->network],
         outcome->local, outcome->committed || call->committed,
         call->compressed);
  append_breaker(line, call, attempt->breaker, attempt->backend);
  append_pushback(line, outcome->pushback);
  append_time_left(line, "left", call->deadline, now);
  append_budget(line, call, now);
  append_verdict(line, verdict);
}

void rg_trace_call(const struct rg_call *call,
                   const struct rg_admission *admission,
                   char line[RG_TRACE_LINE_SIZE]) {
  begin(call, line);
  append(line, " begins:");
  append_breaker(line, call, call->breaker, NULL);
  append_refusal(line, admission);
}
