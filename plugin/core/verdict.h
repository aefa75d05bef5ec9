/* SPDX-License-Identifier: Apache-2.0 */

/* What happens after an attempt ended: the one place where the reasons against
 * a retry are put in order.
 *
 * Threads: as safe as the budget it draws on. */
#ifndef RG_CORE_VERDICT_H
#define RG_CORE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/backoff.h"
#include "core/budget.h"
#include "core/cxx.h"
#include "core/layer.h"
#include "core/outcome.h"

RG_C_BEGIN

enum rg_action {
  RG_ACTION_LEAVE, /* gRPC would not retry, or does so transparently */
  RG_ACTION_STOP,  /* the call ends with its real status */
  RG_ACTION_RETRY, /* a token was taken */
};

/* Why a call was stopped, in the order in which the reasons are tried. The
 * budget comes last, so that a retry refused for another reason costs
 * nothing. */
enum rg_stop {
  RG_STOP_LAYER,    /* another layer owns retries */
  RG_STOP_PUSHBACK, /* the server said stop */
  RG_STOP_BUDGET,   /* no token */
  RG_STOP_COUNT
};

/* What the verdict rests on, besides the outcome. */
struct rg_case {
  const struct rg_retry_policy *retry; /* NULL: the method has none, or retries
                                          are off for the channel */
  const struct rg_backoff_policy *backoff;
  const struct rg_layer_policy *layer;
  struct rg_budget *budget; /* NULL: this method's retries cost nothing */
  enum rg_lineage lineage;
  uint32_t attempts; /* ended under retryPolicy, this one included */
};

struct rg_verdict {
  enum rg_action action;
  enum rg_stop reason;   /* with RG_ACTION_STOP */
  struct rg_delay delay; /* with RG_ACTION_RETRY */
  struct rg_token token; /* with RG_ACTION_RETRY */
};

/* Whether gRPC's retry filter, left alone, would retry. */
bool rg_verdict_native_retries(const struct rg_retry_policy *retry,
                               const struct rg_outcome *outcome,
                               uint32_t attempts);

/* Decides. `random` are 64 random bits. */
struct rg_verdict rg_verdict_decide(const struct rg_case *c,
                                    const struct rg_outcome *outcome,
                                    uint64_t now, uint64_t random);

RG_C_END

#endif
