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

/* The reasons that need no delay, in order; RG_STOP_COUNT: none holds. */
static enum rg_stop reason_against(const struct rg_case *c,
                                   enum rg_pushback_kind pushback,
                                   uint64_t now) {
  if (!rg_layer_may_retry(c->layer, c->lineage)) return RG_STOP_LAYER;
  if (!c->safe) return RG_STOP_UNSAFE;
  if (c->compressed) return RG_STOP_COMPRESSED;
  if (pushback == RG_PUSHBACK_STOP) return RG_STOP_PUSHBACK;
  if (c->breaker != NULL && rg_breaker_rejects(c->breaker, now))
    return RG_STOP_BREAKER;
  return RG_STOP_COUNT;
}

static struct rg_verdict stop(enum rg_stop reason) {
  return (struct rg_verdict){.action = RG_ACTION_STOP, .reason = reason};
}

bool rg_verdict_admit(const struct rg_case *c, uint64_t now,
                      struct rg_token *token, enum rg_stop *reason) {
  *reason = reason_against(c, RG_PUSHBACK_ABSENT, now);
  if (*reason != RG_STOP_COUNT) return false;
  *reason = RG_STOP_BUDGET;
  return take(c, now, token);
}

struct rg_verdict rg_verdict_decide(const struct rg_case *c,
                                    const struct rg_outcome *outcome,
                                    uint64_t now, uint64_t random) {
  if (!rg_verdict_native_retries(c->retry, outcome, c->attempts))
    return (struct rg_verdict){.action = RG_ACTION_LEAVE};
  enum rg_stop reason = reason_against(c, outcome->pushback.kind, now);
  if (reason != RG_STOP_COUNT) return stop(reason);
  struct rg_delay delay = rg_backoff_delay(
      c->backoff, c->retry, c->attempts - 1, outcome->pushback, random);
  if (!rg_deadline_fits(c->deadline, c->call_deadline, delay.ms,
                        c->typical_attempt_ns, now))
    return stop(RG_STOP_DEADLINE);
  struct rg_token token = {0};
  if (!take(c, now, &token)) return stop(RG_STOP_BUDGET);
  return (struct rg_verdict){
      .action = RG_ACTION_RETRY, .delay = delay, .token = token};
}
