/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/scenario.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "config/json_path.h"
#include "config/json_text.h"
#include "config/message_json.h"
#include "sim/scenario_build.h"
#include "sim/scenario_rules.h"

#define CONFIG "serviceConfig"

/* The members of `variants` that the schema does not know: a list of the same
 * length, with null where there is none. */
static json_t *take_configs(json_t *scenario, struct rg_faults *errors) {
  json_t *variants = json_object_get(scenario, "variants");
  json_t *configs = json_array();
  size_t i;
  json_t *variant;
  json_array_foreach(variants, i, variant) {
    json_t *config = json_object_get(variant, CONFIG);
    if (json_array_append_new(
            configs, config != NULL ? json_incref(config) : json_null()) != 0)
      rg_faults_add_out_of_memory(errors);
    json_object_del(variant, CONFIG);
  }
  return configs;
}

/* Adds the faults of a part, which say where in the part they are. */
static void add_faults(struct rg_faults *all, const struct rg_faults *part,
                       const struct rg_json_path *path) {
  char where[RG_JSON_PATH_SIZE];
  rg_json_path_write(path, where);
  for (size_t i = 0; i < part->count; i++) {
    const struct rg_fault *fault = &part->items[i];
    char whole[2 * RG_JSON_PATH_SIZE];
    snprintf(whole, sizeof whole, "%s.%s", where, fault->path);
    rg_faults_add(all, fault->kind, whole, "%s", fault->message);
  }
  if (part->out_of_memory) rg_faults_add_out_of_memory(all);
}

static struct rg_service_config *read_config(const char *json, size_t length,
                                             const struct rg_json_path *path,
                                             struct rg_report *report) {
  struct rg_report part;
  rg_report_init(&part);
  struct rg_service_config *config =
      rg_service_config_read(json, length, &part);
  add_faults(&report->errors, &part.errors, path);
  add_faults(&report->warnings, &part.warnings, path);
  if (!rg_faults_empty(&part.errors)) {
    rg_service_config_destroy(config);
    config = NULL;
  }
  rg_report_clean_up(&part);
  return config;
}

static void read_variant_config(struct rg_scenario *scenario, size_t i,
                                const json_t *config,
                                struct rg_report *report) {
  static const struct rg_json_path root = {.key = ""};
  struct rg_json_path list = {.parent = &root, .key = "variants"};
  struct rg_json_path element = {.parent = &list, .index = i};
  struct rg_json_path path = {.parent = &element, .key = CONFIG};
  if (json_is_null(config)) return;
  scenario->configs[i] =
      json_dumps(config, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
  if (scenario->configs[i] == NULL)
    rg_faults_add_out_of_memory(&report->errors);
  else
    scenario->variants[i].config = read_config(
        scenario->configs[i], strlen(scenario->configs[i]), &path, report);
}

static void read_configs(struct rg_scenario *scenario, const json_t *configs,
                         struct rg_report *report) {
  size_t count = scenario->variant_count;
  scenario->configs = calloc(count > 0 ? count : 1, sizeof(char *));
  if (scenario->configs == NULL) {
    rg_faults_add_out_of_memory(&report->errors);
    return;
  }
  for (size_t i = 0; i < count && i < json_array_size(configs); i++)
    read_variant_config(scenario, i, json_array_get(configs, i), report);
}

static void read_value(struct rg_scenario *scenario, json_t *value,
                       struct rg_report *report) {
  static const struct rg_json_path root = {.key = ""};
  struct rg_faults *errors = &report->errors;
  json_t *configs = take_configs(value, errors);
  ProtobufCMessage *message = rg_message_from_value(
      &retry_guard__v1__scenario__descriptor, value, &root, NULL, errors);
  scenario->message = (RetryGuard__V1__Scenario *)(void *)message;
  if (message != NULL) {
    rg_scenario_check_ranges(message, &root, errors);
    rg_scenario_build(scenario, errors);
    read_configs(scenario, configs, report);
  }
  json_decref(configs);
}

struct rg_scenario *rg_scenario_read(const char *json, size_t length,
                                     struct rg_report *report) {
  struct rg_scenario *scenario = calloc(1, sizeof *scenario);
  if (scenario == NULL) {
    rg_faults_add_out_of_memory(&report->errors);
    return NULL;
  }
  json_t *value = rg_json_text_load(json, length, "", &report->errors);
  if (value != NULL) read_value(scenario, value, report);
  json_decref(value);
  if (rg_faults_empty(&report->errors)) return scenario;
  rg_scenario_destroy(scenario);
  return NULL;
}

static void drop_variants(struct rg_scenario *scenario) {
  for (size_t i = 0; i < scenario->variant_count; i++) {
    rg_service_config_destroy(scenario->variants[i].config);
    if (scenario->configs != NULL) free(scenario->configs[i]);
  }
  free(scenario->configs);
  free(scenario->variants);
}

void rg_scenario_destroy(struct rg_scenario *scenario) {
  if (scenario == NULL) return;
  drop_variants(scenario);
  for (size_t i = 0; i < scenario->tier_count; i++)
    free(scenario->tiers[i].calls);
  free(scenario->tiers);
  free(scenario->loads);
  free(scenario->incidents);
  if (scenario->message != NULL)
    retry_guard__v1__scenario__free_unpacked(scenario->message, NULL);
  free(scenario);
}

bool rg_scenario_find_variant(const struct rg_scenario *scenario,
                              const char *name, size_t *number) {
  for (*number = 0; *number < scenario->variant_count; ++*number)
    if (strcmp(scenario->variants[*number].name, name) == 0) return true;
  return false;
}

const struct rg_method_config *rg_scenario_method(
    const struct rg_scenario *scenario, const struct rg_variant_spec *variant,
    size_t tier) {
  if (variant->config == NULL) return NULL;
  const char *service = scenario->service != NULL ? scenario->service
                                                  : scenario->tiers[tier].name;
  const char *method = scenario->method != NULL ? scenario->method : "Call";
  size_t entry = rg_service_config_find(variant->config, service, method);
  return entry != RG_NATIVE_NO_ENTRY ? &variant->config->methods[entry] : NULL;
}

/* ---- Policies in place of the variants ----------------------------------- */

static bool concerns_a_tier(const struct rg_scenario *scenario,
                            const struct rg_variant_spec *variant) {
  for (size_t i = 0; i < scenario->tier_count; i++) {
    const struct rg_method_config *method =
        rg_scenario_method(scenario, variant, i);
    if ((method != NULL && method->has_retry) ||
        rg_service_config_guards(variant->config, method))
      return true;
  }
  return false;
}

static void try_policy(struct rg_scenario *scenario, size_t i,
                       const struct rg_tried_policy *policy,
                       struct rg_report *report) {
  const struct rg_json_path path = {.key = policy->name};
  struct rg_variant_spec *variant = &scenario->variants[i];
  *variant = (struct rg_variant_spec){.name = policy->name};
  variant->config = read_config(policy->json, policy->length, &path, report);
  if (variant->config != NULL && !concerns_a_tier(scenario, variant))
    rg_faults_add(&report->errors, RG_FAULT_MISSING, policy->name,
                  "has neither retryPolicy nor retryGuard for what the "
                  "scenario calls: name its tiers as services, or say which "
                  "method it is");
}

bool rg_scenario_try(struct rg_scenario *scenario,
                     const struct rg_tried_policy *policies, size_t count,
                     struct rg_report *report) {
  drop_variants(scenario);
  scenario->variant_count = 0;
  scenario->variants = calloc(count, sizeof scenario->variants[0]);
  scenario->configs = calloc(count, sizeof scenario->configs[0]);
  if (scenario->variants == NULL || scenario->configs == NULL) {
    rg_faults_add_out_of_memory(&report->errors);
    return false;
  }
  scenario->variant_count = count;
  for (size_t i = 0; i < count; i++)
    try_policy(scenario, i, &policies[i], report);
  return rg_faults_empty(&report->errors);
}

bool rg_scenario_trouble(const struct rg_scenario *scenario, uint64_t *begin,
                         uint64_t *end) {
  *begin = RG_NEVER;
  *end = 0;
  for (size_t i = 0; i < scenario->incident_count; i++) {
    const struct rg_incident_spec *incident = &scenario->incidents[i];
    if (incident->at < *begin) *begin = incident->at;
    if (incident->end > *end) *end = incident->end;
  }
  return scenario->incident_count > 0;
}
