/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/families.h"

#include <stddef.h>

#define MAX_SERIES 3

/* One series of a family: where its value is, and by which value of the
 * family's label it is told from the others. */
struct series {
  const char *label;
  size_t at;
};

/* A family whose samples are 64-bit members of one struct. */
struct table {
  struct rg_family family;
  const char *key; /* of the label that tells the series apart; NULL: none */
  bool milli;      /* the values are in thousandths */
  struct series series[MAX_SERIES]; /* ends before an `at` of 0 */
};

#define OF(member) offsetof(struct rg_snapshot_target, member)
#define STAT(member) OF(stats.member)
#define PROCESS(member) offsetof(retry_guard_process_stats, member)

static const struct table of_targets[] = {
    {{"retry_guard_calls", RG_METRIC_COUNTER, NULL,
      "Calls of which at least one attempt began."},
     NULL,
     false,
     {{NULL, STAT(calls)}}},
    {{"retry_guard_attempts", RG_METRIC_COUNTER, NULL,
      "Attempts begun: the first of a call, a retry, or one that gRPC repeated "
      "transparently since no server saw it."},
     "kind",
     false,
     {{"first", STAT(calls)},
      {"retry", STAT(retries)},
      {"transparent", STAT(transparent_retries)}}},
    {{"retry_guard_retries_undecided", RG_METRIC_COUNTER, NULL,
      "Retries that gRPC began without asking, and that got a token."},
     NULL,
     false,
     {{NULL, STAT(undecided_retries)}}},
    {{"retry_guard_retries_rejected", RG_METRIC_COUNTER, NULL,
      "Retries that gRPC began without asking, and that were ended locally."},
     NULL,
     false,
     {{NULL, STAT(rejected_retries)}}},
    {{"retry_guard_amplification_ratio", RG_METRIC_GAUGE, "ratio",
      "Retries for each call of the last minute; healthy below 0.1. Of several "
      "targets the highest."},
     NULL,
     true,
     {{NULL, OF(amplification_milli)}}},
    {{"retry_guard_amplification_alarm", RG_METRIC_GAUGE, NULL,
      "1 while the amplification has been above the policy's "
      "amplificationAlarm for a minute, and not well below since."},
     NULL,
     false,
     {{NULL, OF(alarms)}}},
    {{"retry_guard_budget_tokens", RG_METRIC_GAUGE, NULL,
      "Retries that the budget would let through now; +Inf: no limit."},
     NULL,
     true,
     {{NULL, STAT(budget_milli)}}},
    {{"retry_guard_tokens_outstanding", RG_METRIC_GAUGE, NULL,
      "Retries that are decided and wait for their delay to pass."},
     NULL,
     false,
     {{NULL, STAT(tokens_outstanding)}}},
    {{"retry_guard_breaker_state", RG_METRIC_GAUGE, NULL,
      "How many circuit breakers of the target are in each state: its own, or "
      "those of its services, methods or backends."},
     "state",
     false,
     {{"closed", STAT(breakers[RETRY_GUARD_BREAKER_CLOSED])},
      {"open", STAT(breakers[RETRY_GUARD_BREAKER_OPEN])},
      {"half_open", STAT(breakers[RETRY_GUARD_BREAKER_HALF_OPEN])}}},
    {{"retry_guard_breaker_transitions", RG_METRIC_COUNTER, NULL,
      "Transitions of all circuit breakers of the target, by the new state."},
     "to",
     false,
     {{"closed", STAT(breaker_closed)},
      {"open", STAT(breaker_opened)},
      {"half_open", STAT(breaker_half_opened)}}},
    {{"retry_guard_breaker_rejections", RG_METRIC_COUNTER, NULL,
      "Attempts and calls that an open breaker kept from the network."},
     NULL,
     false,
     {{NULL, STAT(breaker_rejections)}}},
    {{"retry_guard_breaker_probes", RG_METRIC_COUNTER, NULL,
      "Attempts that a half-open breaker let through to see."},
     NULL,
     false,
     {{NULL, STAT(breaker_probes)}}},
    {{"retry_guard_breaker_stale_results", RG_METRIC_COUNTER, NULL,
      "Results that came after a transition of their breaker, and did not "
      "count."},
     NULL,
     false,
     {{NULL, STAT(breaker_stale)}}},
    {{"retry_guard_calls_refused", RG_METRIC_COUNTER, NULL,
      "Calls that were not sent, since less than minRemaining was left of "
      "their deadline."},
     NULL,
     false,
     {{NULL, STAT(refused_remaining)}}},
    {{"retry_guard_marks_sent", RG_METRIC_COUNTER, NULL,
      "Retry marks put on attempts: made here, as the layer that retries, or "
      "forwarded from an incoming call."},
     "kind",
     false,
     {{"made", STAT(marks_made)}, {"forwarded", STAT(marks_forwarded)}}},
    {{"retry_guard_fail_open", RG_METRIC_COUNTER, NULL,
      "Times the guard failed itself and let a call pass untouched."},
     NULL,
     false,
     {{NULL, STAT(fail_open)}}},
};

#define TOLD(member) offsetof(struct rg_told_breaker, member)

/* Not of the target's own breaker, of which the families above tell. */
static const struct table of_breakers[] = {
    {{"retry_guard_scope_breaker_state", RG_METRIC_GAUGE, NULL,
      "1 for the state that the circuit breaker of a service, method or "
      "backend is in; how many of the others are in it."},
     "state",
     false,
     {{"closed", TOLD(states[RG_BREAKER_CLOSED])},
      {"open", TOLD(states[RG_BREAKER_OPEN])},
      {"half_open", TOLD(states[RG_BREAKER_HALF_OPEN])}}},
    {{"retry_guard_scope_breaker_transitions", RG_METRIC_COUNTER, NULL,
      "Transitions of such a circuit breaker, by the new state."},
     "to",
     false,
     {{"closed", TOLD(tallies[RG_TALLY_CLOSED])},
      {"open", TOLD(tallies[RG_TALLY_OPENED])},
      {"half_open", TOLD(tallies[RG_TALLY_HALF_OPENED])}}},
    {{"retry_guard_scope_breaker_rejections", RG_METRIC_COUNTER, NULL,
      "Attempts and calls that it kept from the network."},
     NULL,
     false,
     {{NULL, TOLD(tallies[RG_TALLY_REJECTIONS])}}},
    {{"retry_guard_scope_breaker_probes", RG_METRIC_COUNTER, NULL,
      "Attempts that it let through, half-open, to see."},
     NULL,
     false,
     {{NULL, TOLD(tallies[RG_TALLY_PROBES])}}},
};

static const struct table of_process[] = {
    {{"retry_guard_marks_received", RG_METRIC_COUNTER, NULL,
      "Retry marks of incoming calls: accepted, stripped since marks are not "
      "believed here, or rejected as undecodable or too far travelled."},
     "result",
     false,
     {{"accepted", PROCESS(marks_accepted)},
      {"stripped", PROCESS(marks_stripped)},
      {"rejected", PROCESS(marks_rejected)}}},
    {{"retry_guard_foreign_retries", RG_METRIC_COUNTER, NULL,
      "Incoming calls without a mark whose caller says that it retries by "
      "itself."},
     NULL,
     false,
     {{NULL, PROCESS(foreign_retries)}}},
    {{"retry_guard_callers_stopped", RG_METRIC_COUNTER, NULL,
      "Answers with an error that told the caller not to retry."},
     NULL,
     false,
     {{NULL, PROCESS(callers_stopped)}}},
    {{"retry_guard_process_fail_open", RG_METRIC_COUNTER, NULL,
      "Times the guard failed itself outside any target."},
     NULL,
     false,
     {{NULL, PROCESS(fail_open)}}},
};

static const struct rg_family stopped = {
    "retry_guard_retries_stopped", RG_METRIC_COUNTER, NULL,
    "Retries that gRPC would have made and the guard refused, by reason."};

static const struct rg_family delay = {"retry_guard_retry_delay_seconds",
                                       RG_METRIC_HISTOGRAM, "seconds",
                                       "How long retries were made to wait."};

static const struct rg_family build = {"retry_guard_build", RG_METRIC_INFO,
                                       NULL, "The version of the plugin."};

/* ---- Tables -------------------------------------------------------------- */

/* Series have 64 bits. */
static uint64_t read_at(const void *base, size_t at) {
  return *(const uint64_t *)((const char *)base + at);
}

/* `labels` has room for one more at its end. */
static void write_samples(struct rg_page *page, const struct table *table,
                          const void *base, struct rg_labels labels) {
  for (size_t i = 0; i < MAX_SERIES && table->series[i].at != 0; i++) {
    const struct series *series = &table->series[i];
    uint64_t value = read_at(base, series->at);
    labels.at[RG_LABELS_MAX - 1] = (struct rg_label){table->key, series->label};
    (table->milli ? rg_page_sample_milli : rg_page_sample)(page, &table->family,
                                                           "", labels, value);
  }
}

static struct rg_labels labels_of(const struct rg_snapshot_target *target) {
  return (struct rg_labels){{{"target", target->name}}};
}

static void write_of_targets(struct rg_page *page,
                             const struct rg_snapshot *snapshot) {
  for (size_t i = 0; i < sizeof of_targets / sizeof of_targets[0]; i++) {
    rg_page_family(page, &of_targets[i].family);
    for (size_t n = 0; n < snapshot->count; n++)
      write_samples(page, &of_targets[i], &snapshot->targets[n],
                    labels_of(&snapshot->targets[n]));
  }
}

static void write_breakers(struct rg_page *page, const struct table *table,
                           const struct rg_snapshot_target *target) {
  struct rg_labels labels = labels_of(target);
  for (size_t i = 0; i < target->breaker_count; i++) {
    labels.at[1] = (struct rg_label){"scope", target->breakers[i].name};
    write_samples(page, table, &target->breakers[i], labels);
  }
}

static void write_of_breakers(struct rg_page *page,
                              const struct rg_snapshot *snapshot) {
  for (size_t i = 0; i < sizeof of_breakers / sizeof of_breakers[0]; i++) {
    rg_page_family(page, &of_breakers[i].family);
    for (size_t n = 0; n < snapshot->count; n++)
      write_breakers(page, &of_breakers[i], &snapshot->targets[n]);
  }
}

static void write_of_process(struct rg_page *page,
                             const struct rg_snapshot *snapshot) {
  for (size_t i = 0; i < sizeof of_process / sizeof of_process[0]; i++) {
    rg_page_family(page, &of_process[i].family);
    write_samples(page, &of_process[i], &snapshot->process,
                  (struct rg_labels){{{NULL, NULL}}});
  }
}

/* ---- The others ---------------------------------------------------------- */

static void write_stops(struct rg_page *page,
                        const struct rg_snapshot_target *target) {
  struct rg_labels labels = labels_of(target);
  for (int i = 0; i < RETRY_GUARD_STOP_COUNT; i++) {
    labels.at[1] = (struct rg_label){
        "reason", retry_guard_stop_string((retry_guard_stop)i)};
    rg_page_sample(page, &stopped, "", labels, target->stats.stops[i]);
  }
}

/* The buckets of the text hold what those below them hold, too; the last one
 * is the count, so that both agree whatever is written meanwhile. */
static void write_delays(struct rg_page *page,
                         const struct rg_snapshot_target *target) {
  struct rg_labels labels = labels_of(target);
  uint64_t count = 0;
  for (size_t i = 0; i < RETRY_GUARD_DELAY_BUCKETS; i++) {
    char bound[RG_MILLI_SIZE];
    rg_milli_text(retry_guard_delay_bound_ms(i), bound);
    count += target->stats.delays[i];
    labels.at[1] = (struct rg_label){"le", bound};
    rg_page_sample(page, &delay, "_bucket", labels, count);
  }
  rg_page_sample_milli(page, &delay, "_sum", labels_of(target),
                       target->stats.delay_ms);
  rg_page_sample(page, &delay, "_count", labels_of(target), count);
}

void rg_families_write(struct rg_page *page,
                       const struct rg_snapshot *snapshot) {
  write_of_targets(page, snapshot);
  rg_page_family(page, &stopped);
  for (size_t n = 0; n < snapshot->count; n++)
    write_stops(page, &snapshot->targets[n]);
  write_of_breakers(page, snapshot);
  rg_page_family(page, &delay);
  for (size_t n = 0; n < snapshot->count; n++)
    write_delays(page, &snapshot->targets[n]);
  write_of_process(page, snapshot);
  rg_page_family(page, &build);
  rg_page_sample(
      page, &build, "",
      (struct rg_labels){{{"version", retry_guard_version_string()}}}, 1);
}
