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
#include "core/breaker.h"
#include "core/budget.h"
#include "core/cxx.h"
#include "core/deadline.h"
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
  RG_STOP_LAYER,      /* another layer owns retries */
  RG_STOP_UNSAFE,     /* the call is not safe to repeat */
  RG_STOP_COMPRESSED, /* gRPC would send a corrupted body */
  RG_STOP_PUSHBACK,   /* the server said stop */
  RG_STOP_BREAKER,    /* the circuit breaker is open */
  RG_STOP_DEADLINE,   /* the delay does not fit */
  RG_STOP_BUDGET,     /* no token */
  RG_STOP_COUNT
};

/* What the verdict rests on, besides the outcome. */
struct rg_case {
  const struct rg_retry_policy *retry; /* NULL: the method has none, or retries
                                          are off for the channel */
  const struct rg_backoff_policy *backoff;
  const struct rg_layer_policy *layer;
  const struct rg_deadline_policy *deadline;
  const struct rg_breaker *breaker; /* NULL: not asked */
  struct rg_budget *budget; /* NULL: this method's retries cost nothing */
  enum rg_lineage lineage;
  bool safe;                   /* to repeat */
  bool compressed;             /* on a gRPC that cannot repeat such a call */
  uint32_t attempts;           /* ended under retryPolicy, this one included */
  uint64_t call_deadline;      /* or RG_DEADLINE_NONE */
  uint64_t typical_attempt_ns; /* 0: not known */
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

/* Whether a retry that gRPC begins on its own may go ahead; the same reasons,
 * without those of its delay. On success `token` was taken. */
bool rg_verdict_admit(const struct rg_case *c, uint64_t now,
                      struct rg_token *token, enum rg_stop *reason);

/* Decides. `random` are 64 random bits. */
struct rg_verdict rg_verdict_decide(const struct rg_case *c,
                                    const struct rg_outcome *outcome,
                                    uint64_t now, uint64_t random);

RG_C_END

#endif
