/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "config/defaults.h"
#include "config/message_field.h"
#include "config/policy_block.h"
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
  if (m->has_mode) layer->mode = RG_LAYER_OUTERMOST; /* there is no other yet */
  if (m->has_max_hops) layer->max_hops = m->max_hops;
  if (m->name == NULL) return;
  layer->name_length = (uint8_t)strlen(m->name);
  memcpy(layer->name, m->name, layer->name_length);
}

static struct rg_budget_policy default_budget(void) {
  uint64_t interval_ns = RG_DEFAULT_WINDOW_INTERVAL_NS;
  return (struct rg_budget_policy){
      .kind = RG_BUDGET_TOKEN_BUCKET,
      .bucket = {.ratio_milli = RG_DEFAULT_TOKEN_RATIO_MILLI,
                 .burst_ns = RG_DEFAULT_BURST_NS,
                 .initial_milli = RG_DEFAULT_INITIAL_TOKENS_MILLI,
                 .max_milli = RG_DEFAULT_MAX_TOKENS_MILLI},
      .window = {.percent = RG_DEFAULT_WINDOW_PERCENT,
                 .interval_ns = interval_ns,
                 .min_retries_milli = min_retries_milli(NULL, interval_ns)},
  };
}

static struct rg_policy defaults(void) {
  return (struct rg_policy){
      .budget = default_budget(),
      .budgeted = true,
      .backoff = {.jitter = RG_DEFAULT_JITTER, .floor_ms = RG_DEFAULT_FLOOR_MS},
      .layer = {.mode = RG_DEFAULT_LAYER_MODE,
                .max_hops = RG_DEFAULT_LAYER_MAX_HOPS},
  };
}

/* What both a channel's and a method's block can say. */
static void set_common(struct rg_policy *policy, const Policy *m) {
  if (m->budget != NULL && m->budget->has_disabled)
    policy->budgeted = !m->budget->disabled;
  if (m->backoff != NULL) set_backoff(&policy->backoff, m->backoff);
  if (m->layer != NULL) set_layer(&policy->layer, m->layer);
}

void rg_policy_resolve(const struct rg_policy_block *channel,
                       const struct rg_policy_block *method,
                       struct rg_policy *policy) {
  *policy = defaults();
  if (channel != NULL) {
    if (channel->message->budget != NULL)
      set_budget(&policy->budget, channel->message->budget);
    set_common(policy, channel->message);
  }
  if (method != NULL) set_common(policy, method->message);
}
