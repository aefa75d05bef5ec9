/* SPDX-License-Identifier: Apache-2.0 */

/* host/baggage.h: with a mark or without, the members of others come out as
 * they went in, ours is read back, and the limits hold. */
#include "host/baggage.h"

#include <string.h>

#include "fuzz/fuzz.h"

static const char name[] = "retry-layer";

struct text {
  const char *at;
  size_t length;
};

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static bool next_member(struct text *rest, struct text *member) {
  if (rest->length == 0) return false;
  const char *comma = memchr(rest->at, ',', rest->length);
  size_t length = comma != NULL ? (size_t)(comma - rest->at) : rest->length;
  *member = (struct text){rest->at, length};
  rest->at += length + (comma != NULL);
  rest->length -= length + (comma != NULL);
  return true;
}

/* What the key of `member` is compared by: from its first character that is
 * not blank. */
static bool is_ours(struct text member) {
  while (member.length > 0 && is_blank(*member.at))
    member.at++, member.length--;
  if (member.length < sizeof name - 1 ||
      memcmp(member.at, name, sizeof name - 1) != 0)
    return false;
  for (size_t i = sizeof name - 1; i < member.length; i++) {
    if (member.at[i] == '=' || member.at[i] == ';') return true;
    if (!is_blank(member.at[i])) return false;
  }
  return true;
}

/* The next member of somebody else. */
static bool next_others(struct text *rest, struct text *member) {
  while (next_member(rest, member)) {
    bool blank = true;
    for (size_t i = 0; i < member->length; i++)
      blank &= is_blank(member->at[i]);
    if (!blank && !is_ours(*member)) return true;
  }
  return false;
}

static void check_others(struct text in, struct text out) {
  struct text before, after;
  while (next_others(&in, &before)) {
    RG_FUZZ_CHECK(next_others(&out, &after));
    RG_FUZZ_CHECK(before.length == after.length);
    RG_FUZZ_CHECK(memcmp(before.at, after.at, after.length) == 0);
  }
  RG_FUZZ_CHECK(!next_others(&out, &after));
}

static size_t count_members(struct text text) {
  size_t count = 0;
  struct text member;
  while (next_member(&text, &member)) count++;
  return count;
}

static bool same(const struct rg_mark *a, const struct rg_mark *b) {
  return a->hops == b->hops && a->attempt == b->attempt &&
         a->owner_length == b->owner_length &&
         memcmp(a->owner, b->owner, a->owner_length) == 0;
}

/* Writes `in` with `mark` (NULL: none) to `buffer`, and checks the limits and
 * the members of others. */
static bool write_baggage(struct text in, const struct rg_mark *mark,
                          char *buffer, struct text *out) {
  *out = (struct text){buffer, 0};
  if (!rg_baggage_write(in.at, in.length, mark, buffer, &out->length))
    return false;
  RG_FUZZ_CHECK(out->length <= RG_BAGGAGE_MAX_BYTES);
  RG_FUZZ_CHECK(count_members(*out) <= RG_BAGGAGE_MAX_MEMBERS);
  check_others(in, *out);
  return true;
}

/* The mark is there, or there was no room for it. */
static void check_ours(struct text out, const struct rg_mark *mark,
                       struct text without) {
  struct rg_mark found;
  enum rg_mark_kind kind = rg_baggage_read(out.at, out.length, &found);
  if (kind == RG_MARK_DECODED) {
    RG_FUZZ_CHECK(same(&found, mark));
    return;
  }
  RG_FUZZ_CHECK(kind == RG_MARK_NONE);
  RG_FUZZ_CHECK(out.length == without.length);
  RG_FUZZ_CHECK(count_members(out) == RG_BAGGAGE_MAX_MEMBERS ||
                out.length > RG_BAGGAGE_MAX_BYTES - 256);
}

/* A text that only repeats the mark reads as the mark. */
static void check_repeats(struct text text, const struct rg_mark *mark) {
  uint8_t bytes[RG_MARK_MAX_BYTES];
  size_t length = rg_mark_encode(mark, bytes);
  struct rg_mark found;
  if (!rg_baggage_repeats(text.at, text.length, bytes, length)) return;
  RG_FUZZ_CHECK(rg_baggage_read(text.at, text.length, &found) ==
                RG_MARK_DECODED);
  RG_FUZZ_CHECK(same(&found, mark));
}

static struct rg_mark mark_of(struct rg_fuzz_script *script) {
  struct rg_mark mark = {.hops = (uint32_t)rg_fuzz_number(script, 1),
                         .attempt = (uint32_t)rg_fuzz_number(script, 4)};
  mark.owner_length = (uint8_t)rg_fuzz_below(script, RG_OWNER_MAX + 1);
  for (uint8_t i = 0; i < mark.owner_length; i++)
    mark.owner[i] = (char)(1 + (i * 37 + mark.attempt) % 127);
  return mark;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct rg_fuzz_script script = {data, size};
  struct rg_mark mark = mark_of(&script);
  struct text in = {(const char *)script.at, script.left};
  static char without_bytes[RG_BAGGAGE_MAX_BYTES];
  static char with_bytes[RG_BAGGAGE_MAX_BYTES];

  struct rg_mark ignored;
  rg_baggage_read(in.at, in.length, &ignored);
  struct text without, with;
  bool fits = write_baggage(in, NULL, without_bytes, &without);
  RG_FUZZ_CHECK(write_baggage(in, &mark, with_bytes, &with) == fits);
  if (!fits) return 0;
  RG_FUZZ_CHECK(rg_baggage_read(without.at, without.length, &ignored) ==
                RG_MARK_NONE);
  check_ours(with, &mark, without);
  check_repeats(in, &mark);
  check_repeats(with, &mark);
  return 0;
}
