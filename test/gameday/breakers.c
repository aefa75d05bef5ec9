/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/breakers.h"

#include <pthread.h>

#include "preload/library.h"
#include "retry_guard/retry_guard.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define LIBRARY "libretry_guard.so." TEXT(RETRY_GUARD_VERSION_MAJOR)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static __typeof__(&retry_guard_stats_get) get;

/* gRPC is in use by now, so the guard is there or will never be. */
static void find(void) {
  if (rg_library_is_here(LIBRARY))
    rg_library_look_up(rg_library_open(LIBRARY), "retry_guard_stats_get", &get);
}

uint64_t rg_breakers_look(const char *target, struct rg_slice *slice) {
  retry_guard_stats stats = {.size = sizeof stats};
  pthread_once(&once, find);
  if (get == NULL || get(target, &stats) != RETRY_GUARD_OK) return 0;
  if (stats.breaker_state == RETRY_GUARD_BREAKER_OPEN) slice->open++;
  if (stats.breaker_state == RETRY_GUARD_BREAKER_HALF_OPEN) slice->half_open++;
  return stats.breaker_rejections;
}
