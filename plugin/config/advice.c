/* SPDX-License-Identifier: Apache-2.0 */
#include "config/advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/duration.h"
#include "config/load.h"
#include "config/policy_block.h"
#include "core/num.h"

/* Status codes, by number. */
enum { OK = 0, CANCELLED = 1, DEADLINE_EXCEEDED = 4 };

/* What is warned of: an entry under its effective policy. */
struct subject {
  const struct rg_service_config *config;
  const struct rg_method_config *method;
  size_t number;
  bool guarded;
  struct rg_policy policy;
  struct rg_faults *warnings;
};

static void warn(const struct subject *s, enum rg_fault_kind kind,
                 const char *below, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void warn(const struct subject *s, enum rg_fault_kind kind,
                 const char *below, const char *format, ...) {
  char path[RG_JSON_PATH_SIZE];
  snprintf(path, sizeof path, "methodConfig[%zu].%s", s->number, below);
  va_list args;
  va_start(args, format);
  rg_faults_vadd(s->warnings, kind, path, format, args);
  va_end(args);
}

/* ---- Retries that help nothing ------------------------------------------- */

/* Statuses that say that the same call will fail again; why, in gRPC's own
 * description of its codes. */
static const struct hopeless {
  uint32_t code;
  const char *why;
} hopeless[] = {
    {OK, "is no failure"},
    {CANCELLED, "means that the caller gave up"},
    {3, "means that the request itself is wrong"},
    {5, "is an answer that repeating does not change"},
    {6, "is an answer, perhaps to an attempt that worked"},
    {7, "does not change by repeating"},
    {9, "holds until somebody mends the state of the system"},
    {11, "means that the request itself is wrong"},
    {12, "means that the server does not have the method"},
    {15, "cannot be recovered from"},
    {16, "does not change without other credentials"},
};

static size_t index_of_code(const struct subject *s, uint32_t code);

static const char *code_name(uint32_t code) {
  return protobuf_c_enum_descriptor_get_value(
             &retry_guard__v1__circuit_breaker__code__descriptor, (int)code)
      ->name;
}

static void warn_of_code(const struct subject *s, uint32_t code,
                         const char *why) {
  char below[64];
  snprintf(below, sizeof below, "retryPolicy.retryableStatusCodes[%zu]",
           index_of_code(s, code));
  warn(s, RG_FAULT_FUTILE, below, "is %s, which %s: no retry helps",
       code_name(code), why);
}

/* Where in the list the code stands. */
static size_t index_of_code(const struct subject *s, uint32_t code) {
  const json_t *entries = json_object_get(s->config->raw.value, "methodConfig");
  const json_t *retry =
      json_object_get(json_array_get(entries, s->number), "retryPolicy");
  const json_t *codes = json_object_get(retry, "retryableStatusCodes");
  size_t i = 0;
  while (i < json_array_size(codes) &&
         strcmp(json_string_value(json_array_get(codes, i)), code_name(code)) !=
             0)
    i++;
  return i;
}

static bool retries_on(const struct subject *s, uint32_t code) {
  return (s->method->retry.retryable_codes >> code & 1) != 0;
}

static void check_codes(const struct subject *s) {
  for (size_t i = 0; i < sizeof hopeless / sizeof hopeless[0]; i++)
    if (retries_on(s, hopeless[i].code))
      warn_of_code(s, hopeless[i].code, hopeless[i].why);
  bool timed = s->guarded && !s->policy.deadline.disabled &&
               s->policy.deadline.attempt_timeout_ns > 0;
  if (!retries_on(s, DEADLINE_EXCEEDED) || timed) return;
  char below[64];
  snprintf(below, sizeof below, "retryPolicy.retryableStatusCodes[%zu]",
           index_of_code(s, DEADLINE_EXCEEDED));
  warn(s, RG_FAULT_FUTILE, below,
       "is DEADLINE_EXCEEDED, but a deadline covers all attempts of a call, so "
       "that nothing is left for a retry; retryGuard.deadline.attemptTimeout "
       "ends a single attempt");
}

/* ---- Delays -------------------------------------------------------------- */

static void check_backoff(const struct subject *s) {
  const struct rg_retry_policy *retry = &s->method->retry;
  if (retry->max_backoff_ms < retry->initial_backoff_ms)
    warn(s, RG_FAULT_FUTILE, "retryPolicy.maxBackoff",
         "is below initialBackoff, so that every delay is this long");
  if (retry->multiplier_micro < 1000000)
    warn(s, RG_FAULT_RISK, "retryPolicy.backoffMultiplier",
         "is below 1: the longer an outage lasts, the faster come the retries");
  uint64_t floor = s->policy.backoff.floor_ms;
  uint64_t last = rg_backoff_cap_ms(retry, retry->max_attempts - 2);
  char text[RG_DURATION_TEXT_SIZE];
  if (s->guarded && s->policy.backoff.jitter != RG_JITTER_NATIVE && floor > 0 &&
      floor >= last)
    warn(s, RG_FAULT_RISK, "retryPolicy.maxBackoff",
         "leaves no room above backoff.floor, which is %s: all clients retry "
         "after exactly that time",
         rg_duration_write_ms(floor, text));
}

static void check_timeout(const struct subject *s) {
  if (!s->method->has_timeout) return;
  uint64_t timeout = s->method->timeout_ms;
  uint64_t longest = rg_load_backoff_ms(s->guarded ? &s->policy.backoff : NULL,
                                        &s->method->retry);
  char a[RG_DURATION_TEXT_SIZE];
  char b[RG_DURATION_TEXT_SIZE];
  if (longest >= timeout)
    warn(s, RG_FAULT_FUTILE, "timeout",
         "is %s, but the delays between %" PRIu32
         " attempts can add up to %s: the last ones do not happen",
         rg_duration_write_ms(timeout, a), s->method->retry.max_attempts,
         rg_duration_write_ms(longest, b));
  uint64_t attempt = s->policy.deadline.attempt_timeout_ns / RG_NS_PER_MS;
  if (s->guarded && !s->policy.deadline.disabled && attempt >= timeout)
    warn(s, RG_FAULT_FUTILE, "timeout",
         "is %s, so that deadline.attemptTimeout, which is %s, never ends an "
         "attempt",
         rg_duration_write_ms(timeout, a), rg_duration_write_ms(attempt, b));
}

static void check_min_remaining(const struct subject *s) {
  uint64_t least = s->policy.deadline.min_remaining_ns / RG_NS_PER_MS;
  char a[RG_DURATION_TEXT_SIZE];
  char b[RG_DURATION_TEXT_SIZE];
  if (s->method->has_timeout && s->guarded && !s->policy.deadline.disabled &&
      least > s->method->timeout_ms)
    warn(
        s, RG_FAULT_RISK, "timeout",
        "is %s, less than deadline.minRemaining, which is %s: every call fails "
        "at once",
        rg_duration_write_ms(s->method->timeout_ms, a),
        rg_duration_write_ms(least, b));
}

static void check_method(const struct subject *s) {
  check_min_remaining(s);
  if (!s->method->has_retry) return;
  check_codes(s);
  check_backoff(s);
  check_timeout(s);
}

static bool check_methods(const struct rg_service_config *config,
                          struct rg_faults *warnings) {
  bool any = false;
  for (size_t i = 0; i < config->count; i++) {
    struct subject s = {.config = config,
                        .method = &config->methods[i],
                        .number = i,
                        .warnings = warnings};
    s.guarded = rg_service_config_guards(config, s.method);
    rg_service_config_policy(config, s.method, &s.policy);
    check_method(&s);
    any |= s.method->has_retry;
  }
  return any;
}

/* ---- The channel --------------------------------------------------------- */

/* gRPC retries while more than half of the tokens are there. */
static void check_throttling(const struct rg_service_config *config,
                             struct rg_faults *warnings) {
  if (!config->has_throttling) return;
  if (config->throttling.max_milli <= 2000)
    rg_faults_add(warnings, RG_FAULT_FUTILE, "retryThrottling.maxTokens",
                  "is so small that the first failure stops all retries: gRPC "
                  "retries while more than half of the tokens are left, and a "
                  "failure costs one");
  struct rg_policy policy;
  rg_service_config_policy(config, NULL, &policy);
  if (rg_service_config_guards(config, NULL) &&
      policy.budget.kind != RG_BUDGET_UNLIMITED)
    rg_faults_add(warnings, RG_FAULT_CONFLICT, "retryThrottling",
                  "stands beside retryGuard.budget: whichever is empty first "
                  "stops retries, so that neither can be reasoned about; keep "
                  "one");
}

static void check_bucket(const struct rg_token_bucket_policy *bucket,
                         struct rg_faults *warnings) {
  const char *path = "retryGuard.budget.tokenBucket";
  if (bucket->max_milli > 0 && bucket->max_milli < RG_MILLI)
    rg_faults_add(warnings, RG_FAULT_FUTILE, path,
                  "has maxTokens below 1, which permits no retry at all");
  else if (bucket->initial_milli < RG_MILLI)
    rg_faults_add(warnings, RG_FAULT_FUTILE, path,
                  "has initialTokens below 1: the first failure of a program "
                  "that just started is not retried");
}

static void check_window(const struct rg_retry_window_policy *window,
                         struct rg_faults *warnings) {
  if (window->percent == 0 && window->min_retries_milli < RG_MILLI)
    rg_faults_add(warnings, RG_FAULT_FUTILE, "retryGuard.budget.window",
                  "has percent 0 and a minRetryRate below one retry in an "
                  "interval, which permits no retry at all");
}

static void check_budget(const struct rg_policy *policy,
                         struct rg_faults *warnings) {
  if (policy->budget.kind == RG_BUDGET_TOKEN_BUCKET)
    check_bucket(&policy->budget.bucket, warnings);
  if (policy->budget.kind == RG_BUDGET_WINDOW)
    check_window(&policy->budget.window, warnings);
}

static void check_breaker(const struct rg_service_config *config,
                          const struct rg_breaker_policy *breaker,
                          struct rg_faults *warnings) {
  if (breaker->disabled) return;
  if (breaker->failure_ratio_milli >= 1000 &&
      breaker->consecutive_failures == 0)
    rg_faults_add(
        warnings, RG_FAULT_FUTILE, "retryGuard.circuitBreaker.failureRatio",
        "is 1: no share of failures is above all, so that the breaker "
        "never opens; say \"disabled\": true if that is meant");
  const RetryGuard__V1__CircuitBreaker *said =
      config->block->message->circuit_breaker;
  if (said != NULL && said->max_cooldown != NULL &&
      breaker->max_cooldown_ns < breaker->cooldown_ns)
    rg_faults_add(warnings, RG_FAULT_FUTILE,
                  "retryGuard.circuitBreaker.maxCooldown",
                  "is below cooldown, so that it has no effect");
}

static void check_key(const struct rg_service_config *config,
                      const struct rg_policy *policy,
                      struct rg_faults *warnings) {
  if (config->block->message->key_header == NULL ||
      policy->idempotency.mode != RG_IDEMPOTENCY_ANY)
    return;
  for (size_t i = 0; i < config->count; i++) {
    struct rg_policy method;
    rg_service_config_policy(config, &config->methods[i], &method);
    if (method.idempotency.mode != RG_IDEMPOTENCY_ANY) return;
  }
  rg_faults_add(warnings, RG_FAULT_FUTILE, "retryGuard.keyHeader",
                "has no effect while idempotency is ANY");
}

static void check_guard(const struct rg_service_config *config,
                        struct rg_faults *warnings) {
  struct rg_policy policy;
  rg_service_config_policy(config, NULL, &policy);
  check_budget(&policy, warnings);
  check_breaker(config, &policy.breaker, warnings);
  check_key(config, &policy, warnings);
}

void rg_advise(const struct rg_service_config *config,
               struct rg_faults *warnings) {
  bool any = check_methods(config, warnings);
  check_throttling(config, warnings);
  if (config->block != NULL) check_guard(config, warnings);
  bool guarded = rg_service_config_is_guarded(config);
  if (any && !guarded)
    rg_faults_add(
        warnings, RG_FAULT_RISK, "retryGuard",
        config->block == NULL
            ? "is missing, so that nothing bounds the retries; \"retryGuard\": "
              "{} at the top level does, with all defaults"
            : "is OFF, so that nothing bounds the retries");
  if (guarded && !any)
    rg_faults_add(warnings, RG_FAULT_FUTILE, "retryGuard",
                  "has no retries to guard: no methodConfig entry has a "
                  "retryPolicy");
}

struct rg_service_config *rg_advise_read(const char *json, size_t length,
                                         struct rg_report *report) {
  struct rg_service_config *config =
      rg_service_config_read(json, length, report);
  if (config != NULL && rg_faults_empty(&report->errors))
    rg_advise(config, &report->warnings);
  return config;
}
