/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/scenario_build.h"

#include <stdlib.h>
#include <string.h>

#include "config/json_path.h"
#include "config/message_field.h"
#include "core/num.h"

#define MICRO 1000000

/* An element of one of the scenario's lists. */
struct place {
  struct rg_json_path list;
  struct rg_json_path element;
  struct rg_faults *faults;
};

/* Its address is in it: it must not be copied. */
static void set_place(struct place *place, const char *list, size_t index,
                      struct rg_faults *faults) {
  static const struct rg_json_path root = {.key = ""};
  place->list = (struct rg_json_path){.parent = &root, .key = list};
  place->element =
      (struct rg_json_path){.parent = &place->list, .index = index};
  place->faults = faults;
}

static void missing(const struct place *place, const char *member,
                    const char *what) {
  struct rg_json_path path = {.parent = &place->element, .key = member};
  rg_json_path_fault(&path, place->faults, RG_FAULT_MISSING, "must be %s",
                     what);
}

static void wrong(const struct place *place, const char *member,
                  const char *what, const char *got) {
  struct rg_json_path path = {.parent = &place->element, .key = member};
  rg_json_path_fault(&path, place->faults, RG_FAULT_VALUE, "must be %s, got %s",
                     what, got);
}

static uint64_t time_of(const RetryGuard__V1__Duration *duration,
                        uint64_t otherwise) {
  if (duration == NULL) return otherwise;
  return rg_duration_ns(rg_message_get_duration(&duration->base));
}

/* The list's memory, zeroed; never NULL without a fault. */
static void *new_list(size_t count, size_t size, struct rg_faults *faults) {
  void *list = calloc(count > 0 ? count : 1, size);
  if (list == NULL) rg_faults_add_out_of_memory(faults);
  return list;
}

static bool find_tier(const struct rg_scenario *scenario, const char *name,
                      size_t *tier) {
  for (size_t i = 0; i < scenario->tier_count; i++) {
    if (strcmp(scenario->tiers[i].name, name) != 0) continue;
    *tier = i;
    return true;
  }
  return false;
}

/* ---- Tiers --------------------------------------------------------------- */

static void build_calls(struct rg_scenario *scenario, size_t caller,
                        const struct place *place) {
  const RetryGuard__V1__Tier *from = scenario->message->tiers[caller];
  struct rg_tier_spec *tier = &scenario->tiers[caller];
  tier->calls = new_list(from->n_calls, sizeof tier->calls[0], place->faults);
  if (tier->calls == NULL) return;
  for (size_t i = 0; i < from->n_calls; i++) {
    size_t called = 0;
    if (!find_tier(scenario, from->calls[i], &called) || called <= caller)
      wrong(place, "calls", "tiers further down the list", from->calls[i]);
    tier->calls[tier->call_count++] = called;
  }
}

static void build_tier(struct rg_scenario *scenario, size_t number,
                       const struct place *place) {
  const RetryGuard__V1__Tier *from = scenario->message->tiers[number];
  size_t namesake;
  const char *name = from->name != NULL ? from->name : "";
  if (name[0] == '\0') missing(place, "name", "given");
  scenario->tier_count = number;
  if (find_tier(scenario, name, &namesake))
    wrong(place, "name", "a name that no tier has yet", name);
  scenario->tiers[number] = (struct rg_tier_spec){
      .name = name,
      .instances = from->has_instances ? from->instances : 1,
      .workers = from->has_workers ? from->workers : 1,
      .queue = from->has_queue ? from->queue : RG_NO_LIMIT,
      .service_ns = time_of(from->service_time, RG_NS_PER_MS),
      .is_constant =
          from->has_distribution &&
          from->distribution == RETRY_GUARD__V1__TIER__DISTRIBUTION__CONSTANT,
      .drops_abandoned = from->has_drops_abandoned && from->drops_abandoned,
  };
  scenario->tier_count = number + 1;
}

static void build_tiers(struct rg_scenario *scenario,
                        struct rg_faults *faults) {
  size_t count = scenario->message->n_tiers;
  struct place place;
  scenario->tiers = new_list(count, sizeof scenario->tiers[0], faults);
  if (scenario->tiers == NULL) return;
  for (size_t i = 0; i < count; i++) {
    set_place(&place, "tiers", i, faults);
    build_tier(scenario, i, &place);
  }
  for (size_t i = 0; i < count; i++) {
    set_place(&place, "tiers", i, faults);
    build_calls(scenario, i, &place);
  }
  if (count == 0)
    rg_faults_add(faults, RG_FAULT_MISSING, "tiers", "must not be empty");
}

/* The tier that `member` names, `otherwise` without it. */
static size_t tier_of(const struct rg_scenario *scenario, const char *name,
                      size_t otherwise, const struct place *place,
                      const char *member) {
  size_t tier = otherwise;
  if (name != NULL && !find_tier(scenario, name, &tier))
    wrong(place, member, "the name of a tier", name);
  return tier;
}

/* ---- Loads and incidents ------------------------------------------------- */

static enum rg_arrival arrival_of(const RetryGuard__V1__Load *from) {
  switch (from->arrival_case) {
    case RETRY_GUARD__V1__LOAD__ARRIVAL_CALLS_PER_SECOND:
      return RG_ARRIVAL_RATE;
    case RETRY_GUARD__V1__LOAD__ARRIVAL_INTERVAL:
      return RG_ARRIVAL_INTERVAL;
    default:
      return RG_ARRIVAL_AT_ONCE;
  }
}

static void check_arrival(const RetryGuard__V1__Load *from,
                          const struct place *place) {
  bool missed = from->arrival_case == RETRY_GUARD__V1__LOAD__ARRIVAL__NOT_SET ||
                (from->arrival_case == RETRY_GUARD__V1__LOAD__ARRIVAL_AT_ONCE &&
                 !from->at_once);
  if (missed)
    rg_json_path_fault(&place->element, place->faults, RG_FAULT_MISSING,
                       "must say when they call: callsPerSecond, interval, or "
                       "atOnce true");
}

static void build_load(struct rg_scenario *scenario, size_t number,
                       const struct place *place) {
  const RetryGuard__V1__Load *from = scenario->message->loads[number];
  check_arrival(from, place);
  enum rg_arrival arrival = arrival_of(from);
  scenario->loads[number] = (struct rg_load_spec){
      .clients = from->has_clients ? from->clients : 1,
      .tier = tier_of(scenario, from->calls, 0, place, "calls"),
      .arrival = arrival,
      .calls_per_s = arrival == RG_ARRIVAL_RATE ? from->calls_per_second : 0,
      .interval_ns =
          arrival == RG_ARRIVAL_INTERVAL ? time_of(from->interval, 0) : 0,
      .deadline_ns = time_of(from->deadline, RG_NEVER),
  };
}

static void build_loads(struct rg_scenario *scenario,
                        struct rg_faults *faults) {
  size_t count = scenario->message->n_loads;
  struct place place;
  scenario->loads = new_list(count, sizeof scenario->loads[0], faults);
  if (scenario->loads == NULL) return;
  scenario->load_count = count;
  for (size_t i = 0; i < count; i++) {
    set_place(&place, "loads", i, faults);
    build_load(scenario, i, &place);
  }
  if (count == 0)
    rg_faults_add(faults, RG_FAULT_MISSING, "loads", "must not be empty");
}

static void set_end(struct rg_incident_spec *incident) {
  uint64_t restarts =
      incident->kind == RG_INCIDENT_ROLLING_RESTART ? incident->instances : 1;
  incident->end =
      rg_num_add(incident->at, rg_num_mul(restarts, incident->lasts_ns));
}

static void build_incident(struct rg_scenario *scenario, size_t number,
                           const struct place *place) {
  const RetryGuard__V1__Incident *from = scenario->message->incidents[number];
  size_t last = scenario->tier_count > 0 ? scenario->tier_count - 1 : 0;
  size_t tier = tier_of(scenario, from->tier, last, place, "tier");
  struct rg_incident_spec *incident = &scenario->incidents[number];
  uint32_t all = scenario->tier_count > 0 ? scenario->tiers[tier].instances : 1;
  if (!from->has_kind) missing(place, "kind", "given");
  *incident = (struct rg_incident_spec){
      .kind = (enum rg_incident_kind)from->kind,
      .tier = tier,
      .at = time_of(from->at, 0),
      .lasts_ns = time_of(from->lasts, RG_NS_PER_S),
      .instances = from->has_instances ? from->instances : all,
      .factor = from->has_factor ? from->factor : 2,
      .easing = from->has_easing && from->easing,
      .share = from->has_share ? from->share : 1,
  };
  if (incident->instances > all) incident->instances = all;
  set_end(incident);
}

static void build_incidents(struct rg_scenario *scenario,
                            struct rg_faults *faults) {
  size_t count = scenario->message->n_incidents;
  struct place place;
  scenario->incidents = new_list(count, sizeof scenario->incidents[0], faults);
  if (scenario->incidents == NULL) return;
  scenario->incident_count = count;
  for (size_t i = 0; i < count; i++) {
    set_place(&place, "incidents", i, faults);
    build_incident(scenario, i, &place);
  }
}

/* ---- Variants ------------------------------------------------------------ */

static uint64_t ms_of(const RetryGuard__V1__Duration *duration,
                      uint64_t otherwise) {
  return time_of(duration, otherwise * RG_NS_PER_MS) / RG_NS_PER_MS;
}

static struct rg_loop_spec loop_of(const RetryGuard__V1__Loop *from) {
  uint32_t attempts = from->has_attempts ? from->attempts : 5;
  double multiplier = from->has_multiplier ? from->multiplier : 1;
  return (struct rg_loop_spec){
      .attempts = attempts > 0 ? attempts : RG_NO_LIMIT,
      .attempt_ns = time_of(from->attempt_timeout, RG_NEVER),
      .jitter = from->has_jitter ? (enum rg_loop_jitter)from->jitter
                                 : RG_LOOP_JITTER_NONE,
      .pauses = {.initial_backoff_ms = ms_of(from->initial_pause, 0),
                 .max_backoff_ms = ms_of(from->max_pause, 3600000),
                 .multiplier_micro = (uint64_t)(multiplier * MICRO)},
  };
}

static void build_variant(struct rg_scenario *scenario, size_t number,
                          const struct place *place) {
  const RetryGuard__V1__Variant *from = scenario->message->variants[number];
  struct rg_variant_spec *variant = &scenario->variants[number];
  variant->name = from->name != NULL ? from->name : "";
  if (variant->name[0] == '\0') missing(place, "name", "given");
  for (size_t i = 0; i < number; i++)
    if (strcmp(scenario->variants[i].name, variant->name) == 0)
      wrong(place, "name", "a name that no variant has yet", variant->name);
  variant->has_loop = from->loop != NULL;
  if (from->loop != NULL) variant->loop = loop_of(from->loop);
}

static void build_variants(struct rg_scenario *scenario,
                           struct rg_faults *faults) {
  size_t count = scenario->message->n_variants;
  struct place place;
  scenario->variants = new_list(count, sizeof scenario->variants[0], faults);
  if (scenario->variants == NULL) return;
  scenario->variant_count = count;
  for (size_t i = 0; i < count; i++) {
    set_place(&place, "variants", i, faults);
    build_variant(scenario, i, &place);
  }
  if (count == 0)
    rg_faults_add(faults, RG_FAULT_MISSING, "variants", "must not be empty");
}

static void choose_watched(struct rg_scenario *scenario,
                           struct rg_faults *faults) {
  const char *name = scenario->message->watch;
  scenario->watch = scenario->incident_count > 0 ? scenario->incidents[0].tier
                                                 : scenario->tier_count - 1;
  if (name != NULL && !find_tier(scenario, name, &scenario->watch))
    rg_faults_add(faults, RG_FAULT_VALUE, "watch",
                  "must be the name of a tier, got %s", name);
}

void rg_scenario_build(struct rg_scenario *scenario, struct rg_faults *faults) {
  const RetryGuard__V1__Scenario *from = scenario->message;
  scenario->title = from->title != NULL ? from->title : "";
  scenario->duration_ns = time_of(from->duration, 600 * RG_NS_PER_S);
  scenario->warm_up_ns = time_of(from->warm_up, 10 * RG_NS_PER_S);
  scenario->latency_ns = time_of(from->latency, RG_NS_PER_MS / 2);
  build_tiers(scenario, faults);
  build_loads(scenario, faults);
  build_incidents(scenario, faults);
  build_variants(scenario, faults);
  if (scenario->tier_count > 0) choose_watched(scenario, faults);
}
