/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "config/defaults.h"
#include "config/message_field.h"
#include "config/policy_block.h"
#include "config/policy_defaults.h"
#include "core/num.h"

typedef RetryGuard__V1__Policy Policy;
typedef RetryGuard__V1__Duration Duration;

/* Thousandths, to the nearest; the value was validated. */
static uint64_t milli(double value) {
  return (uint64_t)(value * RG_MILLI + 0.5);
}

/* The same of something that must not become nothing. */
static uint64_t milli_above_0(double value) {
  uint64_t amount = milli(value);
  return amount > 0 ? amount : 1;
}

static uint64_t ns_or(const Duration *duration, uint64_t otherwise) {
  if (duration == NULL) return otherwise;
  return rg_duration_ns(rg_message_get_duration(&duration->base));
}

static void set_bucket(struct rg_token_bucket_policy *bucket,
                       const RetryGuard__V1__TokenBucket *m) {
  if (m->has_token_ratio)
    bucket->ratio_milli = (uint32_t)milli_above_0(m->token_ratio);
  if (m->has_initial_tokens)
    bucket->initial_milli = (uint32_t)milli(m->initial_tokens);
  if (m->has_max_tokens) bucket->max_milli = milli_above_0(m->max_tokens);
  bucket->burst_ns = ns_or(m->burst, bucket->burst_ns);
}

/* minRetryRate over the interval of the budget. */
static uint64_t min_retries_milli(const RetryGuard__V1__RetryRate *rate,
                                  uint64_t interval_ns) {
  uint64_t count = RG_DEFAULT_MIN_RETRY_COUNT;
  uint64_t per_ns = RG_DEFAULT_MIN_RETRY_INTERVAL_NS;
  if (rate != NULL) {
    if (rate->has_count) count = rate->count;
    per_ns = ns_or(rate->interval, per_ns);
  }
  return rg_num_mul_div(count * RG_MILLI, interval_ns, per_ns);
}

static void set_window(struct rg_retry_window_policy *window,
                       const RetryGuard__V1__Window *m) {
  if (m->has_percent) window->percent = m->percent;
  window->interval_ns = ns_or(m->interval, window->interval_ns);
  window->min_retries_milli =
      min_retries_milli(m->min_retry_rate, window->interval_ns);
}

static void set_budget(struct rg_budget_policy *budget,
                       const RetryGuard__V1__Budget *m) {
  if (m->algorithm_case == RETRY_GUARD__V1__BUDGET__ALGORITHM_TOKEN_BUCKET)
    set_bucket(&budget->bucket, m->token_bucket);
  if (m->algorithm_case == RETRY_GUARD__V1__BUDGET__ALGORITHM_WINDOW) {
    set_window(&budget->window, m->window);
    budget->kind = RG_BUDGET_WINDOW;
  }
  if (m->has_disabled && m->disabled) budget->kind = RG_BUDGET_UNLIMITED;
}

static enum rg_jitter jitter_of(RetryGuard__V1__Backoff__Jitter jitter) {
  switch (jitter) {
    case RETRY_GUARD__V1__BACKOFF__JITTER__EQUAL:
      return RG_JITTER_EQUAL;
    case RETRY_GUARD__V1__BACKOFF__JITTER__NATIVE:
      return RG_JITTER_NATIVE;
    default:
      return RG_JITTER_FULL;
  }
}

/* Up, since no retry may start before the floor. */
static uint64_t ms_up(uint64_t ns) {
  return ns / RG_NS_PER_MS + (ns % RG_NS_PER_MS > 0 ? 1 : 0);
}

static void set_backoff(struct rg_backoff_policy *backoff,
                        const RetryGuard__V1__Backoff *m) {
  if (m->has_jitter) backoff->jitter = jitter_of(m->jitter);
  if (m->floor != NULL) backoff->floor_ms = ms_up(ns_or(m->floor, 0));
}

static void set_layer(struct rg_layer_policy *layer,
                      const RetryGuard__V1__Layer *m) {
  if (m->has_disabled) layer->disabled = m->disabled != 0;
  if (m->has_mode)
    layer->mode = m->mode == RETRY_GUARD__V1__LAYER__MODE__INNERMOST
                      ? RG_LAYER_INNERMOST
                      : RG_LAYER_OUTERMOST;
  if (m->has_baggage) layer->baggage = m->baggage != 0;
  if (m->has_max_hops) layer->max_hops = m->max_hops;
  if (m->name == NULL) return;
  layer->name_length = (uint8_t)strlen(m->name);
  memcpy(layer->name, m->name, layer->name_length);
}

static uint32_t code_bits(const RetryGuard__V1__CircuitBreaker *m) {
  uint32_t bits = 0;
  for (size_t i = 0; i < m->n_failure_status_codes; i++)
    bits |= 1u << m->failure_status_codes[i];
  return bits;
}

static enum rg_breaker_scope scope_of(
    RetryGuard__V1__CircuitBreaker__Scope scope) {
  switch (scope) {
    case RETRY_GUARD__V1__CIRCUIT_BREAKER__SCOPE__SERVICE:
      return RG_BREAKER_PER_SERVICE;
    case RETRY_GUARD__V1__CIRCUIT_BREAKER__SCOPE__METHOD:
      return RG_BREAKER_PER_METHOD;
    case RETRY_GUARD__V1__CIRCUIT_BREAKER__SCOPE__BACKEND:
      return RG_BREAKER_PER_BACKEND;
    default:
      return RG_BREAKER_PER_TARGET;
  }
}

static void set_breaker(struct rg_breaker_policy *breaker,
                        const RetryGuard__V1__CircuitBreaker *m) {
  if (m->has_disabled) breaker->disabled = m->disabled != 0;
  if (m->n_failure_status_codes > 0) breaker->failure_codes = code_bits(m);
  if (m->has_failure_ratio)
    breaker->failure_ratio_milli = (uint32_t)milli(m->failure_ratio);
  if (m->has_min_requests) breaker->min_requests = m->min_requests;
  if (m->has_consecutive_failures)
    breaker->consecutive_failures = m->consecutive_failures;
  if (m->has_cooldown_jitter)
    breaker->cooldown_jitter_milli = (uint32_t)milli(m->cooldown_jitter);
  if (m->has_probes) breaker->probes = m->probes;
  if (m->has_scope) breaker->scope = scope_of(m->scope);
  breaker->window_ns = ns_or(m->window, breaker->window_ns);
  breaker->cooldown_ns = ns_or(m->cooldown, breaker->cooldown_ns);
  breaker->max_cooldown_ns = ns_or(m->max_cooldown, 0);
  breaker->probe_timeout_ns = ns_or(m->probe_timeout, breaker->cooldown_ns);
}

static void set_deadline(struct rg_deadline_policy *deadline,
                         const RetryGuard__V1__Deadline *m) {
  if (m->has_disabled) deadline->disabled = m->disabled != 0;
  if (m->has_adaptive) deadline->adaptive = m->adaptive != 0;
  deadline->hop_margin_ns = ns_or(m->hop_margin, deadline->hop_margin_ns);
  deadline->min_attempt_ns = ns_or(m->min_attempt, deadline->min_attempt_ns);
  deadline->attempt_timeout_ns =
      ns_or(m->attempt_timeout, deadline->attempt_timeout_ns);
  deadline->min_remaining_ns =
      ns_or(m->min_remaining, deadline->min_remaining_ns);
}

static void set_idempotency(struct rg_idempotency_policy *idempotency,
                            const Policy *m) {
  if (m->has_idempotency) switch (m->idempotency) {
      case RETRY_GUARD__V1__POLICY__IDEMPOTENCY__KEY:
        idempotency->mode = RG_IDEMPOTENCY_KEY;
        break;
      case RETRY_GUARD__V1__POLICY__IDEMPOTENCY__GENERATE:
        idempotency->mode = RG_IDEMPOTENCY_GENERATE;
        break;
      default:
        idempotency->mode = RG_IDEMPOTENCY_ANY;
    }
  if (m->key_header != NULL)
    snprintf(idempotency->key_header, sizeof idempotency->key_header, "%s",
             m->key_header);
}

static enum rg_mode mode_of(RetryGuard__V1__Policy__Mode mode) {
  switch (mode) {
    case RETRY_GUARD__V1__POLICY__MODE__SHADOW:
      return RG_MODE_SHADOW;
    case RETRY_GUARD__V1__POLICY__MODE__OFF:
      return RG_MODE_OFF;
    default:
      return RG_MODE_ENFORCE;
  }
}

/* What both a channel's and a method's block can say. */
static void set_common(struct rg_policy *policy, const Policy *m) {
  if (m->budget != NULL && m->budget->has_disabled)
    policy->budgeted = !m->budget->disabled;
  if (m->backoff != NULL) set_backoff(&policy->backoff, m->backoff);
  if (m->layer != NULL) set_layer(&policy->layer, m->layer);
  if (m->deadline != NULL) set_deadline(&policy->deadline, m->deadline);
  set_idempotency(&policy->idempotency, m);
  if (m->has_mode) policy->mode = mode_of(m->mode);
}

void rg_policy_resolve(const struct rg_policy_block *channel,
                       const struct rg_policy_block *method,
                       struct rg_policy *policy) {
  *policy = rg_policy_defaults();
  if (channel != NULL) {
    if (channel->message->budget != NULL)
      set_budget(&policy->budget, channel->message->budget);
    if (channel->message->circuit_breaker != NULL)
      set_breaker(&policy->breaker, channel->message->circuit_breaker);
    if (channel->message->has_amplification_alarm)
      policy->amplification_alarm_milli =
          (uint32_t)milli(channel->message->amplification_alarm);
    set_common(policy, channel->message);
  }
  if (method != NULL) set_common(policy, method->message);
}
