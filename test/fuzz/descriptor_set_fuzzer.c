/* SPDX-License-Identifier: Apache-2.0 */

/* cli/methods.h: any bytes are methods with their services, or have a fault
 * that can be read; methods make a service config that the guard's reader
 * takes. */
#include <stdlib.h>
#include <string.h>

#include "cli/methods.h"
#include "cli/retry_config.h"
#include "config/service_config.h"
#include "fuzz/fuzz.h"
#include "fuzz/text.h"

static void check_methods(const struct rg_methods *methods) {
  size_t safe = 0;
  RG_FUZZ_CHECK(methods->count > 0 && methods->count <= RG_METHODS_MAX);
  for (size_t i = 0; i < methods->count; i++) {
    const struct rg_method *method = &methods->items[i];
    rg_fuzz_check_text(method->path);
    RG_FUZZ_CHECK(method->path[method->service_length] == '/');
    RG_FUZZ_CHECK(method->path[method->service_length + 1] != '\0');
    safe += method->safe;
  }
  RG_FUZZ_CHECK(safe == methods->safe_count);
}

static void check_config(const struct rg_methods *methods) {
  const struct rg_retry_settings settings = rg_retry_settings_usual();
  json_t *json = rg_retry_config(methods, &settings);
  char *text = json_dumps(json, 0);
  RG_FUZZ_CHECK(text != NULL);
  struct rg_report report;
  rg_report_init(&report);
  struct rg_service_config *config =
      rg_service_config_read(text, strlen(text), &report);
  RG_FUZZ_CHECK(config != NULL && rg_faults_empty(&report.errors));
  rg_service_config_destroy(config);
  rg_report_clean_up(&report);
  free(text);
  json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct rg_methods methods;
  struct rg_faults faults;
  rg_faults_init(&faults);
  if (rg_methods_read(data, size, &methods, &faults)) {
    RG_FUZZ_CHECK(rg_faults_empty(&faults));
    check_methods(&methods);
    check_config(&methods);
  } else {
    RG_FUZZ_CHECK(faults.count == 1 && !faults.out_of_memory);
    rg_fuzz_check_text(faults.items[0].message);
  }
  rg_methods_clean_up(&methods);
  rg_faults_clean_up(&faults);
  return 0;
}
