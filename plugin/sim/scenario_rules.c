/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/scenario_rules.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "config/message_field.h"
#include "config/policy_rules.h"
#include "retry_guard/v1/scenario.pb-c.h"

#define SCENARIO &retry_guard__v1__scenario__descriptor
#define TIER &retry_guard__v1__tier__descriptor
#define LOAD &retry_guard__v1__load__descriptor
#define INCIDENT &retry_guard__v1__incident__descriptor
#define LOOP &retry_guard__v1__loop__descriptor

#define DAY_MS (24 * 3600 * 1000)
#define HOUR_MS (3600 * 1000)

#define NUMBER RG_SCOPE_CHANNEL, RG_RANGE_NUMBER, false
#define ABOVE RG_SCOPE_CHANNEL, RG_RANGE_NUMBER, true
#define DURATION RG_SCOPE_CHANNEL, RG_RANGE_DURATION, false

/* clang-format off */
static const struct rg_rule rules[] = {
    {SCENARIO, "duration", DURATION, 1000, DAY_MS},
    {SCENARIO, "warm_up", DURATION, 0, HOUR_MS},
    {SCENARIO, "latency", DURATION, 0, 10000},
    {TIER, "instances", NUMBER, 1, 1000},
    {TIER, "workers", NUMBER, 1, 1000000},
    {TIER, "queue", NUMBER, 0, 1000000},
    {TIER, "service_time", DURATION, 0, 600000},
    {LOAD, "clients", NUMBER, 1, 100000},
    {LOAD, "calls_per_second", ABOVE, 0, 1000000},
    {LOAD, "interval", DURATION, 1, HOUR_MS},
    {LOAD, "deadline", DURATION, 1, HOUR_MS},
    {INCIDENT, "at", DURATION, 0, DAY_MS},
    {INCIDENT, "lasts", DURATION, 1, DAY_MS},
    {INCIDENT, "instances", NUMBER, 1, 1000},
    {INCIDENT, "factor", NUMBER, 1, 1000},
    {INCIDENT, "share", NUMBER, 0, 1},
    {LOOP, "attempts", NUMBER, 0, 1000000},
    {LOOP, "attempt_timeout", DURATION, 1, HOUR_MS},
    {LOOP, "initial_pause", DURATION, 0, HOUR_MS},
    {LOOP, "multiplier", NUMBER, 1, 100},
    {LOOP, "max_pause", DURATION, 0, HOUR_MS},
};
/* clang-format on */

static const struct rg_rule *find_rule(
    const ProtobufCMessageDescriptor *message,
    const ProtobufCFieldDescriptor *field) {
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (rules[i].message == message && strcmp(rules[i].field, field->name) == 0)
      return &rules[i];
  return NULL;
}

static void check_value(const ProtobufCMessage *message,
                        const ProtobufCFieldDescriptor *field,
                        const struct rg_json_path *path,
                        struct rg_faults *faults) {
  const struct rg_rule *rule = find_rule(message->descriptor, field);
  if (rule != NULL) rg_rule_check(rule, message, field, path, faults);
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
