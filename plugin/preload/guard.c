/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/guard.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/config_file.h"
#include "preload/library.h"
#include "preload/notice.h"
#include "preload/settings.h"
#include "retry_guard/metrics_endpoint.h"
#include "retry_guard/retry_guard.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define LIBRARY "libretry_guard.so." TEXT(RETRY_GUARD_VERSION_MAJOR)
#define EX_CONFIG 78
#define METRICS_LIBRARY \
  "libretry_guard_metrics.so." TEXT(RETRY_GUARD_VERSION_MAJOR)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool settled;

/* What is used of the library; NULL: it lacks that. */
struct guard {
  __typeof__(&retry_guard_options_init) options_init;
  __typeof__(&retry_guard_check_service_config) check;
  __typeof__(&retry_guard_register) enrol;
  __typeof__(&retry_guard_status_string) status_string;
  char fault[512]; /* why it is not there */
};

/* ---- The library --------------------------------------------------------- */

/* False with `guard->fault`. */
static bool find_guard(struct guard *guard) {
  void *library = rg_library_open(LIBRARY);
  if (library != NULL &&
      rg_library_look_up(library, "retry_guard_options_init",
                         &guard->options_init) &&
      rg_library_look_up(library, "retry_guard_check_service_config",
                         &guard->check) &&
      rg_library_look_up(library, "retry_guard_register", &guard->enrol) &&
      rg_library_look_up(library, "retry_guard_status_string",
                         &guard->status_string))
    return true;
  const char *fault = dlerror();
  snprintf(guard->fault, sizeof guard->fault, "%s",
           fault != NULL ? fault : LIBRARY " cannot be used");
  return false;
}

bool rg_guard_is_here(void) { return rg_library_is_here(LIBRARY); }

/* ---- Failing ------------------------------------------------------------- */

/* Says it, with what follows. The program's own handlers are not for a process
 * that must not run. */
static void give_up(const struct rg_settings *settings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void give_up(const struct rg_settings *settings, const char *format,
                    ...) {
  char what[RG_NOTICE_MAX_BYTES - 256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  rg_notice(settings->strict ? "%s; %s must not run unguarded"
                             : "%s; %s runs unguarded",
            what, rg_notice_program());
  if (settings->strict) _exit(EX_CONFIG);
}

/* ---- The service config -------------------------------------------------- */

struct findings {
  char first[1024];
  size_t count;
};

static void note(const retry_guard_fault *fault, void *arg) {
  struct findings *findings = arg;
  if (!fault->is_error) return;
  if (findings->count++ > 0) return;
  snprintf(findings->first, sizeof findings->first, "%s%s%s", fault->path,
           fault->path[0] != '\0' ? ": " : "", fault->message);
}

static bool check(const struct guard *guard, const struct rg_settings *settings,
                  const char *json) {
  struct findings found = {.count = 0};
  retry_guard_status status = guard->check(json, note, &found);
  if (status == RETRY_GUARD_OK) return true;
  const char *path = settings->service_config;
  if (found.count == 0)
    give_up(settings, "%s: %s", path, guard->status_string(status));
  else if (found.count == 1)
    give_up(settings, "%s: %s", path, found.first);
  else
    give_up(settings, "%s: %s (and %zu more: see retry-guard check)", path,
            found.first, found.count - 1);
  return false;
}

/* False: it was said. `*json` is to be freed; NULL: none was asked for. */
static bool read_config(const struct guard *guard,
                        const struct rg_settings *settings, char **json) {
  const char *why;
  *json = NULL;
  if (settings->service_config == NULL) return true;
  *json = rg_config_file_read(settings->service_config, &why);
  if (*json == NULL) {
    give_up(settings, "%s: cannot be read: %s", settings->service_config, why);
    return false;
  }
  return check(guard, settings, *json);
}

/* ---- Registering --------------------------------------------------------- */

/* A program that cannot be watched is guarded all the same. */
static void serve_metrics(const struct guard *guard,
                          const struct rg_settings *settings) {
  if (settings->metrics == NULL) return;
  __typeof__(&retry_guard_metrics_serve) serve;
  retry_guard_metrics_server *server;
  void *library = rg_library_open(METRICS_LIBRARY);
  if (library == NULL ||
      !rg_library_look_up(library, "retry_guard_metrics_serve", &serve)) {
    const char *fault = dlerror();
    rg_notice("RETRY_GUARD_METRICS: %s",
              fault != NULL ? fault : METRICS_LIBRARY " cannot be used");
    return;
  }
  retry_guard_status status = serve(settings->metrics, &server);
  if (status != RETRY_GUARD_OK)
    rg_notice("RETRY_GUARD_METRICS='%.80s': %s", settings->metrics,
              guard->status_string(status));
}

/* Whether it is registered now, by this call. */
static bool enrol(const struct guard *guard,
                  const struct rg_settings *settings) {
  bool enrolled = false;
  char *json;
  if (read_config(guard, settings, &json)) {
    retry_guard_options options;
    guard->options_init(&options);
    options.default_service_config = json;
    options.layer_name = settings->layer_name;
    options.accept_marks = settings->accept_marks;
    options.mode = settings->mode;
    retry_guard_status status = guard->enrol(&options);
    if (status == RETRY_GUARD_ALREADY_REGISTERED)
      rg_notice(
          "%s has registered Retry Guard itself, so the environment does "
          "not count",
          rg_notice_program());
    else if (status != RETRY_GUARD_OK)
      give_up(settings, "%s", guard->status_string(status));
    else
      enrolled = true;
  }
  free(json);
  return enrolled;
}

void rg_guard_register(void) {
  if (atomic_load(&settled)) return;
  struct guard guard = {.fault = ""};
  struct rg_settings settings;
  bool found = find_guard(&guard);
  bool enrolled = false;
  pthread_mutex_lock(&mutex);
  if (!atomic_load(&settled)) {
    char fault[RG_SETTINGS_FAULT_SIZE];
    bool understood = rg_settings_read(&settings, fault);
    if (!understood)
      give_up(&settings, "%s", fault);
    else if (!found)
      give_up(&settings, "%s", guard.fault);
    else
      enrolled = enrol(&guard, &settings);
    atomic_store(&settled, true);
  }
  pthread_mutex_unlock(&mutex);
  /* Not sooner: it takes the loader's lock. */
  if (enrolled) serve_metrics(&guard, &settings);
}

void rg_guard_refuse(const char *path) {
  pthread_mutex_lock(&mutex);
  bool was_settled = atomic_exchange(&settled, true);
  pthread_mutex_unlock(&mutex);
  if (was_settled) return;
  struct rg_settings settings;
  char fault[RG_SETTINGS_FAULT_SIZE];
  rg_settings_read(&settings, fault);
  give_up(&settings,
          "%s is not the gRPC library that this guard is for, which "
          "is " RG_PRELOAD_GRPC_SONAME,
          path);
}

bool rg_guard_is_settled(void) { return atomic_load(&settled); }
