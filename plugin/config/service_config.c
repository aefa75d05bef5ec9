/* SPDX-License-Identifier: Apache-2.0 */
#include "config/service_config.h"

#include <stdlib.h>

#include "config/native_channel.h"
#include "config/native_keys.h"
#include "config/policy_block.h"

/* The whole needs no name in the paths of its parts. */
#define ROOT ""

/* The `retryGuard` of `parent`, for gRPC's plugin null is absent. */
static struct rg_policy_block *read_block(const struct rg_native *parent,
                                          enum rg_policy_scope scope) {
  struct rg_native value = rg_native_member(parent, "retryGuard");
  if (rg_native_is_absent(&value) || rg_native_is_null(&value)) return NULL;
  struct rg_faults *errors = &parent->reader->report->errors;
  json_t *json =
      rg_json_raw_cook(parent->reader->raw, value.json, &value.path, errors);
  if (json == NULL) return NULL;
  struct rg_policy_block *block =
      rg_policy_block_read(json, scope, &value.path, errors);
  json_decref(json);
  return block;
}

static void read_timeout(const struct rg_native *entry,
                         struct rg_method_config *method) {
  struct rg_native value = rg_native_member(entry, "timeout");
  int64_t ms;
  if (rg_native_is_absent(&value) || !rg_native_duration(&value, &ms)) return;
  /* To gRPC no time at all is no timeout. */
  method->has_timeout = ms > 0;
  method->timeout_ms = ms > 0 ? (uint64_t)ms : 0;
  if (ms == 0)
    rg_native_warning(&value, RG_FAULT_MISREAD,
                      "is 0, which gRPC takes for no timeout");
}

static void read_entry(struct rg_service_config *config,
                       const struct rg_native *entry, size_t number) {
  if (!rg_native_object(entry)) return;
  struct rg_method_config *method = &config->methods[number];
  rg_native_check_keys(entry, RG_NATIVE_METHOD);
  rg_native_names_read(&config->names, entry, number);
  struct rg_native retry = rg_native_member(entry, "retryPolicy");
  if (rg_native_is_given(&retry))
    method->has_retry = rg_native_read_retry(&retry, &method->retry);
  read_timeout(entry, method);
  rg_native_check_method(entry);
  method->block = read_block(entry, RG_POLICY_METHOD);
}

static void read_entries(struct rg_service_config *config,
                         const struct rg_native *root) {
  struct rg_native list = rg_native_member(root, "methodConfig");
  if (rg_native_is_absent(&list) || !rg_native_array(&list)) return;
  size_t count = json_array_size(list.json);
  if (count == 0) return;
  config->methods = calloc(count, sizeof config->methods[0]);
  if (config->methods == NULL) {
    rg_faults_add_out_of_memory(&root->reader->report->errors);
    return;
  }
  config->count = count;
  for (size_t i = 0; i < count; i++) {
    struct rg_native entry = rg_native_element(&list, i);
    read_entry(config, &entry, i);
  }
}

static void read_root(struct rg_service_config *config,
                      const struct rg_native *root) {
  if (!rg_native_object(root)) return;
  rg_native_check_keys(root, RG_NATIVE_TOP);
  config->block = read_block(root, RG_POLICY_CHANNEL);
  struct rg_native throttling = rg_native_member(root, "retryThrottling");
  if (rg_native_is_given(&throttling))
    config->has_throttling =
        rg_native_read_throttling(&throttling, &config->throttling);
  rg_native_check_channel(root);
  read_entries(config, root);
}

struct rg_service_config *rg_service_config_read(const char *json,
                                                 size_t length,
                                                 struct rg_report *report) {
  struct rg_service_config *config = calloc(1, sizeof *config);
  if (config == NULL || !rg_native_names_init(&config->names)) {
    rg_faults_add_out_of_memory(&report->errors);
  } else if (rg_json_raw_load(&config->raw, json, length, ROOT,
                              &report->errors)) {
    const struct rg_native_reader reader = {&config->raw, report};
    const struct rg_native root = {&reader, {.key = ROOT}, config->raw.value};
    read_root(config, &root);
    return config;
  }
  rg_service_config_destroy(config);
  return NULL;
}

void rg_service_config_destroy(struct rg_service_config *config) {
  if (config == NULL) return;
  for (size_t i = 0; i < config->count; i++)
    rg_policy_block_destroy(config->methods[i].block);
  free(config->methods);
  rg_policy_block_destroy(config->block);
  rg_native_names_clean_up(&config->names);
  rg_json_raw_clean_up(&config->raw);
  free(config);
}

size_t rg_service_config_find(const struct rg_service_config *config,
                              const char *service, const char *method) {
  return rg_native_names_find(&config->names, service, method);
}

bool rg_service_config_guards(const struct rg_service_config *config,
                              const struct rg_method_config *method) {
  if (config->block == NULL && (method == NULL || method->block == NULL))
    return false;
  struct rg_policy policy;
  rg_service_config_policy(config, method, &policy);
  return policy.mode != RG_MODE_OFF;
}

bool rg_service_config_is_guarded(const struct rg_service_config *config) {
  if (rg_service_config_guards(config, NULL)) return true;
  for (size_t i = 0; i < config->count; i++)
    if (rg_service_config_guards(config, &config->methods[i])) return true;
  return false;
}

void rg_service_config_policy(const struct rg_service_config *config,
                              const struct rg_method_config *method,
                              struct rg_policy *policy) {
  rg_policy_resolve(config->block, method != NULL ? method->block : NULL,
                    policy);
}
