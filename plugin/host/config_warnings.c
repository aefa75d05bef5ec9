/* SPDX-License-Identifier: Apache-2.0 */
#include "host/config_warnings.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <strings.h>

#include "config/advice.h"
#include "config/service_config.h"
#include "host/breakers.h"

#define LINE_SIZE 1536
#define FIRST_HALF "retry"
#define OTHER_HALF "guard"

struct telling {
  void (*tell)(const char *line, void *arg);
  void *arg;
};

/* Hashes, 0: free. */
static RG_ATOMIC(uint64_t) remembered[RG_CONFIG_WARNINGS_REMEMBERED];
static RG_ATOMIC(uint32_t) next_place;

static bool is_new(const char *json, size_t length) {
  uint64_t hash = rg_breakers_hash(json, length);
  for (size_t i = 0; i < RG_CONFIG_WARNINGS_REMEMBERED; i++)
    if (atomic_load(&remembered[i]) == hash) return false;
  uint32_t place =
      atomic_fetch_add(&next_place, 1) % RG_CONFIG_WARNINGS_REMEMBERED;
  atomic_store(&remembered[place], hash);
  return true;
}

/* In any spelling: retryGuard, retry_guard, RETRY-GUARD. */
static bool mentions_guard(const char *json, size_t length) {
  size_t first = sizeof FIRST_HALF - 1;
  size_t other = sizeof OTHER_HALF - 1;
  for (size_t i = 0; i + first + other <= length; i++) {
    if (strncasecmp(json + i, FIRST_HALF, first) != 0) continue;
    const char *rest = json + i + first;
    if (*rest == '_' || *rest == '-') rest++;
    if ((size_t)(json + length - rest) >= other &&
        strncasecmp(rest, OTHER_HALF, other) == 0)
      return true;
  }
  return false;
}

static void tell_all(const struct rg_faults *warnings,
                     const struct telling *telling) {
  char line[LINE_SIZE];
  size_t count = warnings->count;
  if (count > RG_CONFIG_WARNINGS_LINES) count = RG_CONFIG_WARNINGS_LINES;
  for (size_t i = 0; i < count; i++) {
    snprintf(line, sizeof line, "service config: %s: %s",
             warnings->items[i].path, warnings->items[i].message);
    telling->tell(line, telling->arg);
  }
  size_t rest = rg_faults_total(warnings) - count;
  if (rest == 0) return;
  snprintf(line, sizeof line, "service config: and %zu more warnings", rest);
  telling->tell(line, telling->arg);
}

void rg_config_warnings(const char *json, size_t length,
                        void (*tell)(const char *line, void *arg), void *arg) {
  if (!mentions_guard(json, length) || !is_new(json, length)) return;
  const struct telling telling = {tell, arg};
  struct rg_report report;
  rg_report_init(&report);
  struct rg_service_config *config = rg_advise_read(json, length, &report);
  tell_all(&report.warnings, &telling);
  rg_service_config_destroy(config);
  rg_report_clean_up(&report);
}
