/* SPDX-License-Identifier: Apache-2.0 */
#include "host/breaker_report.h"

#include <string.h>

#include "core/num.h"

static uint32_t scope_of(const struct rg_breakers *breakers) {
  return atomic_load_explicit(&breakers->scope, memory_order_acquire);
}

bool rg_breaker_report_looks(const struct rg_breakers *breakers,
                             const struct rg_scoped_breaker *place,
                             uint64_t now, struct rg_breaker_look *look) {
  if (atomic_load(&place->hash) == 0 ||
      atomic_load(&place->scope) != scope_of(breakers))
    return false;
  *look = rg_breaker_look_at(&place->breaker, now);
  uint64_t used = atomic_load_explicit(&place->last_used, memory_order_relaxed);
  return look->state == RG_BREAKER_OPEN ||
         rg_num_sub(now, used) <= RG_BREAKER_IDLE_S * RG_NS_PER_S;
}

void rg_breaker_report_states(const struct rg_breakers *breakers, uint64_t now,
                              uint64_t states[RG_BREAKER_STATES]) {
  memset(states, 0, RG_BREAKER_STATES * sizeof *states);
  if (scope_of(breakers) == RG_BREAKER_PER_TARGET) {
    states[rg_breaker_look_at(&breakers->whole, now).state]++;
    return;
  }
  const struct rg_scoped_breaker *scoped = atomic_load(&breakers->scoped);
  struct rg_breaker_look look;
  for (int i = 0; i < RG_BREAKERS_MAX; i++)
    if (rg_breaker_report_looks(breakers, &scoped[i], now, &look))
      states[look.state]++;
}

static void read_tallies(RG_ATOMIC(uint64_t) * tallies,
                         struct rg_breaker_report *report) {
  for (int i = 0; i < RG_TALLIES; i++)
    report->tallies[i] =
        atomic_load_explicit(&tallies[i], memory_order_relaxed);
}

static void report_whole(struct rg_breakers *breakers, uint64_t now,
                         struct rg_breaker_report *report) {
  report->scope = RG_BREAKER_PER_TARGET;
  report->look = rg_breaker_look_at(&breakers->whole, now);
  report->name[0] = '\0';
  read_tallies(breakers->whole_tallies, report);
}

static size_t report_scoped(struct rg_breakers *breakers, uint64_t now,
                            struct rg_breaker_report *reports) {
  struct rg_scoped_breaker *place = atomic_load(&breakers->scoped);
  size_t count = 0;
  for (int i = 0; i < RG_BREAKERS_MAX; i++, place++) {
    struct rg_breaker_report *report = &reports[count];
    if (!rg_breaker_report_looks(breakers, place, now, &report->look)) continue;
    report->scope = (enum rg_breaker_scope)atomic_load(&place->scope);
    strcpy(report->name, place->name);
    read_tallies(place->tallies, report);
    count++;
  }
  return count;
}

size_t rg_breaker_report_all(struct rg_breakers *breakers, uint64_t now,
                             struct rg_breaker_report *reports) {
  if (scope_of(breakers) == RG_BREAKER_PER_TARGET) {
    report_whole(breakers, now, reports);
    return 1;
  }
  rg_breakers_lock();
  size_t count = report_scoped(breakers, now, reports);
  rg_breakers_unlock();
  return count;
}
