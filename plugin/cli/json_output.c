/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/json_output.h"

#include <stdio.h>

#include <stdlib.h>
#include <string.h>

#include "cli/verb.h"
#include "config/text.h"

json_t *rg_json_appended(json_t *list, json_t *item) {
  if (json_array_append_new(list, item) == 0) return list;
  json_decref(list);
  return NULL;
}

json_t *rg_json_with(json_t *object, const char *key, json_t *value) {
  if (json_object_set_new(object, key, value) == 0) return object;
  json_decref(object);
  return NULL;
}

json_t *rg_json_text(const char *text) {
  char *printable = strdup(text);
  if (printable == NULL) return NULL;
  rg_text_printable(printable);
  json_t *string = json_string(printable);
  free(printable);
  return string;
}

bool rg_json_print(const json_t *value) {
  if (value != NULL &&
      json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) == 0)
    return putchar('\n') != EOF;
  rg_cli_error("there is not enough memory, or no room, for all of the output");
  return false;
}
