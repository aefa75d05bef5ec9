/* SPDX-License-Identifier: Apache-2.0 */
#include "config/policy_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/duration.h"
#include "config/message_field.h"
#include "config/text.h"
#include "core/breaker.h"
#include "core/idempotency.h"
#include "core/layer.h"
#include "retry_guard/v1/policy.pb-c.h"

#define BUDGET &retry_guard__v1__budget__descriptor
#define BUCKET &retry_guard__v1__token_bucket__descriptor
#define WINDOW &retry_guard__v1__window__descriptor
#define RATE &retry_guard__v1__retry_rate__descriptor
#define BACKOFF &retry_guard__v1__backoff__descriptor
#define LAYER &retry_guard__v1__layer__descriptor
#define BREAKER &retry_guard__v1__circuit_breaker__descriptor
#define DEADLINE &retry_guard__v1__deadline__descriptor
#define POLICY &retry_guard__v1__policy__descriptor

#define ANY RG_RANGE_ANY, false, 0, 0
#define NUMBER(low, high) RG_RANGE_NUMBER, false, low, high
#define NUMBER_ABOVE(low, high) RG_RANGE_NUMBER, true, low, high
#define DURATION(low_ms, high_ms) RG_RANGE_DURATION, false, low_ms, high_ms
#define LENGTH(high) RG_RANGE_LENGTH, false, 0, high
#define KEY(high) RG_RANGE_KEY, false, 1, high

/* clang-format off */
static const struct rg_rule rules[] = {
    {BUDGET, "disabled", RG_SCOPE_METHOD_TRUE, ANY},
    {BUDGET, "token_bucket", RG_SCOPE_TARGET, ANY},
    {BUDGET, "window", RG_SCOPE_TARGET, ANY},
    {BUCKET, "token_ratio", RG_SCOPE_TARGET, NUMBER_ABOVE(0, 1)},
    {BUCKET, "burst", RG_SCOPE_TARGET, DURATION(100, 3600000)},
    {BUCKET, "initial_tokens", RG_SCOPE_TARGET, NUMBER(0, 1000)},
    {BUCKET, "max_tokens", RG_SCOPE_TARGET, NUMBER_ABOVE(0, 1000000)},
    {WINDOW, "percent", RG_SCOPE_TARGET, NUMBER(0, 100)},
    {WINDOW, "interval", RG_SCOPE_TARGET, DURATION(100, 3600000)},
    {RATE, "count", RG_SCOPE_TARGET, NUMBER(0, 1000000)},
    {RATE, "interval", RG_SCOPE_TARGET, DURATION(100, 3600000)},
    {BACKOFF, "floor", RG_SCOPE_METHOD, DURATION(0, 60000)},
    {LAYER, "mode", RG_SCOPE_CHANNEL, ANY},
    {LAYER, "name", RG_SCOPE_CHANNEL, LENGTH(RG_OWNER_MAX)},
    {LAYER, "max_hops", RG_SCOPE_CHANNEL, NUMBER(1, 255)},
    {LAYER, "baggage", RG_SCOPE_CHANNEL, ANY},
    {POLICY, "circuit_breaker", RG_SCOPE_TARGET, ANY},
    {POLICY, "amplification_alarm", RG_SCOPE_TARGET, NUMBER(0, 5)},
    {BREAKER, "failure_ratio", RG_SCOPE_TARGET, NUMBER(0, 1)},
    {BREAKER, "window", RG_SCOPE_TARGET, DURATION(100, 3600000)},
    {BREAKER, "min_requests", RG_SCOPE_TARGET, NUMBER(1, 1000000)},
    {BREAKER, "consecutive_failures", RG_SCOPE_TARGET, NUMBER(0, 1000000)},
    {BREAKER, "cooldown", RG_SCOPE_TARGET, DURATION(100, 3600000)},
    {BREAKER, "cooldown_jitter", RG_SCOPE_TARGET, NUMBER(0, 1)},
    {BREAKER, "max_cooldown", RG_SCOPE_TARGET, DURATION(100, 3600000)},
    {BREAKER, "probes", RG_SCOPE_TARGET, NUMBER(1, RG_BREAKER_PROBES_MAX)},
    {BREAKER, "probe_timeout", RG_SCOPE_TARGET, DURATION(100, 3600000)},
    {DEADLINE, "hop_margin", RG_SCOPE_METHOD, DURATION(0, 60000)},
    {DEADLINE, "min_attempt", RG_SCOPE_METHOD, DURATION(0, 60000)},
    {DEADLINE, "attempt_timeout", RG_SCOPE_METHOD, DURATION(1, 3600000)},
    {DEADLINE, "min_remaining", RG_SCOPE_METHOD, DURATION(0, 3600000)},
    {POLICY, "key_header", RG_SCOPE_METHOD, KEY(RG_KEY_HEADER_MAX)},
};
/* clang-format on */

const struct rg_rule *rg_rule_find(const ProtobufCMessageDescriptor *message,
                                   const ProtobufCFieldDescriptor *field) {
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (rules[i].message == message && strcmp(rules[i].field, field->name) == 0)
      return &rules[i];
  return NULL;
}

static void write_bound(const struct rg_rule *rule, int64_t bound, char *text) {
  if (rule->range == RG_RANGE_DURATION)
    rg_duration_write(rg_duration_from_ms(bound), text);
  else
    snprintf(text, RG_DURATION_TEXT_SIZE, "%" PRId64, bound);
}

bool rg_rule_write_range(const struct rg_rule *rule, char *text) {
  if (rule->range != RG_RANGE_NUMBER && rule->range != RG_RANGE_DURATION)
    return false;
  char low[RG_DURATION_TEXT_SIZE];
  char high[RG_DURATION_TEXT_SIZE];
  write_bound(rule, rule->low, low);
  write_bound(rule, rule->high, high);
  snprintf(text, RG_RANGE_TEXT_SIZE, "%c%s, %s]", rule->above_low ? '(' : '[',
           low, high);
  return true;
}

/* Whether the number is outside; `got` tells it. */
static bool number_is_out(const struct rg_rule *rule, const void *value,
                          ProtobufCType type, char *got) {
  double number = type == PROTOBUF_C_TYPE_DOUBLE ? *(const double *)value
                                                 : *(const uint32_t *)value;
  double low = (double)rule->low;
  rg_text_number(number, got);
  return (rule->above_low ? number <= low : number < low) ||
         number > (double)rule->high;
}

static bool duration_is_out(const struct rg_rule *rule,
                            const ProtobufCMessage *message, char *got) {
  struct rg_duration duration = rg_message_get_duration(message);
  rg_duration_write(duration, got);
  return rg_duration_compare(duration, rg_duration_from_ms(rule->low)) < 0 ||
         rg_duration_compare(duration, rg_duration_from_ms(rule->high)) > 0;
}

void rg_rule_check(const struct rg_rule *rule, const ProtobufCMessage *message,
                   const ProtobufCFieldDescriptor *field,
                   const struct rg_json_path *path, struct rg_faults *faults) {
  char range[RG_RANGE_TEXT_SIZE];
  char got[RG_TEXT_NUMBER_SIZE];
  const void *value = rg_field_get(message, field);
  bool is_out =
      rule->range == RG_RANGE_DURATION
          ? duration_is_out(rule, *(ProtobufCMessage *const *)value, got)
          : number_is_out(rule, value, field->type, got);
  if (!is_out) return;
  rg_rule_write_range(rule, range);
  rg_json_path_fault(path, faults, RG_FAULT_RANGE, "must be in %s, got %s",
                     range, got);
}

bool rg_rule_range_text(const ProtobufCMessageDescriptor *message,
                        const ProtobufCFieldDescriptor *field, char *text) {
  const struct rg_rule *rule = rg_rule_find(message, field);
  return rule != NULL && rg_rule_write_range(rule, text);
}
