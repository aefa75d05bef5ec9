/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/scenario_rules.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "config/duration.h"
#include "config/message_field.h"
#include "config/text.h"
#include "retry_guard/v1/scenario.pb-c.h"

#define SCENARIO &retry_guard__v1__scenario__descriptor
#define TIER &retry_guard__v1__tier__descriptor
#define LOAD &retry_guard__v1__load__descriptor
#define INCIDENT &retry_guard__v1__incident__descriptor
#define LOOP &retry_guard__v1__loop__descriptor

#define DAY_MS (24 * 3600 * 1000)
#define HOUR_MS (3600 * 1000)

/* Both bounds are inside; of durations they are milliseconds. */
struct rule {
  const ProtobufCMessageDescriptor *message;
  const char *field;
  int64_t low;
  int64_t high;
};

/* clang-format off */
static const struct rule rules[] = {
    {SCENARIO, "duration", 1000, DAY_MS},
    {SCENARIO, "warm_up", 0, HOUR_MS},
    {SCENARIO, "latency", 0, 10000},
    {TIER, "instances", 1, 1000},
    {TIER, "workers", 1, 1000000},
    {TIER, "queue", 0, 1000000},
    {TIER, "service_time", 0, 600000},
    {LOAD, "clients", 1, 100000},
    {LOAD, "calls_per_second", 0, 1000000},
    {LOAD, "interval", 1, HOUR_MS},
    {LOAD, "deadline", 1, HOUR_MS},
    {INCIDENT, "at", 0, DAY_MS},
    {INCIDENT, "lasts", 1, DAY_MS},
    {INCIDENT, "instances", 1, 1000},
    {INCIDENT, "factor", 1, 1000},
    {INCIDENT, "share", 0, 1},
    {LOOP, "attempts", 0, 1000000},
    {LOOP, "attempt_timeout", 1, HOUR_MS},
    {LOOP, "initial_pause", 0, HOUR_MS},
    {LOOP, "multiplier", 1, 100},
    {LOOP, "max_pause", 0, HOUR_MS},
};
/* clang-format on */

static const struct rule *find_rule(const ProtobufCMessageDescriptor *message,
                                    const ProtobufCFieldDescriptor *field) {
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (rules[i].message == message && strcmp(rules[i].field, field->name) == 0)
      return &rules[i];
  return NULL;
}

static void check_number(const struct rule *rule, double number,
                         const struct rg_json_path *path,
                         struct rg_faults *faults) {
  if (number >= (double)rule->low && number <= (double)rule->high) return;
  char got[RG_TEXT_NUMBER_SIZE];
  rg_text_number(number, got);
  rg_json_path_fault(path, faults, RG_FAULT_RANGE,
                     "must be in [%" PRId64 ", %" PRId64 "], got %s", rule->low,
                     rule->high, got);
}

static void check_duration(const struct rule *rule, struct rg_duration duration,
                           const struct rg_json_path *path,
                           struct rg_faults *faults) {
  struct rg_duration low = rg_duration_from_ms(rule->low);
  struct rg_duration high = rg_duration_from_ms(rule->high);
  if (rg_duration_compare(duration, low) >= 0 &&
      rg_duration_compare(duration, high) <= 0)
    return;
  char texts[3][RG_DURATION_TEXT_SIZE];
  rg_duration_write(low, texts[0]);
  rg_duration_write(high, texts[1]);
  rg_duration_write(duration, texts[2]);
  rg_json_path_fault(path, faults, RG_FAULT_RANGE,
                     "must be in [%s, %s], got %s", texts[0], texts[1],
                     texts[2]);
}

static void check_value(const ProtobufCMessage *message,
                        const ProtobufCFieldDescriptor *field,
                        const struct rg_json_path *path,
                        struct rg_faults *faults) {
  const struct rule *rule = find_rule(message->descriptor, field);
  if (rule == NULL) return;
  const void *value = rg_field_get(message, field);
  if (field->type == PROTOBUF_C_TYPE_MESSAGE)
    check_duration(rule,
                   rg_message_get_duration(*(ProtobufCMessage *const *)value),
                   path, faults);
  else if (field->type == PROTOBUF_C_TYPE_DOUBLE)
    check_number(rule, *(const double *)value, path, faults);
  else
    check_number(rule, *(const uint32_t *)value, path, faults);
}

static void check_elements(const ProtobufCMessage *message,
                           const ProtobufCFieldDescriptor *field,
                           const struct rg_json_path *path,
                           struct rg_faults *faults) {
  size_t count = *(const size_t *)(const void *)((const char *)message +
                                                 field->quantifier_offset);
  ProtobufCMessage *const *items =
      *(ProtobufCMessage *const *const *)rg_field_get(message, field);
  for (size_t i = 0; i < count; i++) {
    struct rg_json_path at = {.parent = path, .index = i};
    rg_scenario_check_ranges(items[i], &at, faults);
  }
}

static void check_field(const ProtobufCMessage *message,
                        const ProtobufCFieldDescriptor *field,
                        const struct rg_json_path *path,
                        struct rg_faults *faults) {
  char name[RG_FIELD_NAME_SIZE];
  rg_field_json_name(field, name);
  struct rg_json_path at = {.parent = path, .key = name};
  bool is_message = field->type == PROTOBUF_C_TYPE_MESSAGE;
  if (field->label == PROTOBUF_C_LABEL_REPEATED) {
    if (is_message) check_elements(message, field, &at, faults);
  } else if (is_message &&
             !rg_message_is_duration(
                 (const ProtobufCMessageDescriptor *)field->descriptor)) {
    rg_scenario_check_ranges(
        *(ProtobufCMessage *const *)rg_field_get(message, field), &at, faults);
  } else {
    check_value(message, field, &at, faults);
  }
}

void rg_scenario_check_ranges(const ProtobufCMessage *message,
                              const struct rg_json_path *path,
                              struct rg_faults *faults) {
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
    if (rg_field_is_set(message, field))
      check_field(message, field, path, faults);
  }
}
