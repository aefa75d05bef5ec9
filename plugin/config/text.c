/* SPDX-License-Identifier: Apache-2.0 */
#include "config/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/c_locale.h"

#define ELLIPSIS "..."

void rg_text_number(double value, char *text) {
  struct rg_c_locale locale;
  bool entered = rg_c_locale_enter(&locale);
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, RG_TEXT_NUMBER_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  if (entered) rg_c_locale_leave(&locale);
}

bool rg_text_read_number(const char *text, double *value) {
  struct rg_c_locale locale;
  if (!rg_c_locale_enter(&locale)) return false;
  char *end;
  *value = strtod(text, &end);
  rg_c_locale_leave(&locale);
  return end != text && end[strspn(end, " \t\n\v\f\r")] == '\0';
}

/* The bytes that make up the character at `at`, at least one. */
static size_t character(const char *string, size_t length, size_t at) {
  size_t end = at + 1;
  while (end < length && ((unsigned char)string[end] & 0xC0) == 0x80) end++;
  return end - at;
}

/* Writes one character as JSON has it; `text` has 8 bytes. */
static size_t escape(const char *from, size_t length, char *text) {
  unsigned char c = (unsigned char)from[0];
  if (c < 0x20 || c == 0x7F) return (size_t)snprintf(text, 8, "\\u%04x", c);
  size_t used = 0;
  if (c == '"' || c == '\\') text[used++] = '\\';
  if (length > 4) length = 4;
  memcpy(text + used, from, length);
  return used + length;
}

void rg_text_quote(const char *string, size_t length, char *text) {
  size_t room = RG_TEXT_QUOTED_SIZE - sizeof ELLIPSIS - 1;
  size_t used = 0;
  text[used++] = '"';
  for (size_t i = 0; i < length;) {
    char escaped[8];
    size_t bytes = character(string, length, i);
    size_t size = escape(string + i, bytes, escaped);
    if (used + size > room) {
      strcpy(text + used, ELLIPSIS "\"");
      return;
    }
    memcpy(text + used, escaped, size);
    used += size;
    i += bytes;
  }
  strcpy(text + used, "\"");
}

/* The first bytes of a character, and what may follow them: the second byte
 * keeps out what is longer than it need be, surrogates, what lies beyond the
 * last character, and U+0080 to U+009F, which are control characters. */
static const struct {
  unsigned char first_low, first_high;
  unsigned char second_low, second_high;
  size_t bytes;
} characters[] = {
    {0x20, 0x7E, 0, 0, 1},       {0xC2, 0xC2, 0xA0, 0xBF, 2},
    {0xC3, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

static bool is_within(unsigned char c, unsigned char low, unsigned char high) {
  return c >= low && c <= high;
}

size_t rg_text_character(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  for (size_t i = 0; i < sizeof characters / sizeof characters[0]; i++) {
    size_t bytes = characters[i].bytes;
    if (!is_within(at[0], characters[i].first_low, characters[i].first_high))
      continue;
    if (bytes > 1 &&
        !is_within(at[1], characters[i].second_low, characters[i].second_high))
      return 0;
    for (size_t n = 2; n < bytes; n++)
      if (!is_within(at[n], 0x80, 0xBF)) return 0;
    return bytes;
  }
  return 0;
}

void rg_text_printable(char *text) {
  while (*text != '\0') {
    size_t bytes = rg_text_character(text);
    if (bytes == 0) *text = '?';
    text += bytes > 0 ? bytes : 1;
  }
}
