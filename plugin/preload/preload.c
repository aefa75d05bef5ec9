/* SPDX-License-Identifier: Apache-2.0 */

/* libretry_guard_preload.so, for programs that know nothing of the guard: with
 * it in LD_PRELOAD, the first grpc_init of the process registers the guard.
 *
 * A program that is linked to gRPC has it when this library starts; one that
 * loads it later, as Ruby does, has it when it calls grpc_init: a preloaded
 * library is asked for symbols before all others, so the call comes here. gRPC
 * allows nothing else before grpc_init, and its C++ library calls it whenever
 * it makes an object. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/grpc_library.h"
#include "preload/guard.h"
#include "preload/notice.h"

/* `retry-guard run` leaves the process that it becomes here. */
#define STARTED "RETRY_GUARD_STARTED"

/* Set only in that process, so that what it starts does not say the same. */
static pid_t watched;
static struct stat watched_error;

static _Atomic(rg_grpc_init *) next;

static void intercept(void);

/* The address of grpc_init itself may be that of another library's. */
void grpc_init(void) __attribute__((alias("intercept"), visibility("default")));

/* Kept is only what never changes: the library stays, and there is nothing
 * before it for anybody. */
static rg_grpc_init *find(void *caller) {
  bool everybodys;
  rg_grpc_init *init =
      rg_grpc_library_next_init(intercept, caller, &everybodys);
  if (init == NULL) return NULL;
  if (!rg_grpc_library_fits(init)) {
    if (!rg_guard_is_settled()) rg_guard_refuse(rg_grpc_library_path(init));
    return init;
  }
  rg_guard_register();
  if (everybodys) atomic_store(&next, init);
  return init;
}

static void intercept(void) {
  rg_grpc_init *init = atomic_load(&next);
  if (init == NULL) {
    int saved = errno;
    init = find(__builtin_return_address(0));
    errno = saved;
  }
  if (init != NULL) init();
}

static void watch(void) {
  const char *started = getenv(STARTED);
  if (started == NULL || strtol(started, NULL, 10) != getpid()) return;
  if (fstat(STDERR_FILENO, &watched_error) == 0) watched = getpid();
}

__attribute__((constructor)) static void start(void) {
  int saved = errno;
  watch();
  if (rg_grpc_library_is_here() && !rg_guard_is_here()) rg_guard_register();
  errno = saved;
}

/* A program may have closed its standard error and opened a file in its place,
 * which must not get a line of ours. */
static bool is_same_error(void) {
  struct stat now;
  return fstat(STDERR_FILENO, &now) == 0 &&
         now.st_dev == watched_error.st_dev &&
         now.st_ino == watched_error.st_ino;
}

__attribute__((destructor)) static void end(void) {
  int saved = errno;
  if (watched == getpid() && !rg_guard_is_settled() && is_same_error())
    rg_notice("%s has not used " RG_PRELOAD_GRPC_SONAME
              ", so nothing was guarded; a gRPC that is linked statically "
              "cannot be",
              rg_notice_program());
  errno = saved;
}
