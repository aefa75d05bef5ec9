/* SPDX-License-Identifier: Apache-2.0 */
#include "config/duration.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/num.h"

#define DECIMALS 9

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads digits from `*at` on; too many of them leave RG_DURATION_MAX_S + 1. */
static int64_t read_seconds(const char *text, size_t length, size_t *at) {
  int64_t seconds = 0;
  for (; *at < length && is_digit(text[*at]); ++*at)
    if (seconds <= RG_DURATION_MAX_S)
      seconds = seconds * 10 + (text[*at] - '0');
  return seconds;
}

/* Reads up to nine digits from `*at` on, as billionths. */
static int32_t read_nanos(const char *text, size_t length, size_t *at) {
  int32_t nanos = 0;
  int digits = 0;
  for (; digits < DECIMALS && *at < length && is_digit(text[*at]); digits++)
    nanos = nanos * 10 + (text[(*at)++] - '0');
  for (; digits < DECIMALS; digits++) nanos *= 10;
  return nanos;
}

enum rg_duration_status rg_duration_parse(const char *text, size_t length,
                                          struct rg_duration *duration) {
  size_t at = 0;
  bool negative = length > 0 && text[0] == '-';
  if (negative) at++;

  size_t digits = at;
  struct rg_duration d = {.seconds = read_seconds(text, length, &at)};
  if (at == digits) return RG_DURATION_MALFORMED;

  if (at < length && text[at] == '.') {
    size_t decimals = ++at;
    d.nanos = read_nanos(text, length, &at);
    if (at == decimals) return RG_DURATION_MALFORMED;
  }
  if (length - at != 1 || text[at] != 's') return RG_DURATION_MALFORMED;

  if (d.seconds > RG_DURATION_MAX_S ||
      (d.seconds == RG_DURATION_MAX_S && d.nanos > 0))
    return RG_DURATION_TOO_LONG;
  if (negative) d = (struct rg_duration){-d.seconds, -d.nanos};
  *duration = d;
  return RG_DURATION_OK;
}

void rg_duration_write(struct rg_duration duration, char *text) {
  bool negative = duration.seconds < 0 || duration.nanos < 0;
  if (negative)
    duration = (struct rg_duration){-duration.seconds, -duration.nanos};
  int length = snprintf(text, RG_DURATION_TEXT_SIZE - 1, "%s%" PRId64 ".%09d",
                        negative ? "-" : "", duration.seconds, duration.nanos);
  while (text[length - 1] == '0') length--;
  if (text[length - 1] == '.') length--;
  strcpy(text + length, "s");
}

struct rg_duration rg_duration_from_ms(int64_t ms) {
  return (struct rg_duration){ms / 1000, (int32_t)(ms % 1000) * 1000000};
}

struct rg_duration rg_duration_from_ns(uint64_t ns) {
  return (struct rg_duration){(int64_t)(ns / RG_NS_PER_S),
                              (int32_t)(ns % RG_NS_PER_S)};
}

const char *rg_duration_write_ms(uint64_t ms, char *text) {
  if (ms > INT64_MAX) ms = INT64_MAX;
  rg_duration_write(rg_duration_from_ms((int64_t)ms), text);
  return text;
}

int rg_duration_compare(struct rg_duration a, struct rg_duration b) {
  if (a.seconds != b.seconds) return a.seconds < b.seconds ? -1 : 1;
  if (a.nanos != b.nanos) return a.nanos < b.nanos ? -1 : 1;
  return 0;
}

uint64_t rg_duration_ns(struct rg_duration duration) {
  if (duration.seconds < 0 || duration.nanos < 0) return 0;
  return rg_num_add(rg_num_mul((uint64_t)duration.seconds, RG_NS_PER_S),
                    (uint64_t)duration.nanos);
}
