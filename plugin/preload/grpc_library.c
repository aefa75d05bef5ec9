/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/grpc_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#define INIT "grpc_init"

/* C has no cast from an object pointer to a function's. */
static rg_grpc_init *function_at(void *symbol) {
  rg_grpc_init *function;
  memcpy(&function, &symbol, sizeof function);
  return function;
}

static void *address_of(rg_grpc_init *function) {
  void *address;
  memcpy(&address, &function, sizeof address);
  return address;
}

/* In the object `name` and what it brought along, if that is loaded already;
 * with RTLD_NODELETE in `flags` it stays. */
static rg_grpc_init *init_in(const char *name, int flags) {
  void *object = dlopen(name, RTLD_LAZY | RTLD_NOLOAD | flags);
  if (object == NULL) return NULL;
  rg_grpc_init *init = function_at(dlsym(object, INIT));
  dlclose(object);
  return init;
}

static rg_grpc_init *init_of_fitting_library(void) {
  return init_in(RG_PRELOAD_GRPC_SONAME, RTLD_NODELETE);
}

bool rg_grpc_library_is_here(void) { return init_of_fitting_library() != NULL; }

/* Libraries that came by dlopen, as extensions of Ruby bring them, are seen by
 * their own object only. (dladdr would look at all symbols of the object.) */
static rg_grpc_init *init_for_object_of(void *address) {
  struct dl_find_object found;
  if (_dl_find_object(address, &found) != 0) return NULL;
  return init_in(found.dlfo_link_map->l_name, 0);
}

rg_grpc_init *rg_grpc_library_next_init(rg_grpc_init *own, void *address,
                                        bool *everybodys) {
  rg_grpc_init *init = function_at(dlsym(RTLD_NEXT, INIT));
  *everybodys = init != NULL;
  if (init == NULL) init = init_for_object_of(address);
  if (init == NULL || init == own) init = init_of_fitting_library();
  return init;
}

bool rg_grpc_library_fits(rg_grpc_init *init) {
  return init != NULL && init == init_of_fitting_library();
}

const char *rg_grpc_library_path(rg_grpc_init *init) {
  Dl_info info;
  if (dladdr(address_of(init), &info) == 0 || info.dli_fname == NULL)
    return "another gRPC library";
  return info.dli_fname;
}
