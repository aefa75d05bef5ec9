/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4096

static bool path_beside(const char *name, char path[PATH_SIZE]) {
  static const char here;
  Dl_info self;
  if (dladdr(&here, &self) == 0 || self.dli_fname == NULL) return false;
  const char *slash = strrchr(self.dli_fname, '/');
  if (slash == NULL) return false;
  int length = snprintf(path, PATH_SIZE, "%.*s/%s",
                        (int)(slash - self.dli_fname), self.dli_fname, name);
  return length > 0 && length < PATH_SIZE;
}

void *rg_library_open(const char *soname) {
  char path[PATH_SIZE];
  void *library = dlopen(soname, RTLD_NOW | RTLD_NOLOAD);
  if (library == NULL && path_beside(soname, path) && access(path, F_OK) == 0)
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return library != NULL ? library : dlopen(soname, RTLD_NOW | RTLD_LOCAL);
}

bool rg_library_is_here(const char *soname) {
  return dlopen(soname, RTLD_NOW | RTLD_NOLOAD) != NULL;
}

bool rg_library_look_up(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}
