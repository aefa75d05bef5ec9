/* SPDX-License-Identifier: Apache-2.0 */
#include "host/baggage.h"

#include <stdint.h>
#include <string.h>

#include "host/mark.h"

static const char name[] = "retry-layer";
static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#define NAME_LENGTH (sizeof name - 1)

struct span {
  const char *at;
  size_t length;
};

static void skip(struct span *text, size_t length) {
  text->at += length;
  text->length -= length;
}

static bool begins_with(struct span text, char c) {
  return text.length > 0 && text.at[0] == c;
}

static void skip_spaces(struct span *text) {
  while (begins_with(*text, ' ') || begins_with(*text, '\t')) skip(text, 1);
}

/* Takes what stands before the first comma off the front of `rest`. */
static struct span take_member(struct span *rest) {
  const char *comma = memchr(rest->at, ',', rest->length);
  struct span member = {rest->at, rest->length};
  if (comma != NULL) member.length = (size_t)(comma - rest->at);
  skip(rest, member.length + (comma != NULL));
  return member;
}

static bool is_blank(struct span member) {
  skip_spaces(&member);
  return member.length == 0;
}

/* Whether a member's key or value ends here. */
static bool ends(struct span text) {
  skip_spaces(&text);
  return text.length == 0 || text.at[0] == ';' || text.at[0] == ',';
}

/* Whether the first member of `text` is ours; its value then comes next. */
static bool skip_our_key(struct span *text) {
  skip_spaces(text);
  if (text->length < NAME_LENGTH || memcmp(text->at, name, NAME_LENGTH) != 0)
    return false;
  skip(text, NAME_LENGTH);
  skip_spaces(text);
  if (!begins_with(*text, '=')) return ends(*text);
  skip(text, 1);
  skip_spaces(text);
  return true;
}

static bool is_ours(struct span member) { return skip_our_key(&member); }

/* ---- Reading ------------------------------------------------------------- */

/* The value of a digit, or -1. (memchr on `digits` took 24 instructions.) */
static int value_of(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  return digit == '-' ? 62 : digit == '_' ? 63 : -1;
}

/* Takes the digits off the front of `text`, as long as their bytes, which are
 * counted in `*length`, fit into RG_MARK_MAX_BYTES. */
static void take_digits(struct span *text, uint8_t *bytes, size_t *length) {
  uint32_t bits = 0;
  int count = 0;
  *length = 0;
  for (; text->length > 0 && *length < RG_MARK_MAX_BYTES; skip(text, 1)) {
    int digit = value_of(text->at[0]);
    if (digit < 0) return;
    bits = bits << 6 | (uint32_t)digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[(*length)++] = (uint8_t)(bits >> count);
  }
}

static bool decode(struct span value, uint8_t *bytes, size_t *length) {
  take_digits(&value, bytes, length);
  /* Padding is not ours, but harmless. */
  while (begins_with(value, '=')) skip(&value, 1);
  return ends(value);
}

static enum rg_mark_kind decode_mark(struct span value, struct rg_mark *mark) {
  uint8_t bytes[RG_MARK_MAX_BYTES];
  size_t size;
  return decode(value, bytes, &size) && rg_mark_decode(bytes, size, mark)
             ? RG_MARK_DECODED
             : RG_MARK_UNDECODABLE;
}

enum rg_mark_kind rg_baggage_read(const char *text, size_t length,
                                  struct rg_mark *mark) {
  struct span rest = {text, length};
  while (rest.length > 0) {
    struct span member = rest;
    if (skip_our_key(&member)) return decode_mark(member, mark);
    take_member(&rest);
  }
  return RG_MARK_NONE;
}

/* ---- Writing ------------------------------------------------------------- */

/* Writes the digits of three bytes. */
static void put_group(char *text, const uint8_t *bytes) {
  text[0] = digits[bytes[0] >> 2];
  text[1] = digits[(bytes[0] << 4 | bytes[1] >> 4) & 63];
  text[2] = digits[(bytes[1] << 2 | bytes[2] >> 6) & 63];
  text[3] = digits[bytes[2] & 63];
}

/* Without padding, so of an incomplete group only the digits that have bits of
 * the mark. Returns the end. */
static char *encode(const uint8_t *mark, size_t length, char *text) {
  for (; length >= 3; length -= 3, mark += 3, text += 4) put_group(text, mark);
  if (length == 0) return text;
  uint8_t second = length == 2 ? mark[1] : 0;
  *text++ = digits[mark[0] >> 2];
  *text++ = digits[(mark[0] << 4 | second >> 4) & 63];
  if (length == 2) *text++ = digits[second << 2 & 63];
  return text;
}

size_t rg_baggage_member(const void *mark, size_t mark_length, char *member) {
  memcpy(member, name, NAME_LENGTH);
  member[NAME_LENGTH] = '=';
  char *end = encode(mark, mark_length, member + NAME_LENGTH + 1);
  return (size_t)(end - member);
}

bool rg_baggage_repeats(const char *text, size_t length, const void *mark,
                        size_t mark_length) {
  char member[RG_BAGGAGE_MEMBER_MAX];
  return mark_length <= RG_MARK_MAX_BYTES &&
         rg_baggage_member(mark, mark_length, member) == length &&
         memcmp(text, member, length) == 0;
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

bool rg_baggage_write(const char *text, size_t length,
                      const struct rg_mark *mark, char *out,
                      size_t *out_length) {
  struct output result = {.at = out};
  struct span rest = {text, length};
  while (rest.length > 0) {
    struct span member = take_member(&rest);
    if (is_blank(member) || is_ours(member)) continue;
    if (!add(&result, member)) return false;
  }
  if (mark != NULL) {
    uint8_t bytes[RG_MARK_MAX_BYTES];
    char ours[RG_BAGGAGE_MEMBER_MAX];
    size_t size = rg_mark_encode(mark, bytes);
    add(&result, (struct span){ours, rg_baggage_member(bytes, size, ours)});
  }
  *out_length = result.length;
  return true;
}

size_t rg_baggage_strip(char *text, size_t length) {
  struct span rest = {text, length};
  size_t kept = 0;
  while (rest.length > 0) {
    struct span member = take_member(&rest);
    if (is_blank(member) || is_ours(member)) continue;
    if (kept > 0) text[kept++] = ',';
    memmove(text + kept, member.at, member.length);
    kept += member.length;
  }
  return kept;
}
