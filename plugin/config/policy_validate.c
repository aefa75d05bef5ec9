/* SPDX-License-Identifier: Apache-2.0 */
#include "config/policy_validate.h"

#include <stdint.h>
#include <string.h>

#include "config/json_path.h"
#include "config/message_field.h"
#include "config/policy_rules.h"
#include "config/text.h"
#include "retry_guard/v1/policy.pb-c.h"

#define ELSEWHERE \
  "set it in the retryGuard at the top level of the service config"

struct validation {
  enum rg_policy_scope scope;
  struct rg_faults *faults;
};

/* One field that is set. */
struct subject {
  const ProtobufCMessage *message;
  const ProtobufCFieldDescriptor *field;
  const struct rg_rule *rule; /* NULL: none */
  struct rg_json_path path;
};

static const ProtobufCMessage *message_of(const struct subject *s) {
  return *(ProtobufCMessage *const *)rg_field_get(s->message, s->field);
}

static void check_length(const struct validation *v, const struct subject *s) {
  size_t length = strlen(*(char *const *)rg_field_get(s->message, s->field));
  if (length > (size_t)s->rule->high)
    rg_json_path_fault(&s->path, v->faults, RG_FAULT_RANGE,
                       "must be at most %d bytes, got %zu", (int)s->rule->high,
                       length);
}

/* Entries that HTTP, gRPC or the guard itself write and read. A key in one of
 * them breaks the call, or (`te`, `grpclb_client_stats`) ends the process: gRPC
 * asserts that it never has to send such a value. */
static bool is_taken(const char *name) {
  static const char *const taken[] = {
      "te",
      "content-type",
      "content-length",
      "user-agent",
      "host",
      "connection",
      "keep-alive",
      "upgrade",
      "lb-token",
      "grpclb_client_stats",
      "baggage",
      "trailer",
      "http2-settings",
      "proxy-connection",
      "transfer-encoding",
  };
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
    if (strcmp(name, taken[i]) == 0) return true;
  return false;
}

/* gRPC's own characters, and none of the entries that mean something to it. */
static bool is_entry_name(const char *name) {
  size_t length = strlen(name);
  if (length == 0 || strncmp(name, "grpc-", 5) == 0) return false;
  if (length >= 4 && strcmp(name + length - 4, "-bin") == 0) return false;
  return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == length;
}

static void check_key(const struct validation *v, const struct subject *s) {
  const char *name = *(char *const *)rg_field_get(s->message, s->field);
  char got[RG_TEXT_QUOTED_SIZE];
  check_length(v, s);
  rg_text_quote(name, strlen(name), got);
  if (is_taken(name))
    rg_json_path_fault(&s->path, v->faults, RG_FAULT_VALUE,
                       "must not be an entry that has a meaning of its own, "
                       "got %s",
                       got);
  if (is_taken(name) || is_entry_name(name)) return;
  rg_json_path_fault(&s->path, v->faults, RG_FAULT_VALUE,
                     "must be the name of a metadata entry in lower case, "
                     "without \"grpc-\" before or \"-bin\" after it, got %s",
                     got);
}

static void check_range(const struct validation *v, const struct subject *s) {
  if (s->rule == NULL) return;
  switch (s->rule->range) {
    case RG_RANGE_ANY:
      break;
    case RG_RANGE_NUMBER:
    case RG_RANGE_DURATION:
      rg_rule_check(s->rule, s->message, s->field, &s->path, v->faults);
      break;
    case RG_RANGE_LENGTH:
      check_length(v, s);
      break;
    case RG_RANGE_KEY:
      check_key(v, s);
      break;
  }
}

static bool is_true(const struct subject *s) {
  return *(const protobuf_c_boolean *)rg_field_get(s->message, s->field) != 0;
}

/* What keeps the field out of a methodConfig entry; NULL: nothing. */
static const char *objection(const struct subject *s) {
  if (s->rule == NULL) return NULL;
  switch (s->rule->scope) {
    case RG_SCOPE_TARGET:
      return "belongs to the whole target, not to a method: " ELSEWHERE;
    case RG_SCOPE_CHANNEL:
      return "belongs to the whole channel, not to a method: " ELSEWHERE;
    case RG_SCOPE_METHOD_TRUE:
      return is_true(s) ? NULL
                        : "can only be true for a method, false belongs to the "
                          "whole target: " ELSEWHERE;
    default:
      return NULL;
  }
}

static void check_message(const struct validation *v,
                          const ProtobufCMessage *message,
                          const struct rg_json_path *path);

/* A success that counted as failure would open the breaker for good. */
static void check_codes(const struct validation *v, const struct subject *s) {
  if (s->message->descriptor != &retry_guard__v1__circuit_breaker__descriptor ||
      s->field->label != PROTOBUF_C_LABEL_REPEATED)
    return;
  const RetryGuard__V1__CircuitBreaker *breaker =
      (const RetryGuard__V1__CircuitBreaker *)(const void *)s->message;
  for (size_t i = 0; i < breaker->n_failure_status_codes; i++) {
    if (breaker->failure_status_codes[i] !=
        RETRY_GUARD__V1__CIRCUIT_BREAKER__CODE__OK)
      continue;
    struct rg_json_path path = {.parent = &s->path, .index = i};
    rg_json_path_fault(&path, v->faults, RG_FAULT_VALUE,
                       "cannot be OK, which is no failure");
  }
}

static void check_field(const struct validation *v, const struct subject *s) {
  const char *why = v->scope == RG_POLICY_METHOD ? objection(s) : NULL;
  if (why != NULL) {
    rg_json_path_fault(&s->path, v->faults, RG_FAULT_PLACE, "%s", why);
    return;
  }
  check_range(v, s);
  check_codes(v, s);
  if (s->field->type == PROTOBUF_C_TYPE_MESSAGE &&
      !rg_message_is_duration(s->field->descriptor))
    check_message(v, message_of(s), &s->path);
}

static void check_message(const struct validation *v,
                          const ProtobufCMessage *message,
                          const struct rg_json_path *path) {
  const ProtobufCMessageDescriptor *descriptor = message->descriptor;
  for (unsigned i = 0; i < descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
    if (!rg_field_is_set(message, field)) continue;
    char name[RG_FIELD_NAME_SIZE];
    rg_field_json_name(field, name);
    const struct subject subject = {
        .message = message,
        .field = field,
        .rule = rg_rule_find(descriptor, field),
        .path = {.parent = path, .key = name},
    };
    check_field(v, &subject);
  }
}

void rg_policy_validate(const ProtobufCMessage *message,
                        enum rg_policy_scope scope,
                        const struct rg_json_path *path,
                        struct rg_faults *faults) {
  const struct validation v = {scope, faults};
  check_message(&v, message, path);
}
