/* SPDX-License-Identifier: Apache-2.0 */

/* The retry budget of one target: a token bucket or a share of traffic, and the
 * change from one policy to the next.
 *
 * An update fills the idle one of two generations and then switches to it, so
 * no call ever waits. The filled fraction is kept. A take that meets an update
 * half way is refused; a token that was taken before the update and is given
 * back after it is lost. Both err towards fewer retries.
 *
 * Threads: safe; init needs the budget for itself, and updates must not run at
 * the same time as each other. */
#ifndef RG_CORE_BUDGET_H
#define RG_CORE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"
#include "core/retry_window.h"
#include "core/token_bucket.h"

RG_C_BEGIN

enum rg_budget_kind {
  RG_BUDGET_UNLIMITED, /* `disabled` */
  RG_BUDGET_TOKEN_BUCKET,
  RG_BUDGET_WINDOW,
};

struct rg_budget_policy {
  enum rg_budget_kind kind;
  struct rg_token_bucket_policy bucket; /* with RG_BUDGET_TOKEN_BUCKET */
  struct rg_retry_window_policy window; /* with RG_BUDGET_WINDOW */
};

struct rg_budget_generation {
  RG_ATOMIC(uint32_t) kind; /* enum rg_budget_kind */
  struct rg_token_bucket bucket;
  struct rg_retry_window window;
};

struct rg_budget {
  RG_ATOMIC(uint32_t) current; /* counts updates; its lowest bit picks */
  struct rg_budget_generation generations[2];
};

/* What a take leaves with its caller, for the refund. */
struct rg_token {
  uint32_t generation;
  uint32_t epoch;
};

/* Makes a budget as a new target has it. */
void rg_budget_init(struct rg_budget *budget,
                    const struct rg_budget_policy *policy, uint64_t now);

/* Changes the policy and keeps the filled fraction. */
void rg_budget_update(struct rg_budget *budget,
                      const struct rg_budget_policy *policy, uint64_t now);

/* One call began; one call ended OK. Each once per call, however many attempts
 * it takes. */
void rg_budget_call_began(struct rg_budget *budget, uint64_t now);
void rg_budget_call_succeeded(struct rg_budget *budget, uint64_t now);

/* Takes one retry's worth in one atomic step; false and nothing taken when
 * there is none. `token` is written on success. */
bool rg_budget_take(struct rg_budget *budget, uint64_t now,
                    struct rg_token *token);

/* Gives back a token whose retry never began. */
void rg_budget_refund(struct rg_budget *budget, struct rg_token token);

/* What may be taken now, in thousandths of a retry; UINT64_MAX: no limit. */
uint64_t rg_budget_level(struct rg_budget *budget, uint64_t now);

RG_C_END

#endif
