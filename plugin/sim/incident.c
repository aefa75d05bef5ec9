/* SPDX-License-Identifier: Apache-2.0 */
#include "core/num.h"
#include "sim/parts.h"

static struct rg_tier *tier_of(struct rg_sim_fleet *fleet,
                               const struct rg_incident_spec *incident) {
  return &fleet->tiers[incident->tier];
}

static const struct rg_incident_spec *numbered(const struct rg_sim_fleet *fleet,
                                               uint32_t number) {
  return &fleet->scenario->incidents[number];
}

/* The subject is an instance, the serial the number of the incident. */
static void begin(struct rg_sim_fleet *fleet, void *subject, uint32_t serial) {
  struct rg_instance *instance = subject;
  const struct rg_incident_spec *incident = numbered(fleet, serial);
  switch (incident->kind) {
    case RG_INCIDENT_PAUSE:
      rg_server_pause(fleet, instance, fleet->now + incident->lasts_ns);
      break;
    case RG_INCIDENT_SLOW:
      instance->slowed_by = incident;
      instance->slowed_at = fleet->now;
      break;
    case RG_INCIDENT_ERRORS:
      instance->failed_by = incident;
      break;
    case RG_INCIDENT_CRASH:
    case RG_INCIDENT_ROLLING_RESTART:
      rg_server_crash(fleet, instance, fleet->now + incident->lasts_ns);
      break;
  }
}

static void end(struct rg_sim_fleet *fleet, void *subject, uint32_t serial) {
  struct rg_instance *instance = subject;
  const struct rg_incident_spec *incident = numbered(fleet, serial);
  switch (incident->kind) {
    case RG_INCIDENT_PAUSE:
      rg_server_go_on(fleet, instance);
      break;
    case RG_INCIDENT_SLOW:
      if (instance->slowed_by == incident) instance->slowed_by = NULL;
      break;
    case RG_INCIDENT_ERRORS:
      if (instance->failed_by == incident) instance->failed_by = NULL;
      break;
    case RG_INCIDENT_CRASH:
    case RG_INCIDENT_ROLLING_RESTART:
      rg_server_come_up(fleet, instance);
      break;
  }
}

static void plan(struct rg_sim_fleet *fleet, uint32_t number) {
  const struct rg_incident_spec *incident = numbered(fleet, number);
  bool rolls = incident->kind == RG_INCIDENT_ROLLING_RESTART;
  for (uint32_t i = 0; i < incident->instances; i++) {
    struct rg_instance *instance = &tier_of(fleet, incident)->instances[i];
    uint64_t at = rg_num_add(fleet->begin, incident->at);
    if (rolls) at += i * incident->lasts_ns;
    rg_fleet_plan(fleet, at, begin, instance, number);
    rg_fleet_plan(fleet, rg_num_add(at, incident->lasts_ns), end, instance,
                  number);
  }
}

void rg_incidents_plan(struct rg_sim_fleet *fleet) {
  for (size_t i = 0; i < fleet->scenario->incident_count; i++)
    plan(fleet, (uint32_t)i);
}
