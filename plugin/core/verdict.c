/* SPDX-License-Identifier: Apache-2.0 */
#include "core/verdict.h"

#include <stddef.h>

bool rg_verdict_native_retries(const struct rg_retry_policy *retry,
                               const struct rg_outcome *outcome,
                               uint32_t attempts) {
  if (retry == NULL || outcome->committed) return false;
  if (outcome->status == RG_STATUS_OK || outcome->status > 31) return false;
  if ((retry->retryable_codes >> outcome->status & 1) == 0) return false;
  return attempts < retry->max_attempts && attempts < RG_MAX_ATTEMPTS;
}

static bool take(const struct rg_case *c, uint64_t now,
                 struct rg_token *token) {
  return c->budget == NULL || rg_budget_take(c->budget, now, token);
}

static struct rg_verdict stop(enum rg_stop reason) {
  return (struct rg_verdict){.action = RG_ACTION_STOP, .reason = reason};
}

struct rg_verdict rg_verdict_decide(const struct rg_case *c,
                                    const struct rg_outcome *outcome,
                                    uint64_t now, uint64_t random) {
  struct rg_verdict verdict = {.action = RG_ACTION_LEAVE};
  if (!rg_verdict_native_retries(c->retry, outcome, c->attempts))
    return verdict;
  if (!rg_layer_may_retry(c->layer, c->lineage)) return stop(RG_STOP_LAYER);
  if (outcome->pushback.kind == RG_PUSHBACK_STOP) return stop(RG_STOP_PUSHBACK);
  verdict.delay = rg_backoff_delay(c->backoff, c->retry, c->attempts - 1,
                                   outcome->pushback, random);
  if (!take(c, now, &verdict.token)) return stop(RG_STOP_BUDGET);
  verdict.action = RG_ACTION_RETRY;
  return verdict;
}
