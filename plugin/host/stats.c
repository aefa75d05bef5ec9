/* SPDX-License-Identifier: Apache-2.0 */
#include "host/stats.h"

#include <stddef.h>

#include "host/breaker_report.h"

_Static_assert((int)RETRY_GUARD_BREAKER_STATE_COUNT == (int)RG_BREAKER_STATES,
               "the public states are the core's");

static uint64_t value_of(RG_ATOMIC(uint64_t) * counter) {
  return atomic_load_explicit(counter, memory_order_relaxed);
}

static void read_delays(struct rg_delays *delays, retry_guard_stats *stats) {
  for (size_t i = 0; i < RETRY_GUARD_DELAY_BUCKETS; i++)
    stats->delays[i] = value_of(&delays->counts[i]);
  stats->delay_ms = value_of(&delays->sum_ms);
}

void rg_stats_read_counters(struct rg_target *target,
                            retry_guard_stats *stats) {
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
  stats->marks_made = sums.marks_made;
  stats->marks_forwarded = sums.marks_forwarded;
  stats->refused_remaining = value_of(&c->refused_remaining);
  stats->breaker_rejections = value_of(&c->breaker_rejections);
  stats->breaker_opened = value_of(&c->breaker_opened);
  stats->breaker_half_opened = value_of(&c->breaker_half_opened);
  stats->breaker_closed = value_of(&c->breaker_closed);
  stats->breaker_probes = value_of(&c->breaker_probes);
  stats->breaker_stale = value_of(&c->breaker_stale);
  stats->fail_open = value_of(&c->fail_open);
  read_delays(&target->delays, stats);
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

static retry_guard_breaker_state worst_of(
    const uint64_t breakers[RETRY_GUARD_BREAKER_STATE_COUNT]) {
  if (breakers[RETRY_GUARD_BREAKER_OPEN] > 0) return RETRY_GUARD_BREAKER_OPEN;
  return breakers[RETRY_GUARD_BREAKER_HALF_OPEN] > 0
             ? RETRY_GUARD_BREAKER_HALF_OPEN
             : RETRY_GUARD_BREAKER_CLOSED;
}

void rg_stats_read(struct rg_target *target, uint64_t now,
                   retry_guard_stats *stats) {
  rg_stats_read_counters(target, stats);
  stats->tokens_outstanding = value_of(&target->counters.tokens_outstanding);
  stats->budget_milli = rg_budget_level(&target->budget, now);
  rg_breaker_report_states(&target->breakers, now, stats->breakers);
  stats->breaker_state = worst_of(stats->breakers);
  read_amplification(target, now, stats);
}

void rg_stats_add_counters(retry_guard_stats *sum,
                           const retry_guard_stats *stats) {
  sum->calls += stats->calls;
  sum->attempts += stats->attempts;
  sum->retries += stats->retries;
  sum->transparent_retries += stats->transparent_retries;
  for (int i = 0; i < RETRY_GUARD_STOP_COUNT; i++)
    sum->stops[i] += stats->stops[i];
  sum->undecided_retries += stats->undecided_retries;
  sum->rejected_retries += stats->rejected_retries;
  sum->marks_made += stats->marks_made;
  sum->marks_forwarded += stats->marks_forwarded;
  sum->refused_remaining += stats->refused_remaining;
  sum->breaker_rejections += stats->breaker_rejections;
  sum->breaker_opened += stats->breaker_opened;
  sum->breaker_half_opened += stats->breaker_half_opened;
  sum->breaker_closed += stats->breaker_closed;
  sum->breaker_probes += stats->breaker_probes;
  sum->breaker_stale += stats->breaker_stale;
  sum->fail_open += stats->fail_open;
  for (size_t i = 0; i < RETRY_GUARD_DELAY_BUCKETS; i++)
    sum->delays[i] += stats->delays[i];
  sum->delay_ms += stats->delay_ms;
}
