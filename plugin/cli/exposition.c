/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/exposition.h"

#include <string.h>

#include "config/text.h"

#define NUMBER_SIZE 64

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == ':';
}

static size_t name_length(const char *at, const char *end) {
  size_t length = 0;
  while (at + length < end && is_name(at[length])) length++;
  return length;
}

/* What follows the quoted text that begins at `at`; NULL: it has no end. */
static const char *after_quotes(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; at++)
    if (*at == '\\') at++;
  return at < end ? at + 1 : NULL;
}

/* The brace that ends the labels that begin at `at`; NULL: there is none. */
static const char *closing_brace(const char *at, const char *end) {
  while (at != NULL && at < end && *at != '}')
    at = *at == '"' ? after_quotes(at, end) : at + 1;
  return at != NULL && at < end ? at : NULL;
}

/* Up to a blank: a time may follow. */
static bool read_value(const char *at, const char *end, double *value) {
  char text[NUMBER_SIZE];
  size_t length = 0;
  while (at < end && *at == ' ') at++;
  while (at + length < end && at[length] != ' ') length++;
  if (length == 0 || length >= sizeof text) return false;
  memcpy(text, at, length);
  text[length] = '\0';
  return rg_text_read_number(text, value);
}

bool rg_sample_read(const char *line, size_t length, struct rg_sample *sample) {
  const char *end = line + length;
  *sample = (struct rg_sample){
      .line = line, .name_length = name_length(line, end), .labels = line};
  const char *at = line + sample->name_length;
  if (sample->name_length == 0) return false;
  if (at < end && *at == '{') {
    const char *brace = closing_brace(at, end);
    if (brace == NULL) return false;
    sample->labels = at + 1;
    sample->labels_length = (size_t)(brace - at - 1);
    at = brace + 1;
  }
  return read_value(at, end, &sample->value);
}

bool rg_sample_is(const struct rg_sample *sample, const char *name) {
  return strlen(name) == sample->name_length &&
         memcmp(sample->line, name, sample->name_length) == 0;
}

/* Copies the quoted text that begins at `at`. */
static void copy_value(const char *at, const char *end, char *value,
                       size_t size) {
  size_t used = 0;
  for (at++; at < end && *at != '"' && used + 1 < size; at++) {
    bool escaped = *at == '\\' && at + 1 < end;
    if (escaped) at++;
    value[used++] = escaped && *at == 'n' ? '\n' : *at;
  }
  value[used] = '\0';
}

bool rg_sample_label(const struct rg_sample *sample, const char *key,
                     char *value, size_t size) {
  const char *at = sample->labels;
  const char *end = at + sample->labels_length;
  *value = '\0';
  while (at != NULL && at < end) {
    size_t length = name_length(at, end);
    const char *quoted = at + length + 1;
    if (length == 0 || quoted >= end || quoted[-1] != '=' || *quoted != '"')
      return false;
    if (length == strlen(key) && memcmp(at, key, length) == 0)
      return copy_value(quoted, end, value, size), true;
    at = after_quotes(quoted, end);
    while (at != NULL && at < end && (*at == ',' || *at == ' ')) at++;
  }
  return false;
}
