/* SPDX-License-Identifier: Apache-2.0 */
#include "host/baggage.h"

#include <stdint.h>
#include <string.h>

#include "host/mark.h"

static const char name[] = "retry-layer";
static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#define ENCODED_MAX ((RG_MARK_MAX_BYTES + 2) / 3 * 4)

struct span {
  const char *at;
  size_t length;
};

static bool is_space(char c) { return c == ' ' || c == '\t'; }

static struct span trim(struct span s) {
  while (s.length > 0 && is_space(s.at[0])) s.at++, s.length--;
  while (s.length > 0 && is_space(s.at[s.length - 1])) s.length--;
  return s;
}

/* Takes what stands before the first `separator` off the front of `rest`. */
static struct span take(struct span *rest, char separator) {
  const char *end = memchr(rest->at, separator, rest->length);
  struct span taken = {rest->at, rest->length};
  if (end != NULL) taken.length = (size_t)(end - rest->at);
  size_t gone = taken.length + (end != NULL);
  rest->at += gone;
  rest->length -= gone;
  return taken;
}

/* Whether `member` is ours; its value, without properties, then goes to
 * `value`. */
static bool is_ours(struct span member, struct span *value) {
  struct span pair = take(&member, ';');
  struct span key = trim(take(&pair, '='));
  *value = trim(pair);
  return key.length == sizeof name - 1 &&
         memcmp(key.at, name, sizeof name - 1) == 0;
}

/* The value of a digit, or -1. (memchr on `digits` took 24 instructions.) */
static int value_of(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  return digit == '-' ? 62 : digit == '_' ? 63 : -1;
}

static bool decode(struct span value, uint8_t *bytes, size_t *length) {
  uint32_t bits = 0;
  int count = 0;
  *length = 0;
  /* Padding is not ours, but harmless. */
  while (value.length > 0 && value.at[value.length - 1] == '=') value.length--;
  if (value.length > ENCODED_MAX) return false;
  for (size_t i = 0; i < value.length; i++) {
    int digit = value_of(value.at[i]);
    if (digit < 0) return false;
    bits = bits << 6 | (uint32_t)digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[(*length)++] = (uint8_t)(bits >> count);
  }
  return true;
}

enum rg_mark_kind rg_baggage_read(const char *text, size_t length,
                                  struct rg_mark *mark) {
  struct span rest = {text, length};
  while (rest.length > 0) {
    struct span value;
    if (!is_ours(take(&rest, ','), &value)) continue;
    uint8_t bytes[ENCODED_MAX];
    size_t size;
    return decode(value, bytes, &size) && rg_mark_decode(bytes, size, mark)
               ? RG_MARK_DECODED
               : RG_MARK_UNDECODABLE;
  }
  return RG_MARK_NONE;
}

struct output {
  char *at;
  size_t length;
  size_t members;
};

/* False when that would go over a limit. */
static bool add(struct output *out, struct span member) {
  size_t comma = out->length > 0;
  if (out->members == RG_BAGGAGE_MAX_MEMBERS ||
      member.length + comma > RG_BAGGAGE_MAX_BYTES - out->length)
    return false;
  if (comma) out->at[out->length++] = ',';
  memcpy(out->at + out->length, member.at, member.length);
  out->length += member.length;
  out->members++;
  return true;
}

/* Writes the digits of three bytes. */
static void put_group(char *text, const uint8_t *bytes) {
  uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
  for (int i = 0; i < 4; i++) text[i] = digits[bits >> (18 - 6 * i) & 63];
}

/* Without padding, so of an incomplete group only the digits that have bits of
 * the mark. */
static size_t encode(const struct rg_mark *mark, char *text) {
  uint8_t bytes[RG_MARK_MAX_BYTES + 2];
  size_t size = rg_mark_encode(mark, bytes);
  bytes[size] = bytes[size + 1] = 0;
  for (size_t i = 0; i < size; i += 3) put_group(text + i / 3 * 4, bytes + i);
  return (size * 4 + 2) / 3;
}

bool rg_baggage_write(const char *text, size_t length,
                      const struct rg_mark *mark, char *out,
                      size_t *out_length) {
  struct output result = {.at = out};
  struct span rest = {text, length};
  while (rest.length > 0) {
    struct span member = take(&rest, ',');
    struct span value;
    if (trim(member).length == 0 || is_ours(member, &value)) continue;
    if (!add(&result, member)) return false;
  }
  if (mark != NULL) {
    char ours[sizeof name + ENCODED_MAX];
    memcpy(ours, name, sizeof name - 1);
    ours[sizeof name - 1] = '=';
    size_t size = sizeof name + encode(mark, ours + sizeof name);
    add(&result, (struct span){ours, size});
  }
  *out_length = result.length;
  return true;
}

size_t rg_baggage_strip(char *text, size_t length) {
  struct span rest = {text, length};
  size_t kept = 0;
  while (rest.length > 0) {
    struct span member = take(&rest, ',');
    struct span value;
    if (trim(member).length == 0 || is_ours(member, &value)) continue;
    if (kept > 0) text[kept++] = ',';
    memmove(text + kept, member.at, member.length);
    kept += member.length;
  }
  return kept;
}
