/* SPDX-License-Identifier: Apache-2.0 */
#include "config/text.h"

#include <stdbool.h>
#include <stdint.h>
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

/* 0 for a byte that begins nothing. */
static size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

/* Whether `code`, of a sequence of `bytes`, is written as short as can be and
 * is a character at all. */
static bool is_sound(uint32_t code, size_t bytes) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code >= least[bytes] && code <= 0x10FFFF && !surrogate;
}

uint32_t rg_text_decode(const char *text, size_t length, size_t *taken) {
  const unsigned char *bytes = (const unsigned char *)text;
  *taken = 1;
  size_t count = length > 0 ? sequence_length(bytes[0]) : 0;
  if (count == 0 || count > length) return RG_TEXT_NO_CHARACTER;
  uint32_t code = count == 1 ? bytes[0] : bytes[0] & (0xFFu >> (count + 1));
  for (size_t i = 1; i < count; i++) {
    if ((bytes[i] & 0xC0) != 0x80) return RG_TEXT_NO_CHARACTER;
    code = code << 6 | (bytes[i] & 0x3F);
  }
  if (!is_sound(code, count)) return RG_TEXT_NO_CHARACTER;
  *taken = count;
  return code;
}

size_t rg_text_character(const char *text) {
  const char *end = memchr(text, '\0', 4); /* no character is longer */
  size_t bytes;
  uint32_t code =
      rg_text_decode(text, end != NULL ? (size_t)(end - text) : 4, &bytes);
  bool control = code < 0x20 || (code >= 0x7F && code <= 0x9F);
  return code == RG_TEXT_NO_CHARACTER || control ? 0 : bytes;
}

void rg_text_printable(char *text) {
  while (*text != '\0') {
    size_t bytes = rg_text_character(text);
    if (bytes == 0) *text = '?';
    text += bytes > 0 ? bytes : 1;
  }
}
