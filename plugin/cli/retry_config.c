/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/retry_config.h"

#include <stdbool.h>
#include <string.h>

struct rg_retry_settings rg_retry_settings_usual(void) {
  return (struct rg_retry_settings){
      .max_attempts = 4,
      .initial_backoff = rg_duration_from_ms(100),
      .max_backoff = rg_duration_from_ms(2000),
      .backoff_multiplier = 2,
  };
}

/* As people write it: 2 rather than 2.0. */
static json_t *number(double value) {
  json_int_t whole = value < 1e9 ? (json_int_t)value : 0;
  return (double)whole == value ? json_integer(whole) : json_real(value);
}

static json_t *retry_policy(const struct rg_retry_settings *settings) {
  char initial[RG_DURATION_TEXT_SIZE];
  char longest[RG_DURATION_TEXT_SIZE];
  rg_duration_write(settings->initial_backoff, initial);
  rg_duration_write(settings->max_backoff, longest);
  return json_pack("{s:I, s:s, s:s, s:o, s:[s]}", "maxAttempts",
                   (json_int_t)settings->max_attempts, "initialBackoff",
                   initial, "maxBackoff", longest, "backoffMultiplier",
                   number(settings->backoff_multiplier), "retryableStatusCodes",
                   "UNAVAILABLE");
}

static bool same_service(const struct rg_method *a, const struct rg_method *b) {
  return a->service_length == b->service_length &&
         memcmp(a->path, b->path, a->service_length) == 0;
}

static json_t *method_name(const struct rg_method *method) {
  return json_pack("{s:s%, s:s}", "service", method->path,
                   method->service_length, "method",
                   method->path + method->service_length + 1);
}

/* An entry without names yet. */
static json_t *new_entry(const struct rg_retry_settings *settings) {
  return json_pack("{s:[], s:o}", "name", "retryPolicy",
                   retry_policy(settings));
}

/* Appending takes the reference, also when it fails, NULL included. */
static bool add_entries(json_t *entries, const struct rg_methods *methods,
                        const struct rg_retry_settings *settings) {
  const struct rg_method *last = NULL;
  for (size_t i = 0; i < methods->count; i++) {
    const struct rg_method *method = &methods->items[i];
    if (!method->safe) continue;
    if ((last == NULL || !same_service(last, method)) &&
        json_array_append_new(entries, new_entry(settings)) != 0)
      return false;
    json_t *entry = json_array_get(entries, json_array_size(entries) - 1);
    if (json_array_append_new(json_object_get(entry, "name"),
                              method_name(method)) != 0)
      return false;
    last = method;
  }
  return true;
}

json_t *rg_retry_config(const struct rg_methods *methods,
                        const struct rg_retry_settings *settings) {
  json_t *config = json_pack("{s:{}, s:[]}", "retryGuard", "methodConfig");
  if (add_entries(json_object_get(config, "methodConfig"), methods, settings))
    return config;
  json_decref(config);
  return NULL;
}
