/* SPDX-License-Identifier: Apache-2.0 */
#include "config/policy_defaults.h"

#include "config/defaults.h"

static struct rg_breaker_policy default_breaker(void) {
  return (struct rg_breaker_policy){
      .failure_codes = RG_DEFAULT_FAILURE_CODES,
      .failure_ratio_milli = RG_DEFAULT_FAILURE_RATIO_MILLI,
      .min_requests = RG_DEFAULT_MIN_REQUESTS,
      .window_ns = RG_DEFAULT_BREAKER_WINDOW_NS,
      .cooldown_ns = RG_DEFAULT_COOLDOWN_NS,
      .cooldown_jitter_milli = RG_DEFAULT_COOLDOWN_JITTER_MILLI,
      .probes = RG_DEFAULT_PROBES,
      .probe_timeout_ns = RG_DEFAULT_COOLDOWN_NS,
  };
}

static struct rg_budget_policy default_budget(void) {
  return (struct rg_budget_policy){
      .kind = RG_BUDGET_TOKEN_BUCKET,
      .bucket = {.ratio_milli = RG_DEFAULT_TOKEN_RATIO_MILLI,
                 .burst_ns = RG_DEFAULT_BURST_NS,
                 .initial_milli = RG_DEFAULT_INITIAL_TOKENS_MILLI,
                 .max_milli = RG_DEFAULT_MAX_TOKENS_MILLI},
      .window = {.percent = RG_DEFAULT_WINDOW_PERCENT,
                 .interval_ns = RG_DEFAULT_WINDOW_INTERVAL_NS,
                 .min_retries_milli = RG_DEFAULT_MIN_RETRY_COUNT * RG_MILLI *
                                      RG_DEFAULT_WINDOW_INTERVAL_NS /
                                      RG_DEFAULT_MIN_RETRY_INTERVAL_NS},
  };
}

struct rg_policy rg_policy_defaults(void) {
  return (struct rg_policy){
      .budget = default_budget(),
      .budgeted = true,
      .breaker = default_breaker(),
      .idempotency = {.mode = RG_IDEMPOTENCY_ANY,
                      .key_header = RG_DEFAULT_KEY_HEADER},
      .backoff = {.jitter = RG_DEFAULT_JITTER, .floor_ms = RG_DEFAULT_FLOOR_MS},
      .layer = {.mode = RG_DEFAULT_LAYER_MODE,
                .max_hops = RG_DEFAULT_LAYER_MAX_HOPS},
      .amplification_alarm_milli = RG_DEFAULT_AMPLIFICATION_ALARM_MILLI,
  };
}
