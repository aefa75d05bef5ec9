/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "config/advice.h"
#include "core/num.h"

/* What a bucket starts with is held against what it earns in this time: as long
 * as the budget windows of others. */
#define START_S 10

static uint64_t calls_per_s(const struct rg_fleet *fleet) {
  return fleet->calls_per_s > 0 ? fleet->calls_per_s : fleet->clients;
}

/* Thousandths of retries as a number with one decimal. */
#define TENTHS(milli) (milli) / 1000, (milli) / 100 % 10

static void check_floor(const struct rg_retry_window_policy *window,
                        const struct rg_fleet *fleet,
                        struct rg_faults *warnings) {
  uint64_t floor_milli =
      rg_num_mul_div(rg_num_mul(window->min_retries_milli, fleet->clients),
                     RG_NS_PER_S, window->interval_ns);
  uint64_t share_milli =
      rg_num_mul(calls_per_s(fleet), (uint64_t)window->percent * 10);
  if (floor_milli <= share_milli) return;
  rg_faults_add(warnings, RG_FAULT_RISK,
                "retryGuard.budget.window.minRetryRate",
                "lets %" PRIu64 " clients make %" PRIu64 ".%" PRIu64
                " retries/s whatever the traffic, but %" PRIu32
                " %% of their %" PRIu64 " calls/s are %" PRIu64 ".%" PRIu64,
                fleet->clients, TENTHS(floor_milli), window->percent,
                calls_per_s(fleet), TENTHS(share_milli));
}

static void check_start(const struct rg_token_bucket_policy *bucket,
                        const struct rg_fleet *fleet,
                        struct rg_faults *warnings) {
  uint64_t start_milli = rg_num_mul(bucket->initial_milli, fleet->clients);
  uint64_t share_milli =
      rg_num_mul(calls_per_s(fleet) * START_S, bucket->ratio_milli);
  if (start_milli <= share_milli) return;
  rg_faults_add(warnings, RG_FAULT_RISK,
                "retryGuard.budget.tokenBucket.initialTokens",
                "lets %" PRIu64 " clients make %" PRIu64 ".%" PRIu64
                " retries at once, and keep as many tokens, but their %" PRIu64
                " calls/s earn %" PRIu64 ".%" PRIu64 " in %d s",
                fleet->clients, TENTHS(start_milli), calls_per_s(fleet),
                TENTHS(share_milli), START_S);
}

void rg_advise_fleet(const struct rg_service_config *config,
                     const struct rg_fleet *fleet, struct rg_faults *warnings) {
  if (!rg_service_config_is_guarded(config)) return;
  struct rg_policy policy;
  rg_service_config_policy(config, NULL, &policy);
  if (policy.budget.kind == RG_BUDGET_WINDOW)
    check_floor(&policy.budget.window, fleet, warnings);
  if (policy.budget.kind == RG_BUDGET_TOKEN_BUCKET)
    check_start(&policy.budget.bucket, fleet, warnings);
}
