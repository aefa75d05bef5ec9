/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/scenarios.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where they are, seen from the command's folder: built and installed. */
static const char *const places[] = {
    "scenarios",
    "../share/retry-guard/scenarios",
};

/* The command's folder, with a slash at its end. */
static bool own_folder(char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length < 0) return false;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  if (slash != NULL) slash[1] = '\0';
  return slash != NULL;
}

bool rg_scenarios_folder(char *path, size_t size) {
  char folder[PATH_MAX];
  if (!own_folder(folder, sizeof folder)) return false;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    int length = snprintf(path, size, "%s%s", folder, places[i]);
    if (length > 0 && (size_t)length < size && access(path, R_OK) == 0)
      return true;
  }
  return false;
}

void rg_scenarios_find(const char *name, char *path, size_t size) {
  char folder[PATH_MAX];
  snprintf(path, size, "%s", name);
  if (strchr(name, '/') != NULL || access(name, R_OK) == 0) return;
  if (!rg_scenarios_folder(folder, sizeof folder)) return;
  char installed[PATH_MAX + 256];
  snprintf(installed, sizeof installed, "%s/%.200s.json", folder, name);
  if (access(installed, R_OK) == 0) snprintf(path, size, "%s", installed);
}
