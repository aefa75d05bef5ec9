/* SPDX-License-Identifier: Apache-2.0 */
#include "config/json_text.h"

#include <stdbool.h>
#include <string.h>

#include "config/c_locale.h"
#include "config/json_path.h"
#include "config/json_scan.h"

#define TOO_LARGE "is too large for a number"
#define FLAGS (JSON_DECODE_ANY | JSON_ALLOW_NUL)

static bool is_overflow(const json_error_t *error) {
  return json_error_code(error) == json_error_numeric_overflow;
}

/* jansson's integers end at 2^63; what lies beyond may still be a good double,
 * and otherwise deserves a fault that names the range of its field. */
static json_t *parse(const char *json, size_t length, json_error_t *error) {
  json_t *value = json_loadb(json, length, FLAGS, error);
  if (value == NULL && is_overflow(error))
    value = json_loadb(json, length, FLAGS | JSON_DECODE_INT_AS_REAL, error);
  return value;
}

static json_t *parse_in_c_locale(const char *json, size_t length,
                                 json_error_t *error) {
  struct rg_c_locale locale;
  memset(error, 0, sizeof *error);
  if (!rg_c_locale_enter(&locale)) return NULL;
  json_t *value = parse(json, length, error);
  rg_c_locale_leave(&locale);
  return value;
}

static void explain(const char *json, json_error_t *error, const char *root,
                    struct rg_faults *faults) {
  char path[RG_JSON_PATH_SIZE];
  rg_json_scan_locate(json, (size_t)error->position, root, path);
  switch (json_error_code(error)) {
    case json_error_numeric_overflow:
      rg_faults_add(faults, RG_FAULT_RANGE, path, TOO_LARGE);
      break;
    case json_error_invalid_utf8:
      rg_faults_add(faults, RG_FAULT_SYNTAX, path, "is not valid UTF-8");
      break;
    case json_error_null_byte_in_key:
      rg_faults_add(faults, RG_FAULT_SYNTAX, path,
                    "has a key with a NUL character");
      break;
    case json_error_end_of_input_expected:
      rg_faults_add(faults, RG_FAULT_SYNTAX, path,
                    "is followed by more text at line %d, column %d",
                    error->line, error->column);
      break;
    case json_error_premature_end_of_input:
      rg_faults_add(faults, RG_FAULT_SYNTAX, path,
                    "is not valid JSON: the text ends too early");
      break;
    default:
      rg_faults_add(faults, RG_FAULT_SYNTAX, path,
                    "is not valid JSON at line %d, column %d: %s", error->line,
                    error->column, error->text);
  }
}

static bool is_blank(const char *json, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (strchr(" \t\r\n", json[i]) == NULL) return false;
  return true;
}

json_t *rg_json_text_load(const char *json, size_t length, const char *root,
                          struct rg_faults *faults) {
  if (length > 0 && memchr(json, '\0', length) != NULL) {
    rg_faults_add(faults, RG_FAULT_SYNTAX, root,
                  "is not valid JSON: it has a NUL byte");
    return NULL;
  }
  if (is_blank(json, length)) {
    rg_faults_add(faults, RG_FAULT_SYNTAX, root, "is empty");
    return NULL;
  }
  enum rg_json_scan_status scanned = rg_json_scan(json, length, root, faults);
  if (scanned == RG_JSON_SCAN_TOO_DEEP) return NULL;

  json_error_t error;
  json_t *value = parse_in_c_locale(json, length, &error);
  if (value == NULL && error.text[0] != '\0')
    explain(json, &error, root, faults);
  else if (value == NULL || scanned == RG_JSON_SCAN_INCOMPLETE)
    rg_faults_add_out_of_memory(faults);
  return value;
}

json_t *rg_json_text_number(const char *text, size_t length,
                            const struct rg_json_path *path,
                            struct rg_faults *faults) {
  json_error_t error;
  json_t *value = parse_in_c_locale(text, length, &error);
  if (value != NULL) return value;
  if (error.text[0] != '\0')
    rg_json_path_fault(path, faults, RG_FAULT_RANGE, TOO_LARGE);
  else
    rg_faults_add_out_of_memory(faults);
  return NULL;
}

const char *rg_json_text_kind(const json_t *value) {
  switch (json_typeof(value)) {
    case JSON_OBJECT:
      return "an object";
    case JSON_ARRAY:
      return "an array";
    case JSON_STRING:
      return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
      return "a number";
    case JSON_NULL:
      return "null";
    default:
      return "a boolean";
  }
}
