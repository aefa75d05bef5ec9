/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/outage.h"

struct span {
  uint64_t from;
  uint64_t until;
};

/* From when and until when the incident concerns the server; empty: never. */
static struct span span_of(const struct rg_place *place,
                           const struct rg_incident_spec *incident) {
  struct span span = {incident->at, incident->at + incident->lasts_ns};
  if (incident->tier != place->tier || place->instance >= incident->instances)
    return (struct span){0, 0};
  if (incident->kind == RG_INCIDENT_ROLLING_RESTART) {
    span.from += place->instance * incident->lasts_ns;
    span.until += place->instance * incident->lasts_ns;
  }
  return span;
}

/* The incident of this kind that goes on, and its span; NULL: none. Of several
 * the last one counts. */
static const struct rg_incident_spec *going_on(const struct rg_place *place,
                                               enum rg_incident_kind kind,
                                               uint64_t now,
                                               struct span *span) {
  for (size_t i = place->scenario->incident_count; i > 0; i--) {
    const struct rg_incident_spec *incident =
        &place->scenario->incidents[i - 1];
    *span = span_of(place, incident);
    if (incident->kind == kind && now >= span->from && now < span->until)
      return incident;
  }
  return NULL;
}

bool rg_outage_pauses(const struct rg_place *place, uint64_t now,
                      uint64_t *until) {
  struct span span;
  if (going_on(place, RG_INCIDENT_PAUSE, now, &span) == NULL) return false;
  *until = span.until;
  return true;
}

static uint64_t next_pause(const struct rg_place *place, uint64_t after) {
  uint64_t next = RG_NEVER;
  for (size_t i = 0; i < place->scenario->incident_count; i++) {
    const struct rg_incident_spec *incident = &place->scenario->incidents[i];
    struct span span = span_of(place, incident);
    if (incident->kind != RG_INCIDENT_PAUSE || span.until == 0) continue;
    if (span.from > after && span.from < next) next = span.from;
  }
  return next;
}

uint64_t rg_outage_work_end(const struct rg_place *place, uint64_t begin,
                            uint64_t work_ns) {
  uint64_t now = begin;
  for (;;) {
    while (rg_outage_pauses(place, now, &now)) {
    }
    uint64_t pause = next_pause(place, now);
    if (pause - now >= work_ns) return now + work_ns;
    work_ns -= pause - now;
    now = pause;
  }
}

double rg_outage_slowness(const struct rg_place *place, uint64_t now) {
  struct span span;
  const struct rg_incident_spec *slow =
      going_on(place, RG_INCIDENT_SLOW, now, &span);
  if (slow == NULL) return 1;
  if (!slow->easing) return slow->factor;
  double passed = (double)(now - span.from) / (double)slow->lasts_ns;
  return 1 + (slow->factor - 1) * (1 - passed);
}

double rg_outage_error_share(const struct rg_place *place, uint64_t now) {
  struct span span;
  const struct rg_incident_spec *errors =
      going_on(place, RG_INCIDENT_ERRORS, now, &span);
  return errors != NULL ? errors->share : 0;
}

static bool is_crash(const struct rg_incident_spec *incident) {
  return incident->kind == RG_INCIDENT_CRASH ||
         incident->kind == RG_INCIDENT_ROLLING_RESTART;
}

bool rg_outage_next_crash(const struct rg_place *place, uint64_t after,
                          uint64_t *at, bool *comes_back) {
  *at = RG_NEVER;
  for (size_t i = 0; i < place->scenario->incident_count; i++) {
    const struct rg_incident_spec *incident = &place->scenario->incidents[i];
    struct span span = span_of(place, incident);
    if (!is_crash(incident) || span.until == 0) continue;
    uint64_t next = span.from > after ? span.from : span.until;
    if (next <= after || next >= *at) continue;
    *at = next;
    *comes_back = next == span.until;
  }
  return *at != RG_NEVER;
}
