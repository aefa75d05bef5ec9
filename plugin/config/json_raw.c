/* SPDX-License-Identifier: Apache-2.0 */
#include "config/json_raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/json_scan.h"
#include "config/json_text.h"

/* Digits of an index. */
#define INDEX_SIZE 24

/* The text with each number replaced by its index, while it is written. */
struct rewriting {
  struct rg_json_raw *raw;
  const char *text;
  size_t length;
  size_t at;
  size_t capacity; /* of raw->numbers */
  char *out;
  size_t used;
  bool refused; /* something was no number to gRPC */
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool begins_number(char c) { return is_digit(c) || c == '-'; }

static bool belongs_to_number(char c) {
  return is_digit(c) || (c != '\0' && strchr("+-.eE", c) != NULL);
}

static size_t digits(const char *text, size_t length, size_t at) {
  while (at < length && is_digit(text[at])) at++;
  return at;
}

/* A number by the standard, less the 0e1 that gRPC does not take. */
static bool is_number(const char *text, size_t length) {
  size_t start = length > 0 && text[0] == '-' ? 1 : 0;
  size_t at = digits(text, length, start);
  if (at == start || (text[start] == '0' && at > start + 1)) return false;
  if (at < length && text[at] == '.') {
    size_t fraction = at + 1;
    at = digits(text, length, fraction);
    if (at == fraction) return false;
  } else if (start == 0 && text[0] == '0' && at < length) {
    return false;
  }
  if (at < length && (text[at] == 'e' || text[at] == 'E')) {
    at++;
    if (at < length && (text[at] == '+' || text[at] == '-')) at++;
    size_t exponent = at;
    at = digits(text, length, exponent);
    if (at == exponent) return false;
  }
  return at == length;
}

static bool add_number(struct rewriting *r, struct rg_json_span span) {
  struct rg_json_raw *raw = r->raw;
  if (raw->count == r->capacity) {
    size_t capacity = r->capacity > 0 ? 2 * r->capacity : 64;
    struct rg_json_span *numbers =
        realloc(raw->numbers, capacity * sizeof raw->numbers[0]);
    if (numbers == NULL) return false;
    raw->numbers = numbers;
    r->capacity = capacity;
  }
  raw->numbers[raw->count++] = span;
  return true;
}

static void copy(struct rewriting *r, size_t length) {
  memcpy(r->out + r->used, r->text + r->at, length);
  r->used += length;
  r->at += length;
}

static void copy_string(struct rewriting *r) {
  size_t end = r->at + 1;
  while (end < r->length && r->text[end] != '"')
    end += r->text[end] == '\\' ? 2 : 1;
  copy(r, (end < r->length ? end + 1 : r->length) - r->at);
}

/* What is no number is copied, for jansson to refuse; false: out of memory. */
static bool rewrite_number(struct rewriting *r) {
  size_t end = r->at;
  while (end < r->length && belongs_to_number(r->text[end])) end++;
  size_t length = end - r->at;
  if (!is_number(r->text + r->at, length)) {
    copy(r, length);
    r->out[r->used++] = '!';
    r->refused = true;
    return true;
  }
  if (!add_number(r, (struct rg_json_span){r->at, length})) return false;
  r->used +=
      (size_t)snprintf(r->out + r->used, INDEX_SIZE, "%zu", r->raw->count - 1);
  r->at = end;
  return true;
}

static bool rewrite(struct rewriting *r) {
  while (r->at < r->length) {
    char c = r->text[r->at];
    if (c == '"')
      copy_string(r);
    else if (!begins_number(c))
      copy(r, 1);
    else if (!rewrite_number(r))
      return false;
  }
  return true;
}

/* An upper bound of the numbers in a text, and of what only begins like one:
 * none of it begins behind a character that could begin it as well. */
static size_t count_numbers(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++)
    if (begins_number(text[i]) && (i == 0 || !begins_number(text[i - 1])))
      count++;
  return count;
}

/* False leaves `raw` without a value. */
static bool load_rewritten(struct rg_json_raw *raw, size_t length,
                           bool *refused) {
  struct rewriting r = {.raw = raw, .text = raw->text, .length = length};
  r.out = malloc(length + count_numbers(raw->text, length) * INDEX_SIZE + 1);
  if (r.out == NULL) return false;
  if (rewrite(&r))
    raw->value =
        json_loadb(r.out, r.used, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
  free(r.out);
  *refused = r.refused;
  return raw->value != NULL;
}

/* Says of the text as it stands what is wrong with it. */
static void explain(const char *json, size_t length, bool refused,
                    const char *root, struct rg_faults *faults) {
  json_t *value = rg_json_text_load(json, length, root, faults);
  if (value == NULL) return;
  json_decref(value);
  if (refused)
    rg_faults_add(faults, RG_FAULT_SYNTAX, root,
                  "has a number that gRPC does not take, such as 0e1");
  else
    rg_faults_add_out_of_memory(faults);
}

static bool check_keys(const char *json, size_t length, const char *root,
                       struct rg_faults *faults) {
  enum rg_json_scan_status scanned = rg_json_scan(json, length, root, faults);
  if (scanned == RG_JSON_SCAN_INCOMPLETE) rg_faults_add_out_of_memory(faults);
  return scanned != RG_JSON_SCAN_TOO_DEEP;
}

bool rg_json_raw_load(struct rg_json_raw *raw, const char *json, size_t length,
                      const char *root, struct rg_faults *faults) {
  *raw = (struct rg_json_raw){.text = json};
  bool refused = false;
  if (!load_rewritten(raw, length, &refused))
    explain(json, length, refused, root, faults);
  else if (check_keys(json, length, root, faults))
    return true;
  rg_json_raw_clean_up(raw);
  return false;
}

void rg_json_raw_clean_up(struct rg_json_raw *raw) {
  json_decref(raw->value);
  free(raw->numbers);
  *raw = (struct rg_json_raw){0};
}

static struct rg_json_span span_of(const struct rg_json_raw *raw,
                                   const json_t *value) {
  return raw->numbers[json_integer_value(value)];
}

void rg_json_raw_number(const struct rg_json_raw *raw, const json_t *value,
                        char *text) {
  struct rg_json_span span = span_of(raw, value);
  snprintf(text, RG_JSON_NUMBER_SIZE, "%.*s", (int)span.length,
           raw->text + span.at);
}

static json_t *cook(const struct rg_json_raw *raw, const json_t *value,
                    const struct rg_json_path *path, struct rg_faults *faults);

static json_t *cook_number(const struct rg_json_raw *raw, const json_t *value,
                           const struct rg_json_path *path,
                           struct rg_faults *faults) {
  struct rg_json_span span = span_of(raw, value);
  return rg_json_text_number(raw->text + span.at, span.length, path, faults);
}

static json_t *cook_array(const struct rg_json_raw *raw, const json_t *value,
                          const struct rg_json_path *path,
                          struct rg_faults *faults) {
  json_t *array = json_array();
  for (size_t i = 0; array != NULL && i < json_array_size(value); i++) {
    struct rg_json_path element = {.parent = path, .index = i};
    json_t *cooked = cook(raw, json_array_get(value, i), &element, faults);
    if (json_array_append_new(array, cooked) == 0) continue;
    json_decref(array);
    array = NULL;
  }
  return array;
}

static json_t *cook_object(const struct rg_json_raw *raw, const json_t *value,
                           const struct rg_json_path *path,
                           struct rg_faults *faults) {
  json_t *object = json_object();
  for (void *i = json_object_iter((json_t *)value); object != NULL && i != NULL;
       i = json_object_iter_next((json_t *)value, i)) {
    struct rg_json_path member = {.parent = path,
                                  .key = json_object_iter_key(i)};
    json_t *cooked = cook(raw, json_object_iter_value(i), &member, faults);
    if (json_object_set_new(object, member.key, cooked) == 0) continue;
    json_decref(object);
    object = NULL;
  }
  return object;
}

/* As deep as the nesting, which json_scan.h bounds. */
static json_t *cook(const struct rg_json_raw *raw, const json_t *value,
                    const struct rg_json_path *path, struct rg_faults *faults) {
  switch (json_typeof(value)) {
    case JSON_INTEGER:
      return cook_number(raw, value, path, faults);
    case JSON_ARRAY:
      return cook_array(raw, value, path, faults);
    case JSON_OBJECT:
      return cook_object(raw, value, path, faults);
    default:
      return json_incref((json_t *)value);
  }
}

json_t *rg_json_raw_cook(const struct rg_json_raw *raw, const json_t *value,
                         const struct rg_json_path *path,
                         struct rg_faults *faults) {
  size_t before = rg_faults_total(faults);
  json_t *cooked = cook(raw, value, path, faults);
  if (cooked == NULL && rg_faults_total(faults) == before)
    rg_faults_add_out_of_memory(faults);
  return cooked;
}
