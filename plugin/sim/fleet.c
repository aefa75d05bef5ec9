/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fleet.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/num.h"
#include "sim/parts.h"

/* Any moment will do, but for 0, from which nothing can be taken away. */
#define BEGIN (3600 * RG_NS_PER_S)

/* More requests or calls at a time are a mistake, or want another machine. */
#define POOL_LIMIT ((size_t)4 << 20)

#define PROGRESS_EVERY_NS RG_NS_PER_S
#define NAME_SIZE 160

void rg_fleet_plan(struct rg_sim_fleet *fleet, uint64_t at,
                   rg_happening *happen, void *subject, uint32_t serial) {
  if (at > fleet->end) return;
  if (!rg_agenda_plan(&fleet->agenda, at, happen, subject, serial))
    fleet->failed = true;
}

uint64_t rg_fleet_time(const struct rg_sim_fleet *fleet) {
  return fleet->now - fleet->begin;
}

bool rg_fleet_counts(const struct rg_sim_fleet *fleet) {
  return rg_fleet_time(fleet) >= fleet->scenario->warm_up_ns;
}

/* ---- Building ------------------------------------------------------------ */

static void *some(struct rg_sim_fleet *fleet, size_t count, size_t size) {
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL) fleet->failed = true;
  return memory;
}

static void read_method(struct rg_method *method,
                        const struct rg_service_config *config,
                        const struct rg_method_config *from, uint64_t number) {
  struct rg_method_policy *policy = &method->policy;
  method->guarded = rg_service_config_guards(config, from);
  if (from != NULL && from->has_timeout)
    method->timeout_ns = from->timeout_ms * RG_NS_PER_MS;
  policy->number = number;
  policy->has_retry = from != NULL && from->has_retry;
  if (policy->has_retry) policy->retry = from->retry;
  if (policy->has_retry) method->retry = &policy->retry;
  if (method->guarded) rg_service_config_policy(config, from, &policy->policy);
}

static void build_method(struct rg_sim_fleet *fleet, size_t number,
                         uint64_t policy_number) {
  struct rg_method *method = &fleet->tiers[number].method;
  const struct rg_service_config *config = fleet->variant->config;
  method->path_length =
      (size_t)snprintf(method->path, sizeof method->path, "/%.80s/Call",
                       fleet->tiers[number].spec->name);
  method->timeout_ns = RG_NEVER;
  if (config == NULL) return;
  read_method(method, config,
              rg_scenario_method(fleet->scenario, fleet->variant, number),
              policy_number);
}

/* Each run has targets of its own: what one left behind must not reach the
 * next. */
static void build_process(struct rg_sim_fleet *fleet,
                          struct rg_process *process, size_t tier) {
  static uint64_t built;
  char name[NAME_SIZE];
  const struct rg_service_config *config = fleet->variant->config;
  process->tier = tier;
  process->connections = some(fleet, fleet->tiers[tier].spec->instances,
                              sizeof process->connections[0]);
  if (config != NULL && config->has_throttling)
    rg_native_throttle_init(&process->throttle, &config->throttling);
  if (!fleet->tiers[tier].method.guarded) return;
  snprintf(name, sizeof name, "%.80s/%llu", fleet->tiers[tier].spec->name,
           (unsigned long long)built++);
  process->target = rg_target_acquire(name);
  if (process->target == NULL) fleet->failed = true;
}

static void build_instance(struct rg_sim_fleet *fleet, struct rg_tier *tier,
                           struct rg_instance *instance) {
  int length =
      snprintf(instance->address, sizeof instance->address, "%.80s/%zu",
               tier->spec->name, (size_t)(instance - tier->instances));
  instance->backend = (struct rg_backend){
      .hash = rg_breakers_hash(instance->address, (size_t)length),
      .name = instance->address,
      .length = (size_t)length,
  };
  instance->tier = tier;
  instance->listening.is_up = true;
  instance->paused_since = RG_NEVER;
  instance->callers =
      some(fleet, tier->spec->call_count, sizeof instance->callers[0]);
  for (size_t i = 0; i < tier->spec->call_count && !fleet->failed; i++)
    build_process(fleet, &instance->callers[i], tier->spec->calls[i]);
}

static void build_tiers(struct rg_sim_fleet *fleet) {
  const struct rg_scenario *scenario = fleet->scenario;
  uint64_t number = rg_target_next_policy_number();
  fleet->tiers = some(fleet, scenario->tier_count, sizeof fleet->tiers[0]);
  for (size_t i = 0; i < scenario->tier_count && !fleet->failed; i++) {
    fleet->tiers[i].spec = &scenario->tiers[i];
    build_method(fleet, i, number);
  }
  for (size_t i = 0; i < scenario->tier_count && !fleet->failed; i++) {
    struct rg_tier *tier = &fleet->tiers[i];
    tier->instances =
        some(fleet, tier->spec->instances, sizeof tier->instances[0]);
    for (uint32_t j = 0; j < tier->spec->instances && !fleet->failed; j++)
      build_instance(fleet, tier, &tier->instances[j]);
  }
}

static void build_loads(struct rg_sim_fleet *fleet) {
  const struct rg_scenario *scenario = fleet->scenario;
  fleet->loads = some(fleet, scenario->load_count, sizeof fleet->loads[0]);
  for (size_t i = 0; i < scenario->load_count && !fleet->failed; i++) {
    struct rg_load *load = &fleet->loads[i];
    load->spec = &scenario->loads[i];
    load->clients = some(fleet, load->spec->clients, sizeof load->clients[0]);
    for (uint32_t j = 0; j < load->spec->clients && !fleet->failed; j++) {
      build_process(fleet, &load->clients[j], load->spec->tier);
      load->clients[j].is_client = true;
    }
  }
}

static void tear_down_process(struct rg_process *process) {
  free(process->connections);
  rg_target_release(process->target);
}

static void tear_down_tier(struct rg_tier *tier) {
  for (uint32_t i = 0; tier->instances != NULL && i < tier->spec->instances;
       i++) {
    struct rg_process *callers = tier->instances[i].callers;
    for (size_t j = 0; callers != NULL && j < tier->spec->call_count; j++)
      tear_down_process(&callers[j]);
    free(callers);
  }
  free(tier->instances);
}

static void tear_down(struct rg_sim_fleet *fleet) {
  for (size_t i = 0; fleet->tiers != NULL && i < fleet->scenario->tier_count;
       i++)
    tear_down_tier(&fleet->tiers[i]);
  for (size_t i = 0; fleet->loads != NULL && i < fleet->scenario->load_count;
       i++) {
    struct rg_load *load = &fleet->loads[i];
    for (uint32_t j = 0; load->clients != NULL && j < load->spec->clients; j++)
      tear_down_process(&load->clients[j]);
    free(load->clients);
  }
  free(fleet->tiers);
  free(fleet->loads);
  rg_agenda_clean_up(&fleet->agenda);
  rg_pool_clean_up(&fleet->calls);
  rg_pool_clean_up(&fleet->jobs);
}

/* ---- Loads --------------------------------------------------------------- */

static void call_now(struct rg_sim_fleet *fleet, const struct rg_load *load,
                     struct rg_process *client) {
  rg_caller_begin(fleet, client, NULL,
                  rg_num_add(fleet->now, load->spec->deadline_ns));
}

static void next_of_many(struct rg_sim_fleet *fleet, void *subject,
                         uint32_t serial) {
  struct rg_load *load = subject;
  double mean_ns = (double)RG_NS_PER_S / load->spec->calls_per_s;
  if (serial > 0)
    call_now(fleet, load,
             &load->clients[rg_dice_pick(&fleet->dice, load->spec->clients)]);
  rg_fleet_plan(fleet, fleet->now + rg_dice_exponential(&fleet->dice, mean_ns),
                next_of_many, load, 1);
}

/* The serial is the number of the client. */
static void next_of_one(struct rg_sim_fleet *fleet, void *subject,
                        uint32_t serial) {
  struct rg_load *load = subject;
  struct rg_process *client = &load->clients[serial];
  if (client->calls_out == 0) call_now(fleet, load, client);
  rg_fleet_plan(fleet, fleet->now + load->spec->interval_ns, next_of_one, load,
                serial);
}

static void only_call(struct rg_sim_fleet *fleet, void *subject,
                      uint32_t serial) {
  struct rg_load *load = subject;
  call_now(fleet, load, &load->clients[serial]);
}

static void plan_load(struct rg_sim_fleet *fleet, struct rg_load *load) {
  if (load->spec->arrival == RG_ARRIVAL_RATE) {
    rg_fleet_plan(fleet, fleet->now, next_of_many, load, 0);
    return;
  }
  bool once = load->spec->arrival == RG_ARRIVAL_AT_ONCE;
  for (uint32_t i = 0; i < load->spec->clients; i++) {
    double share = once ? 0 : rg_dice_share(&fleet->dice);
    uint64_t wait = (uint64_t)(share * (double)load->spec->interval_ns);
    rg_fleet_plan(fleet, fleet->now + wait, once ? only_call : next_of_one,
                  load, i);
  }
}

/* ---- Running ------------------------------------------------------------- */

static void add_state(enum rg_breaker_state state, struct rg_slice *slice) {
  if (state == RG_BREAKER_OPEN) slice->open++;
  if (state == RG_BREAKER_HALF_OPEN) slice->half_open++;
}

static void look_at_breakers(const struct rg_sim_fleet *fleet,
                             const struct rg_process *process,
                             struct rg_slice *slice) {
  if (process->target == NULL || process->tier != fleet->scenario->watch)
    return;
  const struct rg_breakers *breakers = &process->target->breakers;
  const struct rg_scoped_breaker *scoped = atomic_load(&breakers->scoped);
  add_state(rg_breaker_state_of(&breakers->whole), slice);
  for (int i = 0; scoped != NULL && i < RG_BREAKERS_MAX; i++)
    add_state(rg_breaker_state_of(&scoped[i].breaker), slice);
}

static void look_at_callers(const struct rg_sim_fleet *fleet,
                            struct rg_slice *slice) {
  for (size_t i = 0; i < fleet->scenario->load_count; i++)
    for (uint32_t j = 0; j < fleet->loads[i].spec->clients; j++)
      look_at_breakers(fleet, &fleet->loads[i].clients[j], slice);
  for (size_t i = 0; i < fleet->scenario->tier_count; i++) {
    const struct rg_tier *tier = &fleet->tiers[i];
    for (uint32_t j = 0; j < tier->spec->instances; j++)
      for (size_t k = 0; k < tier->spec->call_count; k++)
        look_at_breakers(fleet, &tier->instances[j].callers[k], slice);
  }
}

/* The slice that is over now; its serial is its number. */
static void look(struct rg_sim_fleet *fleet, void *subject, uint32_t serial) {
  (void)subject;
  if (serial >= fleet->run->record.count) return;
  struct rg_slice *slice = &fleet->run->record.slices[serial];
  const struct rg_tier *watched = &fleet->tiers[fleet->scenario->watch];
  for (uint32_t i = 0; i < watched->spec->instances; i++)
    slice->queue += watched->instances[i].waiting;
  if (fleet->has_plugin) look_at_callers(fleet, slice);
  rg_fleet_plan(fleet, fleet->now + RG_RECORD_SLICE_NS, look, NULL, serial + 1);
}

static bool is_over(const struct rg_sim_fleet *fleet) {
  /* What is left is the look at each slice. */
  return fleet->agenda.count <= 1 && fleet->calls.used == 0;
}

static void run(struct rg_sim_fleet *fleet, rg_run_progress *progress,
                void *arg) {
  struct rg_appointment next;
  uint64_t told = fleet->begin;
  while (!fleet->failed && !is_over(fleet) &&
         rg_agenda_next(&fleet->agenda, &next)) {
    fleet->now = next.at;
    next.happen(fleet, next.subject, next.serial);
    if (progress == NULL || fleet->now - told < PROGRESS_EVERY_NS) continue;
    told = fleet->now;
    double share =
        (double)rg_fleet_time(fleet) / (double)fleet->scenario->duration_ns;
    if (!progress(share, arg)) fleet->failed = true;
  }
  fleet->run->appointments = fleet->agenda.planned;
}

bool rg_run_do(struct rg_run *result, const struct rg_scenario *scenario,
               size_t variant, uint64_t seed, rg_run_progress *progress,
               void *arg) {
  struct rg_sim_fleet fleet = {
      .scenario = scenario,
      .variant = &scenario->variants[variant],
      .run = result,
      .dice = {.state = seed},
      .now = BEGIN,
      .begin = BEGIN,
      .end = BEGIN + scenario->duration_ns,
  };
  *result = (struct rg_run){0};
  rg_pool_init(&fleet.calls, sizeof(struct rg_sim_call), POOL_LIMIT);
  rg_pool_init(&fleet.jobs, sizeof(struct rg_job), POOL_LIMIT);
  fleet.has_plugin = fleet.variant->config != NULL &&
                     rg_service_config_is_guarded(fleet.variant->config);
  fleet.failed = !rg_record_init(&result->record, scenario->duration_ns);
  if (!fleet.failed) build_tiers(&fleet);
  if (!fleet.failed) build_loads(&fleet);
  if (!fleet.failed) {
    for (size_t i = 0; i < scenario->load_count; i++)
      plan_load(&fleet, &fleet.loads[i]);
    rg_incidents_plan(&fleet);
    rg_fleet_plan(&fleet, fleet.begin + RG_RECORD_SLICE_NS, look, NULL, 0);
    run(&fleet, progress, arg);
  }
  tear_down(&fleet);
  return !fleet.failed;
}

void rg_run_clean_up(struct rg_run *result) {
  rg_record_clean_up(&result->record);
}
