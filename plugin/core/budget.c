/* SPDX-License-Identifier: Apache-2.0 */
#include "core/budget.h"

#include "core/num.h"

static struct rg_budget_generation *generation(struct rg_budget *budget,
                                               uint32_t number) {
  return &budget->generations[number & 1];
}

static struct rg_budget_generation *current(struct rg_budget *budget) {
  return generation(
      budget, atomic_load_explicit(&budget->current, memory_order_acquire));
}

static uint32_t kind_of(const struct rg_budget_generation *g) {
  return atomic_load_explicit(&g->kind, memory_order_relaxed);
}

static void set_kind(struct rg_budget_generation *g, enum rg_budget_kind kind) {
  atomic_store_explicit(&g->kind, (uint32_t)kind, memory_order_relaxed);
}

void rg_budget_init(struct rg_budget *budget,
                    const struct rg_budget_policy *policy, uint64_t now) {
  atomic_store(&budget->current, 0);
  struct rg_budget_generation *g = generation(budget, 0);
  set_kind(g, policy->kind);
  rg_token_bucket_init(&g->bucket, &policy->bucket,
                       policy->bucket.initial_milli, 0, now);
  rg_retry_window_init(&g->window, &policy->window, 0, 0, now);
}

/* How full a generation is, and what its traffic is like: the two things that
 * outlive it. */
struct heritage {
  uint64_t level; /* of capacity; both in milli-tokens */
  uint64_t capacity;
  uint64_t successes; /* in the last `span_ns` */
  uint64_t span_ns;
};

static uint64_t span_of(const struct rg_window *window) {
  return atomic_load(&window->slot_ns) * RG_WINDOW_SLOTS;
}

/* Both kinds, for a thread that was stopped in a take and comes back when the
 * generation is made anew: what is not in force then stays closed. */
static void close_generation(struct rg_budget_generation *g) {
  rg_token_bucket_close(&g->bucket);
  rg_retry_window_close(&g->window);
}

static struct heritage bequeath(struct rg_budget_generation *g, uint64_t now) {
  close_generation(g);
  if (kind_of(g) == RG_BUDGET_TOKEN_BUCKET) {
    struct rg_window_reading earned = rg_window_read(&g->bucket.earned, now);
    return (struct heritage){
        .level = rg_token_bucket_level(&g->bucket, now),
        .capacity = rg_token_bucket_capacity(&g->bucket, now),
        .successes = earned.recent / atomic_load(&g->bucket.ratio_milli),
        .span_ns = span_of(&g->bucket.earned),
    };
  }
  if (kind_of(g) == RG_BUDGET_WINDOW) {
    struct rg_retry_window_reading reading =
        rg_retry_window_read(&g->window, now);
    return (struct heritage){
        .level = reading.left_milli,
        .capacity = reading.limit_milli,
        .successes = reading.calls,
        .span_ns = span_of(&g->window.calls),
    };
  }
  return (struct heritage){.level = 1, .capacity = 1, .span_ns = 1};
}

static uint64_t scaled(const struct heritage *h, uint64_t capacity) {
  if (h->capacity == 0) return 0;
  return rg_num_mul_div(capacity, h->level, h->capacity);
}

static void inherit_bucket(struct rg_token_bucket *bucket,
                           const struct rg_token_bucket_policy *policy,
                           const struct heritage *h, uint64_t now) {
  uint64_t recent =
      rg_num_mul(rg_num_mul_div(h->successes, policy->burst_ns, h->span_ns),
                 policy->ratio_milli);
  rg_token_bucket_init(bucket, policy, 0, recent, now);
  uint64_t level = scaled(h, rg_token_bucket_capacity(bucket, now));
  rg_token_bucket_init(bucket, policy, level, recent, now);
}

static void inherit_window(struct rg_retry_window *window,
                           const struct rg_retry_window_policy *policy,
                           const struct heritage *h, uint64_t now) {
  uint64_t calls =
      rg_num_mul_div(h->successes, policy->interval_ns, h->span_ns);
  if (calls > UINT32_MAX / 4) calls = UINT32_MAX / 4;
  /* Full, and not empty, while the limit is looked up: init opens it. */
  rg_retry_window_init(window, policy, (uint32_t)calls, UINT32_MAX, now);
  uint64_t limit = rg_retry_window_read(window, now).limit_milli;
  /* Rounded up, so that a fraction of a retry is not given away. */
  uint64_t used = (limit - scaled(h, limit) + RG_MILLI - 1) / RG_MILLI;
  if (used > UINT32_MAX / 4) used = UINT32_MAX / 4;
  rg_retry_window_init(window, policy, (uint32_t)calls, (uint32_t)used, now);
}

void rg_budget_update(struct rg_budget *budget,
                      const struct rg_budget_policy *policy, uint64_t now) {
  uint32_t number = atomic_load(&budget->current);
  struct heritage h = bequeath(generation(budget, number), now);
  struct rg_budget_generation *next = generation(budget, number + 1);
  set_kind(next, policy->kind);
  if (policy->kind == RG_BUDGET_TOKEN_BUCKET)
    inherit_bucket(&next->bucket, &policy->bucket, &h, now);
  if (policy->kind == RG_BUDGET_WINDOW)
    inherit_window(&next->window, &policy->window, &h, now);
  atomic_store_explicit(&budget->current, number + 1, memory_order_release);
}

void rg_budget_call_began(struct rg_budget *budget, uint64_t now) {
  struct rg_budget_generation *g = current(budget);
  if (kind_of(g) == RG_BUDGET_WINDOW) rg_retry_window_begin(&g->window, now);
}

void rg_budget_call_succeeded(struct rg_budget *budget, uint64_t now) {
  struct rg_budget_generation *g = current(budget);
  if (kind_of(g) == RG_BUDGET_TOKEN_BUCKET)
    rg_token_bucket_earn(&g->bucket, now);
}

bool rg_budget_take(struct rg_budget *budget, uint64_t now,
                    struct rg_token *token) {
  uint32_t number =
      atomic_load_explicit(&budget->current, memory_order_acquire);
  struct rg_budget_generation *g = generation(budget, number);
  *token = (struct rg_token){.generation = number};
  switch (kind_of(g)) {
    case RG_BUDGET_TOKEN_BUCKET:
      return rg_token_bucket_take(&g->bucket, now);
    case RG_BUDGET_WINDOW:
      return rg_retry_window_take(&g->window, now, &token->epoch);
    default:
      return true;
  }
}

void rg_budget_refund(struct rg_budget *budget, struct rg_token token) {
  uint32_t number =
      atomic_load_explicit(&budget->current, memory_order_acquire);
  if (number != token.generation) return;
  struct rg_budget_generation *g = generation(budget, number);
  if (kind_of(g) == RG_BUDGET_TOKEN_BUCKET)
    rg_token_bucket_refund(&g->bucket);
  else if (kind_of(g) == RG_BUDGET_WINDOW)
    rg_retry_window_refund(&g->window, token.epoch);
}

uint64_t rg_budget_level(struct rg_budget *budget, uint64_t now) {
  struct rg_budget_generation *g = current(budget);
  switch (kind_of(g)) {
    case RG_BUDGET_TOKEN_BUCKET:
      return rg_token_bucket_level(&g->bucket, now);
    case RG_BUDGET_WINDOW:
      return rg_retry_window_read(&g->window, now).left_milli;
    default:
      return UINT64_MAX;
  }
}
