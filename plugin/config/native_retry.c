/* SPDX-License-Identifier: Apache-2.0 */
#include "config/native_retry.h"

#include <inttypes.h>
#include <string.h>

#include "config/native_keys.h"
#include "retry_guard/v1/policy.pb-c.h"

#define MICRO 1e6
#define DECIMALS 3

static bool is_missing(const struct rg_native *value) {
  if (!rg_native_is_absent(value)) return false;
  rg_native_error(value, RG_FAULT_MISSING, "is missing");
  return true;
}

static bool refuse_0(const struct rg_native *value) {
  rg_native_error(value, RG_FAULT_RANGE, "must be above 0");
  return false;
}

static bool read_max_attempts(const struct rg_native *policy,
                              struct rg_retry_policy *retry) {
  struct rg_native value = rg_native_member(policy, "maxAttempts");
  int64_t attempts;
  if (is_missing(&value) ||
      !rg_native_integer(&value, INT32_MIN, INT32_MAX, &attempts))
    return false;
  if (attempts < RG_MIN_ATTEMPTS) {
    rg_native_error(&value, RG_FAULT_RANGE,
                    "must be at least %d, got %" PRId64
                    ": it counts the first attempt, so 1 would be no retry",
                    RG_MIN_ATTEMPTS, attempts);
    return false;
  }
  if (attempts > RG_MAX_ATTEMPTS)
    rg_native_warning(&value, RG_FAULT_FUTILE,
                      "is %" PRId64 ", but gRPC makes at most %d attempts",
                      attempts, RG_MAX_ATTEMPTS);
  retry->max_attempts =
      (uint32_t)(attempts < RG_MAX_ATTEMPTS ? attempts : RG_MAX_ATTEMPTS);
  return true;
}

static bool read_backoff(const struct rg_native *policy, const char *key,
                         uint64_t *backoff_ms) {
  struct rg_native value = rg_native_member(policy, key);
  int64_t ms;
  if (is_missing(&value) || !rg_native_duration(&value, &ms)) return false;
  if (ms == 0) return refuse_0(&value);
  *backoff_ms = ms > 0 ? (uint64_t)ms : 0;
  return true;
}

/* As the plugin has it: no more precise than gRPC's float. */
static uint64_t micro(float multiplier) {
  double micros = (double)multiplier * MICRO + 0.5;
  return micros < 1e18 ? (uint64_t)micros : UINT64_C(1000000000000000000);
}

static bool read_multiplier(const struct rg_native *policy,
                            struct rg_retry_policy *retry) {
  struct rg_native value = rg_native_member(policy, "backoffMultiplier");
  double multiplier;
  if (is_missing(&value) || !rg_native_real(&value, &multiplier)) return false;
  if ((float)multiplier <= 0) return refuse_0(&value);
  retry->multiplier_micro = micro((float)multiplier);
  return true;
}

static bool add_code(const struct rg_native *value,
                     struct rg_retry_policy *retry) {
  const char *name;
  if (!rg_native_string(value, &name)) return false;
  const ProtobufCEnumValue *code = protobuf_c_enum_descriptor_get_value_by_name(
      &retry_guard__v1__circuit_breaker__code__descriptor, name);
  if (code == NULL) {
    char got[RG_TEXT_QUOTED_SIZE];
    rg_native_show(value, got);
    rg_native_error(value, RG_FAULT_VALUE,
                    "must be the name of a status code in capitals, such as "
                    "\"UNAVAILABLE\", got %s",
                    got);
    return false;
  }
  retry->retryable_codes |= 1u << code->value;
  return true;
}

static bool read_codes(const struct rg_native *policy,
                       struct rg_retry_policy *retry) {
  struct rg_native value = rg_native_member(policy, "retryableStatusCodes");
  bool good = true;
  retry->retryable_codes = 0;
  if (!rg_native_is_absent(&value)) {
    if (!rg_native_array(&value)) return false;
    for (size_t i = 0; i < json_array_size(value.json); i++) {
      struct rg_native code = rg_native_element(&value, i);
      if (!add_code(&code, retry)) good = false;
    }
  }
  if (good && retry->retryable_codes == 0) {
    rg_native_error(&value, RG_FAULT_MISSING,
                    "must name at least one status code");
    return false;
  }
  return good;
}

bool rg_native_read_retry(const struct rg_native *value,
                          struct rg_retry_policy *retry) {
  if (!rg_native_object(value)) return false;
  rg_native_check_keys(value, RG_NATIVE_RETRY_POLICY);
  bool attempts = read_max_attempts(value, retry);
  bool initial =
      read_backoff(value, "initialBackoff", &retry->initial_backoff_ms);
  bool max = read_backoff(value, "maxBackoff", &retry->max_backoff_ms);
  bool multiplier = read_multiplier(value, retry);
  bool codes = read_codes(value, retry);
  return attempts && initial && max && multiplier && codes;
}

static bool read_max_tokens(const struct rg_native *policy,
                            struct rg_throttling *throttling) {
  struct rg_native value = rg_native_member(policy, "maxTokens");
  int64_t tokens;
  if (is_missing(&value) || !rg_native_integer(&value, 0, UINT32_MAX, &tokens))
    return false;
  if (tokens == 0) return refuse_0(&value);
  throttling->max_milli = (uint64_t)tokens * 1000;
  return true;
}

/* A decimal number as gRPC reads it: without a point it counts thousandths. */
static bool read_milli(const char *text, uint32_t *milli) {
  const char *point = strchr(text, '.');
  size_t length = point != NULL ? (size_t)(point - text) : strlen(text);
  int64_t decimals = 0;
  int64_t whole;
  if (point != NULL) {
    size_t digits = strlen(point + 1);
    if (digits > DECIMALS) digits = DECIMALS;
    if (!rg_native_atoi(point + 1, digits, 0, UINT32_MAX, &decimals))
      return false;
    for (; digits < DECIMALS; digits++) decimals *= 10;
  }
  if (!rg_native_atoi(text, length, 0, UINT32_MAX, &whole)) return false;
  *milli = (uint32_t)whole * (point != NULL ? 1000u : 1u) + (uint32_t)decimals;
  return true;
}

static void warn_if_misread(const struct rg_native *value, const char *text,
                            uint32_t milli) {
  const char *point = strchr(text, '.');
  char got[RG_TEXT_QUOTED_SIZE];
  rg_native_show(value, got);
  if (point == NULL)
    rg_native_warning(value, RG_FAULT_MISREAD,
                      "is %s, which gRPC reads as %u.%03u: write it with a "
                      "decimal point",
                      got, milli / 1000, milli % 1000);
  else if (strspn(point + 1, "0123456789") > DECIMALS &&
           strspn(point + 1 + DECIMALS, "0") != strlen(point + 1 + DECIMALS))
    rg_native_warning(value, RG_FAULT_MISREAD,
                      "is %s, which gRPC reads as %u.%03u: it counts "
                      "thousandths",
                      got, milli / 1000, milli % 1000);
}

static bool read_token_ratio(const struct rg_native *policy,
                             struct rg_throttling *throttling) {
  struct rg_native value = rg_native_member(policy, "tokenRatio");
  char buffer[RG_JSON_NUMBER_SIZE];
  uint32_t milli;
  if (is_missing(&value)) return false;
  const char *text = rg_native_number_text(&value, buffer);
  if (text == NULL) return false;
  if (!read_milli(text, &milli)) {
    char got[RG_TEXT_QUOTED_SIZE];
    rg_native_show(&value, got);
    rg_native_error(&value, RG_FAULT_VALUE,
                    "must be a decimal number such as 0.1, got %s", got);
    return false;
  }
  if (milli == 0 || milli > INT32_MAX) return refuse_0(&value);
  warn_if_misread(&value, text, milli);
  throttling->ratio_milli = milli;
  return true;
}

bool rg_native_read_throttling(const struct rg_native *value,
                               struct rg_throttling *throttling) {
  if (!rg_native_object(value)) return false;
  rg_native_check_keys(value, RG_NATIVE_THROTTLING);
  bool tokens = read_max_tokens(value, throttling);
  bool ratio = read_token_ratio(value, throttling);
  return tokens && ratio;
}
