/* SPDX-License-Identifier: Apache-2.0 */
#include "config/policy_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/message_field.h"
#include "config/policy_block.h"
#include "config/text.h"
#include "core/num.h"

enum form {
  BOOL,
  COUNT,         /* uint32_t */
  MILLI,         /* uint32_t, in thousandths */
  MILLI_OR_NONE, /* uint64_t, in thousandths; 0: none */
  NS,            /* uint64_t */
  NS_OR_NONE,    /* the same; 0: none */
  MS,            /* uint64_t */
  ENUM,          /* of the type in `names` */
  CODES,         /* uint32_t, bit n: status code n */
  NAME,          /* the layer's */
  TEXT,          /* char[] */
  UNBUDGETED,    /* the opposite of a bool */
  FLOOR,         /* of the window's interval */
};

struct row {
  const char *path;
  enum form form;
  size_t at; /* in struct rg_policy */
  const ProtobufCEnumDescriptor *names;
};

#define AT(field) offsetof(struct rg_policy, field)
#define BUCKET "budget.tokenBucket."
#define WINDOW "budget.window."
#define BREAKER "circuitBreaker."

static const struct row rows[] = {
    {"mode", ENUM, AT(mode), &retry_guard__v1__policy__mode__descriptor},
    {"budget.disabled", UNBUDGETED, AT(budgeted), NULL},
    {BUCKET "tokenRatio", MILLI, AT(budget.bucket.ratio_milli), NULL},
    {BUCKET "burst", NS, AT(budget.bucket.burst_ns), NULL},
    {BUCKET "initialTokens", MILLI, AT(budget.bucket.initial_milli), NULL},
    {BUCKET "maxTokens", MILLI_OR_NONE, AT(budget.bucket.max_milli), NULL},
    {WINDOW "percent", COUNT, AT(budget.window.percent), NULL},
    {WINDOW "interval", NS, AT(budget.window.interval_ns), NULL},
    {WINDOW "minRetryRate", FLOOR, AT(budget.window), NULL},
    {"backoff.jitter", ENUM, AT(backoff.jitter),
     &retry_guard__v1__backoff__jitter__descriptor},
    {"backoff.floor", MS, AT(backoff.floor_ms), NULL},
    {"layer.disabled", BOOL, AT(layer.disabled), NULL},
    {"layer.mode", ENUM, AT(layer.mode),
     &retry_guard__v1__layer__mode__descriptor},
    {"layer.name", NAME, AT(layer), NULL},
    {"layer.maxHops", COUNT, AT(layer.max_hops), NULL},
    {"layer.baggage", BOOL, AT(layer.baggage), NULL},
    {BREAKER "disabled", BOOL, AT(breaker.disabled), NULL},
    {BREAKER "scope", ENUM, AT(breaker.scope),
     &retry_guard__v1__circuit_breaker__scope__descriptor},
    {BREAKER "failureStatusCodes", CODES, AT(breaker.failure_codes), NULL},
    {BREAKER "failureRatio", MILLI, AT(breaker.failure_ratio_milli), NULL},
    {BREAKER "window", NS, AT(breaker.window_ns), NULL},
    {BREAKER "minRequests", COUNT, AT(breaker.min_requests), NULL},
    {BREAKER "consecutiveFailures", COUNT, AT(breaker.consecutive_failures),
     NULL},
    {BREAKER "cooldown", NS, AT(breaker.cooldown_ns), NULL},
    {BREAKER "cooldownJitter", MILLI, AT(breaker.cooldown_jitter_milli), NULL},
    {BREAKER "maxCooldown", NS_OR_NONE, AT(breaker.max_cooldown_ns), NULL},
    {BREAKER "probes", COUNT, AT(breaker.probes), NULL},
    {BREAKER "probeTimeout", NS, AT(breaker.probe_timeout_ns), NULL},
    {"deadline.disabled", BOOL, AT(deadline.disabled), NULL},
    {"deadline.hopMargin", NS, AT(deadline.hop_margin_ns), NULL},
    {"deadline.minAttempt", NS, AT(deadline.min_attempt_ns), NULL},
    {"deadline.adaptive", BOOL, AT(deadline.adaptive), NULL},
    {"deadline.attemptTimeout", NS_OR_NONE, AT(deadline.attempt_timeout_ns),
     NULL},
    {"deadline.minRemaining", NS, AT(deadline.min_remaining_ns), NULL},
    {"idempotency", ENUM, AT(idempotency.mode),
     &retry_guard__v1__policy__idempotency__descriptor},
    {"keyHeader", TEXT, AT(idempotency.key_header), NULL},
    {"amplificationAlarm", MILLI, AT(amplification_alarm_milli), NULL},
};

_Static_assert(sizeof rows / sizeof rows[0] <= RG_POLICY_VALUES_MAX,
               "a policy's values fit");

static void write_duration(uint64_t ns, char *text) {
  rg_duration_write(rg_duration_from_ns(ns), text);
}

static void write_milli(uint64_t milli, char *text) {
  rg_text_number((double)milli / RG_MILLI, text);
}

void rg_policy_codes_write(uint32_t codes, char text[RG_POLICY_VALUE_SIZE]) {
  const ProtobufCEnumDescriptor *type =
      &retry_guard__v1__circuit_breaker__code__descriptor;
  size_t used = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < type->n_values && used < RG_POLICY_VALUE_SIZE; i++)
    if ((codes >> type->values[i].value & 1) != 0)
      used += (size_t)snprintf(text + used, RG_POLICY_VALUE_SIZE - used, "%s%s",
                               used > 0 ? ", " : "", type->values[i].name);
}

static void write_floor(const struct rg_retry_window_policy *window,
                        char *text) {
  char count[RG_TEXT_NUMBER_SIZE];
  char interval[RG_DURATION_TEXT_SIZE];
  write_milli(window->min_retries_milli, count);
  write_duration(window->interval_ns, interval);
  snprintf(text, RG_POLICY_VALUE_SIZE, "%s in %s", count, interval);
}

static uint32_t u32(const void *at) { return *(const uint32_t *)at; }
static uint64_t u64(const void *at) { return *(const uint64_t *)at; }

/* The core's enums have the values of the schema's. */
static const char *enum_name(const struct row *row, const void *at) {
  int value;
  memcpy(&value, at, sizeof value);
  return protobuf_c_enum_descriptor_get_value(row->names, value)->name;
}

static void write(const struct row *row, const struct rg_policy *policy,
                  char *text) {
  const void *at = (const char *)policy + row->at;
  switch (row->form) {
    case BOOL:
      strcpy(text, *(const bool *)at ? "true" : "false");
      break;
    case UNBUDGETED:
      strcpy(text, *(const bool *)at ? "false" : "true");
      break;
    case COUNT:
      snprintf(text, RG_POLICY_VALUE_SIZE, "%" PRIu32, u32(at));
      break;
    case MILLI:
      write_milli(u32(at), text);
      break;
    case MILLI_OR_NONE:
      if (u64(at) > 0) write_milli(u64(at), text);
      break;
    case NS:
      write_duration(u64(at), text);
      break;
    case NS_OR_NONE:
      if (u64(at) > 0) write_duration(u64(at), text);
      break;
    case MS:
      write_duration(rg_num_mul(u64(at), RG_NS_PER_MS), text);
      break;
    case ENUM:
      strcpy(text, enum_name(row, at));
      break;
    case CODES:
      rg_policy_codes_write(u32(at), text);
      break;
    case NAME:
      snprintf(text, RG_POLICY_VALUE_SIZE, "\"%.*s\"",
               (int)policy->layer.name_length, policy->layer.name);
      break;
    case TEXT:
      snprintf(text, RG_POLICY_VALUE_SIZE, "\"%s\"", (const char *)at);
      break;
    case FLOOR:
      write_floor(at, text);
      break;
  }
}

/* Whether `message` says something at `path`. */
static bool says(const ProtobufCMessage *message, const char *path) {
  char name[RG_FIELD_NAME_SIZE];
  size_t length = strcspn(path, ".");
  snprintf(name, sizeof name, "%.*s", (int)length, path);
  const ProtobufCFieldDescriptor *field =
      rg_field_find(message->descriptor, name);
  if (field == NULL || !rg_field_is_set(message, field)) return false;
  if (path[length] == '\0') return true;
  const ProtobufCMessage *inner;
  memcpy(&inner, rg_field_get(message, field), sizeof inner);
  return says(inner, path + length + 1);
}

static bool block_says(const struct rg_policy_block *block, const char *path) {
  return block != NULL && says(&block->message->base, path);
}

static bool is_in_use(const struct row *row, const struct rg_policy *policy) {
  enum rg_budget_kind kind = policy->budget.kind;
  if (strncmp(row->path, BUCKET, sizeof BUCKET - 1) == 0)
    return kind == RG_BUDGET_TOKEN_BUCKET;
  if (strncmp(row->path, WINDOW, sizeof WINDOW - 1) == 0)
    return kind == RG_BUDGET_WINDOW;
  return true;
}

size_t rg_policy_values(const struct rg_policy_block *channel,
                        const struct rg_policy_block *method,
                        struct rg_policy_value values[RG_POLICY_VALUES_MAX]) {
  struct rg_policy policy;
  size_t count = 0;
  rg_policy_resolve(channel, method, &policy);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (!is_in_use(&rows[i], &policy)) continue;
    struct rg_policy_value *value = &values[count++];
    value->path = rows[i].path;
    strcpy(value->text, "none");
    write(&rows[i], &policy, value->text);
    value->source = block_says(method, value->path)    ? RG_SOURCE_METHOD
                    : block_says(channel, value->path) ? RG_SOURCE_CHANNEL
                                                       : RG_SOURCE_DEFAULT;
  }
  return count;
}
