/* SPDX-License-Identifier: Apache-2.0 */

/* The part of the public API that checks service configs. */
#include <string.h>

#include "config/advice.h"
#include "config/report.h"
#include "config/service_config.h"
#include "retry_guard/retry_guard.h"

struct telling {
  void (*tell)(const retry_guard_fault *fault, void *arg);
  void *arg;
};

static void tell_all(const struct telling *telling,
                     const struct rg_faults *faults, bool is_error) {
  if (telling->tell == NULL) return;
  for (size_t i = 0; i < faults->count; i++) {
    const retry_guard_fault fault = {is_error, faults->items[i].path,
                                     faults->items[i].message};
    telling->tell(&fault, telling->arg);
  }
}

static retry_guard_status status_of(const struct rg_report *report) {
  if (report->errors.out_of_memory || report->warnings.out_of_memory)
    return RETRY_GUARD_OUT_OF_MEMORY;
  return rg_faults_empty(&report->errors) ? RETRY_GUARD_OK
                                          : RETRY_GUARD_INVALID_SERVICE_CONFIG;
}

retry_guard_status retry_guard_check_service_config(
    const char *json, void (*tell)(const retry_guard_fault *fault, void *arg),
    void *arg) {
  if (json == NULL) return RETRY_GUARD_INVALID_ARGUMENT;
  const struct telling telling = {tell, arg};
  struct rg_report report;
  rg_report_init(&report);
  struct rg_service_config *config =
      rg_advise_read(json, strlen(json), &report);
  tell_all(&telling, &report.errors, true);
  tell_all(&telling, &report.warnings, false);
  retry_guard_status status = status_of(&report);
  rg_service_config_destroy(config);
  rg_report_clean_up(&report);
  return status;
}
