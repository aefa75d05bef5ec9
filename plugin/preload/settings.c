/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYER_NAME_MAX 64

static bool read_text(const char **text, const char *value) {
  *text = value;
  return true;
}

static bool read_path(struct rg_settings *settings, const char *value) {
  return read_text(&settings->service_config, value);
}

static bool read_layer(struct rg_settings *settings, const char *value) {
  if (strlen(value) > LAYER_NAME_MAX) return false;
  return read_text(&settings->layer_name, value);
}

static bool read_metrics(struct rg_settings *settings, const char *value) {
  return read_text(&settings->metrics, value);
}

static bool read_switch(bool *on, const char *value) {
  bool is_on = strcmp(value, "1") == 0 || strcmp(value, "true") == 0;
  if (!is_on && strcmp(value, "0") != 0 && strcmp(value, "false") != 0)
    return false;
  *on = is_on;
  return true;
}

static bool read_accept_marks(struct rg_settings *settings, const char *value) {
  return read_switch(&settings->accept_marks, value);
}

static bool read_strict(struct rg_settings *settings, const char *value) {
  return read_switch(&settings->strict, value);
}

static bool read_mode(struct rg_settings *settings, const char *value) {
  static const char *const names[] = {"", "ENFORCE", "SHADOW", "OFF"};
  for (int mode = 1; mode <= RETRY_GUARD_MODE_OFF; mode++) {
    if (strcmp(value, names[mode]) != 0) continue;
    settings->mode = (retry_guard_mode)mode;
    return true;
  }
  return false;
}

struct variable {
  const char *name;
  bool (*read)(struct rg_settings *settings, const char *value);
  const char *allowed;
};

static const struct variable variables[] = {
    {"RETRY_GUARD_STRICT", read_strict, "0, 1, true or false"},
    {"RETRY_GUARD_SERVICE_CONFIG", read_path, "a file"},
    {"RETRY_GUARD_LAYER", read_layer, "at most 64 bytes"},
    {"RETRY_GUARD_ACCEPT_MARKS", read_accept_marks, "0, 1, true or false"},
    {"RETRY_GUARD_MODE", read_mode, "ENFORCE, SHADOW or OFF"},
    {"RETRY_GUARD_METRICS", read_metrics, "an address"},
};

bool rg_settings_read(struct rg_settings *settings,
                      char fault[RG_SETTINGS_FAULT_SIZE]) {
  *settings = (struct rg_settings){.accept_marks = true};
  bool good = true;
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
    const struct variable *variable = &variables[i];
    const char *value = getenv(variable->name);
    if (value == NULL || value[0] == '\0' || variable->read(settings, value))
      continue;
    if (good)
      snprintf(fault, RG_SETTINGS_FAULT_SIZE, "%s must be %s, got '%.80s'",
               variable->name, variable->allowed, value);
    good = false;
  }
  return good;
}
