/* SPDX-License-Identifier: Apache-2.0 */

/* From the JSON text of a `retryGuard` block to what the core works with.
 *
 * A service config holds one block for the channel and may hold one in each
 * methodConfig entry, which overrides the channel's field by field. Each is
 * parsed and validated alone; resolving puts the two and the defaults together.
 *
 * Threads: parsed blocks are immutable; the functions share no state. */
#ifndef RG_CONFIG_POLICY_H
#define RG_CONFIG_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "config/faults.h"
#include "core/backoff.h"
#include "core/breaker.h"
#include "core/budget.h"
#include "core/cxx.h"
#include "core/deadline.h"
#include "core/idempotency.h"
#include "core/layer.h"

RG_C_BEGIN

enum rg_mode {
  RG_MODE_ENFORCE,
  RG_MODE_SHADOW, /* decide and count everything, change nothing */
  RG_MODE_OFF,    /* as if there were no policy */
};

/* The effective policy of one method. */
struct rg_policy {
  enum rg_mode mode;
  struct rg_breaker_policy breaker; /* the target's, as the budget */
  struct rg_deadline_policy deadline;
  struct rg_idempotency_policy idempotency;
  /* The target's, so the same for all methods of a channel. RG_BUDGET_UNLIMITED
   * when the channel's block disables it. */
  struct rg_budget_policy budget;
  /* Whether this method's retries draw on the budget: false when its own block
   * or the channel's disables it. */
  bool budgeted;
  struct rg_backoff_policy backoff;
  struct rg_layer_policy layer;
  /* Retries for 1,000 calls that are alarming, of the target; 0: none are. */
  uint32_t amplification_alarm_milli;
};

/* One parsed and validated block. */
struct rg_policy_block;

enum rg_policy_scope {
  RG_POLICY_CHANNEL, /* `retryGuard` at the top level of the service config */
  RG_POLICY_METHOD,  /* `retryGuard` in a methodConfig entry */
};

/* Parses `json` (of `length` bytes, one JSON value, which must be an object).
 * `path` is how faults name it, such as "retryGuard". Returns a block to be
 * given to rg_policy_block_destroy, or NULL with at least one fault added to
 * `faults` (or its out_of_memory set); all faults of the block are found at
 * once. The locale does not matter. */
struct rg_policy_block *rg_policy_block_parse(const char *json, size_t length,
                                              enum rg_policy_scope scope,
                                              const char *path,
                                              struct rg_faults *faults);

/* Frees `block`; NULL is ignored. */
void rg_policy_block_destroy(struct rg_policy_block *block);

/* The effective policy of a method: its own block (NULL: none) over the
 * channel's (NULL: none) over the defaults. */
void rg_policy_resolve(const struct rg_policy_block *channel,
                       const struct rg_policy_block *method,
                       struct rg_policy *policy);

RG_C_END

#endif
