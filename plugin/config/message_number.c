/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <stdint.h>
#include <string.h>

#include "config/message_field.h"
#include "config/message_value.h"

/* Up to here a double holds every whole number. */
#define EXACT_MAX 9007199254740992.0

/* Wide enough for int64 and uint64 at once. */
struct whole {
  bool negative;
  uint64_t magnitude;
};

/* -lowest..highest */
struct limits {
  uint64_t lowest;
  uint64_t highest;
};

static struct limits limits_of(ProtobufCType type) {
  switch (type) {
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
      return (struct limits){0, UINT32_MAX};
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
      return (struct limits){0, UINT64_MAX};
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
      return (struct limits){(uint64_t)INT64_MAX + 1, INT64_MAX};
    default:
      return (struct limits){(uint64_t)INT32_MAX + 1, INT32_MAX};
  }
}

static bool is_within(struct whole whole, struct limits limits) {
  return whole.magnitude <= (whole.negative ? limits.lowest : limits.highest);
}

static bool fault(const struct rg_value *value, const char *what) {
  rg_value_fault(value, what);
  return false;
}

static bool check(const struct rg_value *value, struct whole whole) {
  if (is_within(whole, limits_of(value->field->type))) return true;
  rg_value_fault_range(value);
  return false;
}

static bool from_integer(const struct rg_value *value, struct whole *whole) {
  json_int_t integer = json_integer_value(value->json);
  whole->negative = integer < 0;
  whole->magnitude =
      integer < 0 ? UINT64_C(0) - (uint64_t)integer : (uint64_t)integer;
  return check(value, *whole);
}

static bool is_64_bit(const struct rg_value *value) {
  return rg_field_size(value->field) == 8;
}

static bool from_real(const struct rg_value *value, struct whole *whole) {
  double real = json_real_value(value->json);
  double magnitude = real < 0 ? -real : real;
  if (magnitude > EXACT_MAX && is_64_bit(value))
    return fault(value, "a string to be exact at this size");
  if (magnitude > EXACT_MAX) magnitude = EXACT_MAX; /* out of range anyway */
  *whole = (struct whole){real < 0, (uint64_t)magnitude};
  if ((double)whole->magnitude != magnitude)
    return fault(value, "a whole number");
  return check(value, *whole);
}

/* Adds a decimal digit; false when that is too much. */
static bool add_digit(uint64_t *magnitude, char c) {
  uint64_t digit = (uint64_t)(c - '0');
  if (*magnitude > (UINT64_MAX - digit) / 10) return false;
  *magnitude = *magnitude * 10 + digit;
  return true;
}

static bool is_whole(const char *text) {
  if (*text == '-') text++;
  return *text != '\0' && strspn(text, "0123456789") == strlen(text);
}

static bool from_string(const struct rg_value *value, struct whole *whole) {
  const char *text = json_string_value(value->json);
  if (strlen(text) != json_string_length(value->json) || !is_whole(text))
    return fault(value, "a whole number");
  *whole = (struct whole){.negative = text[0] == '-'};
  for (const char *c = text + (whole->negative ? 1 : 0); *c != '\0'; c++) {
    if (add_digit(&whole->magnitude, *c)) continue;
    rg_value_fault_range(value);
    return false;
  }
  return check(value, *whole);
}

static bool read_whole(const struct rg_value *value, struct whole *whole) {
  if (json_is_integer(value->json)) return from_integer(value, whole);
  if (json_is_real(value->json)) return from_real(value, whole);
  if (json_is_string(value->json) && is_64_bit(value))
    return from_string(value, whole);
  rg_value_fault_kind(value, "a whole number");
  return false;
}

bool rg_value_read_integer(const struct rg_value *value, void *slot) {
  struct whole whole;
  if (!read_whole(value, &whole)) return false;
  /* Two's complement, whose lower half is right for 32 bits. */
  uint64_t bits = whole.negative ? 0 - whole.magnitude : whole.magnitude;
  uint32_t lower = (uint32_t)bits;
  if (is_64_bit(value))
    memcpy(slot, &bits, sizeof bits);
  else
    memcpy(slot, &lower, sizeof lower);
  return true;
}

bool rg_value_read_real(const struct rg_value *value, void *slot) {
  if (!json_is_number(value->json)) {
    rg_value_fault_kind(value, "a number");
    return false;
  }
  double real = json_number_value(value->json);
  if (value->field->type == PROTOBUF_C_TYPE_DOUBLE) {
    memcpy(slot, &real, sizeof real);
    return true;
  }
  if (real > (double)FLT_MAX || real < -(double)FLT_MAX)
    return fault(value, "a number that fits a float");
  float narrow = (float)real;
  memcpy(slot, &narrow, sizeof narrow);
  return true;
}
