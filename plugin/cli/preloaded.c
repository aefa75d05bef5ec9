/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/preloaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where it is, seen from the command's folder. */
static const char *const places[] = {
    "",
    "../" RG_CLI_LIBDIR "/",
    "../lib/" RG_CLI_TRIPLET "/",
    "../lib/",
};

static bool is_at(const char *folder, size_t length, const char *place,
                  char *path, size_t size) {
  int written = snprintf(path, size, "%.*s%s" RG_PRELOADED_NAME, (int)length,
                         folder, place);
  return written > 0 && (size_t)written < size && access(path, R_OK) == 0;
}

bool rg_preloaded_find(const char *command, char *path, size_t size) {
  const char *slash = strrchr(command, '/');
  size_t length = slash != NULL ? (size_t)(slash - command) + 1 : 0;
  for (size_t i = 0; i < sizeof places / sizeof places[0] && length > 0; i++)
    if (is_at(command, length, places[i], path, size)) return true;
  int written = snprintf(path, size, "%s", RG_PRELOADED_NAME);
  return written > 0 && (size_t)written < size;
}

const char *rg_preloaded_add(const char *path) {
  const char *others = getenv("LD_PRELOAD");
  /* The dynamic linker knows no way to write them. */
  if (strpbrk(path, " :") != NULL)
    return "its path holds a space or a colon, which LD_PRELOAD cannot";
  if (others == NULL || others[0] == '\0')
    return setenv("LD_PRELOAD", path, 1) == 0 ? NULL : "out of memory";
  char *all = NULL;
  if (asprintf(&all, "%s:%s", path, others) < 0) return "out of memory";
  bool set = setenv("LD_PRELOAD", all, 1) == 0;
  free(all);
  return set ? NULL : "out of memory";
}
