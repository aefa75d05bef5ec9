/* SPDX-License-Identifier: Apache-2.0 */
#include "host/target_events.h"

#include <stddef.h>

#include "host/events.h"

_Static_assert((int)RETRY_GUARD_SCOPE_BACKEND == (int)RG_BREAKER_PER_BACKEND,
               "the public scopes are the core's");
_Static_assert((int)RETRY_GUARD_CAUSE_PROBE == (int)RG_CAUSE_PROBE,
               "the public causes are the core's");

static void raise(const struct rg_target *target, retry_guard_event event) {
  event.target = target->name;
  if (event.breaker == NULL) event.breaker = "";
  rg_events_raise(&event);
}

static void raise_kind(const struct rg_target *target,
                       retry_guard_event_kind kind) {
  raise(target, (retry_guard_event){.kind = kind});
}

static void raise_alarm(struct rg_target *target, retry_guard_event_kind kind,
                        const struct rg_attempt_sums *sums, uint64_t now) {
  retry_guard_event event = {.kind = kind};
  rg_amplification_read(&target->amplification, sums->calls, sums->retries, now,
                        &event.amplification_milli);
  raise(target, event);
}

void rg_target_watch(struct rg_target *target, uint64_t now) {
  if (!rg_amplification_is_due(&target->amplification, now)) return;
  struct rg_attempt_sums sums = rg_attempt_counts_read(&target->attempts);
  uint32_t alarm_milli =
      atomic_load_explicit(&target->alarm_milli, memory_order_relaxed);
  switch (rg_amplification_note(&target->amplification, sums.calls,
                                sums.retries, alarm_milli, now)) {
    case RG_ALARM_UNCHANGED:
      break;
    case RG_ALARM_BEGAN:
      raise_alarm(target, RETRY_GUARD_EVENT_ALARM_BEGAN, &sums, now);
      break;
    case RG_ALARM_ENDED:
      raise_alarm(target, RETRY_GUARD_EVENT_ALARM_ENDED, &sums, now);
      break;
  }
}

/* ---- Breakers ------------------------------------------------------------ */

/* Of all breakers together, and of this one. */
static void count(struct rg_target *target, RG_ATOMIC(uint64_t) * counter,
                  struct rg_breaker *breaker, enum rg_breaker_tally tally) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
  rg_breakers_count(&target->breakers, breaker, tally);
}

void rg_target_breaker_probed(struct rg_target *target,
                              struct rg_breaker *breaker) {
  count(target, &target->counters.breaker_probes, breaker, RG_TALLY_PROBES);
}

void rg_target_breaker_rejected(struct rg_target *target,
                                struct rg_breaker *breaker) {
  count(target, &target->counters.breaker_rejections, breaker,
        RG_TALLY_REJECTIONS);
}

static void raise_moved(const struct rg_target *target,
                        const struct rg_breaker *breaker,
                        const struct rg_breaker_key *key,
                        retry_guard_event event) {
  char name[RG_BREAKER_NAME_SIZE];
  event.scope = (retry_guard_breaker_scope)rg_breakers_name(&target->breakers,
                                                            breaker, key, name);
  event.breaker = name;
  raise(target, event);
}

void rg_target_breaker_half_opened(struct rg_target *target,
                                   struct rg_breaker *breaker,
                                   const struct rg_breaker_key *key) {
  count(target, &target->counters.breaker_half_opened, breaker,
        RG_TALLY_HALF_OPENED);
  raise_moved(
      target, breaker, key,
      (retry_guard_event){.kind = RETRY_GUARD_EVENT_BREAKER_HALF_OPENED});
}

static void note_opened(struct rg_target *target, struct rg_breaker *breaker,
                        const struct rg_breaker_key *key) {
  struct rg_breaker_cause cause = rg_breaker_cause_of(breaker);
  count(target, &target->counters.breaker_opened, breaker, RG_TALLY_OPENED);
  raise_moved(target, breaker, key,
              (retry_guard_event){
                  .kind = RETRY_GUARD_EVENT_BREAKER_OPENED,
                  .cause = (retry_guard_breaker_cause)cause.kind,
                  .failures = cause.failures,
                  .total = cause.total,
              });
}

static void note_closed(struct rg_target *target, struct rg_breaker *breaker,
                        const struct rg_breaker_key *key) {
  count(target, &target->counters.breaker_closed, breaker, RG_TALLY_CLOSED);
  raise_moved(target, breaker, key,
              (retry_guard_event){.kind = RETRY_GUARD_EVENT_BREAKER_CLOSED});
}

void rg_target_breaker_settled(struct rg_target *target,
                               struct rg_breaker *breaker,
                               const struct rg_breaker_key *key,
                               enum rg_settlement settlement) {
  switch (settlement) {
    case RG_SETTLED:
      break;
    case RG_SETTLED_STALE:
      atomic_fetch_add_explicit(&target->counters.breaker_stale, 1,
                                memory_order_relaxed);
      break;
    case RG_SETTLED_OPENED:
      note_opened(target, breaker, key);
      break;
    case RG_SETTLED_CLOSED:
      note_closed(target, breaker, key);
      break;
  }
}

/* ---- The budget ---------------------------------------------------------- */

void rg_target_budget_paid(struct rg_target *target) {
  if (atomic_load_explicit(&target->out_of_budget, memory_order_relaxed))
    atomic_store_explicit(&target->out_of_budget, false, memory_order_relaxed);
}

void rg_target_budget_refused(struct rg_target *target) {
  if (!atomic_exchange_explicit(&target->out_of_budget, true,
                                memory_order_relaxed))
    raise_kind(target, RETRY_GUARD_EVENT_BUDGET_EXHAUSTED);
}
