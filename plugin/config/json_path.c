/* SPDX-License-Identifier: Apache-2.0 */
#include "config/json_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "config/text.h"

#define KEY_MAX 64

static bool is_name(const char *key) {
  for (size_t i = 0; key[i] != '\0'; i++) {
    bool letter = (key[i] >= 'a' && key[i] <= 'z') ||
                  (key[i] >= 'A' && key[i] <= 'Z') || key[i] == '_';
    bool digit = key[i] >= '0' && key[i] <= '9';
    if (i == KEY_MAX || !(letter || (digit && i > 0))) return false;
  }
  return key[0] != '\0';
}

static void append(char *text, const char *open, const char *part,
                   const char *close) {
  size_t length = strlen(text);
  snprintf(text + length, RG_JSON_PATH_SIZE - length, "%s%s%s", open, part,
           close);
}

/* As deep as the nesting, which json_scan.h bounds. */
static void write_node(const struct rg_json_path *path, char *text) {
  char part[RG_TEXT_QUOTED_SIZE];
  if (path->parent == NULL) {
    append(text, "", path->key, "");
    return;
  }
  write_node(path->parent, text);
  if (path->key == NULL) {
    snprintf(part, sizeof part, "%zu", path->index);
    append(text, "[", part, "]");
  } else if (is_name(path->key)) {
    append(text, text[0] != '\0' ? "." : "", path->key, "");
  } else {
    rg_text_quote(path->key, strlen(path->key), part);
    append(text, "[", part, "]");
  }
}

void rg_json_path_write(const struct rg_json_path *path, char *text) {
  text[0] = '\0';
  write_node(path, text);
}

void rg_json_path_fault(const struct rg_json_path *path,
                        struct rg_faults *faults, enum rg_fault_kind kind,
                        const char *format, ...) {
  char text[RG_JSON_PATH_SIZE];
  rg_json_path_write(path, text);
  va_list args;
  va_start(args, format);
  rg_faults_vadd(faults, kind, text, format, args);
  va_end(args);
}
