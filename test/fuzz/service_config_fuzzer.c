/* SPDX-License-Identifier: Apache-2.0 */

/* config/service_config.h: any text is a service config, without errors or with
 * some that can be read; of one without errors all that people ask can be
 * answered. */
#include "config/service_config.h"

#include "config/advice.h"
#include "config/load.h"
#include "config/policy_values.h"
#include "fuzz/fuzz.h"
#include "fuzz/text.h"

/* A fault of the whole has an empty path. */
static void check_faults(const struct rg_faults *faults) {
  RG_FUZZ_CHECK(!faults->out_of_memory);
  RG_FUZZ_CHECK(faults->count <= RG_FAULTS_MAX);
  for (size_t i = 0; i < faults->count; i++) {
    const struct rg_fault *fault = &faults->items[i];
    RG_FUZZ_CHECK(fault->kind < RG_FAULT_KIND_COUNT);
    if (fault->path[0] != '\0') rg_fuzz_check_text(fault->path);
    rg_fuzz_check_text(fault->message);
  }
}

static void check_retry(const struct rg_policy *policy,
                        const struct rg_retry_policy *retry) {
  RG_FUZZ_CHECK(retry->max_attempts >= 2);
  RG_FUZZ_CHECK(retry->max_attempts <= RG_MAX_ATTEMPTS);
  RG_FUZZ_CHECK(retry->retryable_codes != 0);
  for (uint32_t n = 0; n + 1 < retry->max_attempts; n++) {
    struct rg_delay_range range = rg_load_delay(&policy->backoff, retry, n);
    RG_FUZZ_CHECK(range.low_ms <= range.high_ms);
  }
  RG_FUZZ_CHECK(rg_load_backoff_ms(&policy->backoff, retry) >= 1);
  uint64_t factor = rg_load_factor_milli(policy, retry);
  RG_FUZZ_CHECK(factor >= 1000 && factor <= 1000 * RG_MAX_ATTEMPTS);
}

static void check_method(const struct rg_service_config *config,
                         const struct rg_method_config *method) {
  struct rg_policy policy;
  rg_service_config_policy(config, method, &policy);
  if (method->has_retry) check_retry(&policy, &method->retry);
  struct rg_policy_value values[RG_POLICY_VALUES_MAX];
  size_t count = rg_policy_values(config->block, method->block, values);
  RG_FUZZ_CHECK(count > 0 && count <= RG_POLICY_VALUES_MAX);
  for (size_t i = 0; i < count; i++) rg_fuzz_check_text(values[i].text);
}

static void check_config(const struct rg_service_config *config,
                         struct rg_faults *warnings) {
  const struct rg_fleet fleet = {400, 700};
  for (size_t i = 0; i < config->count && i < 8; i++)
    check_method(config, &config->methods[i]);
  size_t found = rg_service_config_find(config, "s.S", "M");
  RG_FUZZ_CHECK(found == RG_NATIVE_NO_ENTRY || found < config->count);
  rg_advise(config, warnings);
  rg_advise_fleet(config, &fleet, warnings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct rg_report report;
  rg_report_init(&report);
  struct rg_service_config *config =
      rg_service_config_read((const char *)data, size, &report);
  RG_FUZZ_CHECK(config != NULL || !rg_faults_empty(&report.errors));
  if (rg_faults_empty(&report.errors)) check_config(config, &report.warnings);
  check_faults(&report.errors);
  check_faults(&report.warnings);
  rg_service_config_destroy(config);
  rg_report_clean_up(&report);
  return 0;
}
