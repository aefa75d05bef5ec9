/* SPDX-License-Identifier: Apache-2.0 */
#include "config/native_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/duration.h"
#include "config/json_text.h"
#include "config/text.h"

/* Where absl looks for spaces. */
#define SPACES " \t\n\v\f\r"

struct rg_native rg_native_member(const struct rg_native *object,
                                  const char *key) {
  return (struct rg_native){
      .reader = object->reader,
      .path = {.parent = &object->path, .key = key},
      .json = json_object_get(object->json, key),
  };
}

struct rg_native rg_native_element(const struct rg_native *array,
                                   size_t index) {
  return (struct rg_native){
      .reader = array->reader,
      .path = {.parent = &array->path, .index = index},
      .json = json_array_get(array->json, index),
  };
}

bool rg_native_is_absent(const struct rg_native *value) {
  return value->json == NULL;
}

bool rg_native_is_null(const struct rg_native *value) {
  return json_is_null(value->json);
}

bool rg_native_is_given(const struct rg_native *value) {
  return !rg_native_is_absent(value) && !rg_native_is_null(value);
}

static bool refuse_type(const struct rg_native *value, const char *what) {
  rg_native_error(value, RG_FAULT_TYPE, "must be %s, got %s", what,
                  rg_json_text_kind(value->json));
  return false;
}

void rg_native_show(const struct rg_native *value, char *text) {
  if (json_is_integer(value->json))
    rg_json_raw_number(value->reader->raw, value->json, text);
  else
    rg_text_quote(json_string_value(value->json),
                  json_string_length(value->json), text);
}

static bool refuse(const struct rg_native *value, enum rg_fault_kind kind,
                   const char *what) {
  char got[RG_TEXT_QUOTED_SIZE];
  rg_native_show(value, got);
  rg_native_error(value, kind, "must be %s, got %s", what, got);
  return false;
}

bool rg_native_object(const struct rg_native *value) {
  return json_is_object(value->json) || refuse_type(value, "an object");
}

bool rg_native_array(const struct rg_native *value) {
  return json_is_array(value->json) || refuse_type(value, "an array");
}

bool rg_native_bool(const struct rg_native *value, bool *truth) {
  if (!json_is_boolean(value->json)) return refuse_type(value, "true or false");
  *truth = json_is_true(value->json);
  return true;
}

bool rg_native_string(const struct rg_native *value, const char **text) {
  if (!json_is_string(value->json)) return refuse_type(value, "a string");
  *text = json_string_value(value->json);
  return true;
}

static bool is_space(char c) { return c != '\0' && strchr(SPACES, c) != NULL; }

static void strip(const char **text, size_t *length) {
  while (*length > 0 && is_space((*text)[0])) {
    ++*text;
    --*length;
  }
  while (*length > 0 && is_space((*text)[*length - 1])) --*length;
}

bool rg_native_atoi(const char *text, size_t length, int64_t low, int64_t high,
                    int64_t *number) {
  strip(&text, &length);
  bool negative = length > 0 && text[0] == '-';
  size_t at = length > 0 && (negative || text[0] == '+') ? 1 : 0;
  if (at == length || (negative && low == 0)) return false;
  int64_t value = 0; /* negative, where there is one more */
  for (; at < length; at++) {
    if (text[at] < '0' || text[at] > '9') return false;
    int64_t digit = text[at] - '0';
    if (value < (INT64_MIN + digit) / 10) return false;
    value = value * 10 - digit;
  }
  if (!negative && value == INT64_MIN) return false;
  if (!negative) value = -value;
  *number = value;
  return value >= low && value <= high;
}

const char *rg_native_number_text(const struct rg_native *value,
                                  char text[RG_JSON_NUMBER_SIZE]) {
  if (json_is_string(value->json)) return json_string_value(value->json);
  if (json_is_integer(value->json)) {
    rg_json_raw_number(value->reader->raw, value->json, text);
    return text;
  }
  refuse_type(value, "a number");
  return NULL;
}

/* Such as -3: an integer, but not one of the type. */
static bool looks_whole(const char *text) {
  size_t length = strlen(text);
  strip(&text, &length);
  size_t sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
  size_t digits = strspn(text + sign, "0123456789");
  return digits > 0 && sign + digits == length;
}

bool rg_native_integer(const struct rg_native *value, int64_t low, int64_t high,
                       int64_t *number) {
  char buffer[RG_JSON_NUMBER_SIZE];
  const char *text = rg_native_number_text(value, buffer);
  if (text == NULL) return false;
  if (rg_native_atoi(text, strlen(text), low, high, number)) return true;
  char what[RG_TEXT_QUOTED_SIZE];
  if (!looks_whole(text))
    return refuse(value, RG_FAULT_VALUE, "a whole number, written as one");
  snprintf(what, sizeof what, "in [%" PRId64 ", %" PRId64 "]", low, high);
  return refuse(value, RG_FAULT_RANGE, what);
}

bool rg_native_real(const struct rg_native *value, double *number) {
  char buffer[RG_JSON_NUMBER_SIZE];
  const char *text = rg_native_number_text(value, buffer);
  if (text == NULL) return false;
  return rg_text_read_number(text, number) ||
         refuse(value, RG_FAULT_VALUE, "a number");
}

struct duration_text {
  const char *seconds;
  size_t seconds_length;
  const char *decimals; /* NULL: no point */
  size_t decimals_length;
};

/* Cuts "1.5s" at its point; false: no "s". */
static bool split(const char *text, size_t length, struct duration_text *d) {
  if (length == 0 || text[length - 1] != 's') return false;
  length--;
  strip(&text, &length);
  const char *point = length > 0 ? memchr(text, '.', length) : NULL;
  *d = (struct duration_text){.seconds = text, .seconds_length = length};
  if (point == NULL) return true;
  d->seconds_length = (size_t)(point - text);
  d->decimals = point + 1;
  d->decimals_length = length - d->seconds_length - 1;
  return true;
}

static bool read_nanos(const struct duration_text *d, int64_t *nanos) {
  *nanos = 0;
  if (d->decimals == NULL) return true;
  if (!rg_native_atoi(d->decimals, d->decimals_length, INT32_MIN, INT32_MAX,
                      nanos) ||
      d->decimals_length > 9)
    return false;
  for (size_t i = d->decimals_length; i < 9; i++)
    *nanos = (int32_t)((uint32_t)*nanos * 10u);
  return true;
}

/* gRPC forgets a minus before 0 seconds, and what is below a millisecond. */
static void warn_if_misread(const struct rg_native *value,
                            const struct duration_text *d, int64_t nanos,
                            int64_t ms) {
  bool minus = d->seconds_length > 0 && d->seconds[0] == '-';
  if (!minus && nanos % 1000000 == 0 && nanos >= 0) return;
  char got[RG_TEXT_QUOTED_SIZE];
  char read[RG_DURATION_TEXT_SIZE];
  rg_native_show(value, got);
  rg_duration_write(rg_duration_from_ms(ms), read);
  rg_native_warning(value, RG_FAULT_MISREAD,
                    "is %s, which gRPC reads as \"%s\": %s", got, read,
                    minus || nanos < 0 ? "write it without a sign"
                                       : "it counts whole milliseconds");
}

bool rg_native_duration(const struct rg_native *value, int64_t *ms) {
  const char *text;
  struct duration_text d;
  int64_t seconds;
  int64_t nanos;
  if (!json_is_string(value->json))
    return refuse_type(value, "a duration such as \"0.1s\"");
  text = json_string_value(value->json);
  if (!split(text, json_string_length(value->json), &d) ||
      !read_nanos(&d, &nanos) ||
      !rg_native_atoi(d.seconds, d.seconds_length, INT64_MIN, INT64_MAX,
                      &seconds))
    return refuse(value, RG_FAULT_VALUE, "a duration such as \"0.1s\"");
  if (seconds < 0 || seconds > RG_DURATION_MAX_S)
    return refuse(value, RG_FAULT_RANGE, "in [0s, 315576000000s]");
  *ms = seconds * 1000 + nanos / 1000000;
  warn_if_misread(value, &d, nanos, *ms);
  return true;
}
