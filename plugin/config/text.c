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
