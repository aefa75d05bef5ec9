/* SPDX-License-Identifier: Apache-2.0 */
#include "host/call.h"

#include <stddef.h>

static void count(RG_ATOMIC(uint64_t) * counter) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static struct rg_target_counters *counters(const struct rg_call *call) {
  return &call->target->counters;
}

void rg_call_begin(struct rg_call *call, struct rg_target *target,
                   const struct rg_ancestry *ancestry, bool retries_enabled) {
  *call =
      (struct rg_call){.target = target, .retries_enabled = retries_enabled};
  if (ancestry != NULL) call->ancestry = *ancestry;
}

void rg_call_bind(struct rg_call *call, const struct rg_method_policy *method,
                  uint64_t now) {
  call->method = method;
  if (method->policy.budgeted) call->budget = &call->target->budget;
  rg_target_adopt(call->target, method->number, &method->policy.budget, now);
}

void rg_call_add_ancestry(struct rg_call *call,
                          const struct rg_ancestry *ancestry) {
  call->ancestry = rg_layer_merge(call->ancestry, *ancestry);
}

void rg_call_commit(struct rg_call *call) { call->committed = true; }

static void hold_token(struct rg_call *call, struct rg_token token) {
  call->token = token;
  call->token_held = true;
  count(&counters(call)->tokens_outstanding);
}

static void let_token_go(struct rg_call *call) {
  call->token_held = false;
  atomic_fetch_sub_explicit(&counters(call)->tokens_outstanding, 1,
                            memory_order_relaxed);
}

/* gRPC has retries of its own that ask nobody: after perAttemptRecvTimeout, and
 * after an attempt that never got a connection. */
static bool decide_late(struct rg_call *call, uint64_t now,
                        enum rg_stop *reason) {
  struct rg_token token;
  *reason = RG_STOP_LAYER;
  bool may =
      rg_layer_may_retry(&call->method->policy.layer, call->ancestry.lineage);
  if (may) {
    *reason = RG_STOP_BUDGET;
    may = call->budget == NULL || rg_budget_take(call->budget, now, &token);
  }
  count(may ? &counters(call)->undecided_retries
            : &counters(call)->rejected_retries);
  if (!may) count(&counters(call)->stops[*reason]);
  return may;
}

static void choose_mark(struct rg_call *call, struct rg_admission *admission) {
  admission->mark_origin =
      rg_layer_outgoing(&call->method->policy.layer, &call->ancestry,
                        call->method->has_retry && call->retries_enabled,
                        call->attempts_begun, &admission->mark);
  if (admission->mark_origin == RG_MARK_MADE)
    count(&counters(call)->marks_made);
  else if (admission->mark_origin == RG_MARK_FORWARDED)
    count(&counters(call)->marks_forwarded);
}

/* Whether the attempt is a retry under retryPolicy, decided or not. */
static bool is_retry(const struct rg_call *call) {
  return call->attempts_begun > 0 || call->attempts_ended > 0;
}

static void count_attempt(struct rg_call *call, uint64_t now) {
  if (call->attempts_begun == 0) {
    count(&counters(call)->calls);
    rg_budget_call_began(&call->target->budget, now);
  } else {
    count(&counters(call)->retries);
  }
  count(&counters(call)->attempts);
  call->attempts_begun++;
}

/* gRPC's count knows of attempts that never got here; a transparent one among
 * them is over. Once committed, the entry may be the application's own,
 * forwarded from another call. */
static void learn_of_attempts(struct rg_call *call,
                              uint32_t previous_attempts) {
  if (!call->retries_enabled || call->committed) return;
  if (previous_attempts <= call->attempts_ended) return;
  call->attempts_ended = previous_attempts;
  call->transparent_next = false;
}

struct rg_admission rg_call_attempt_begin(struct rg_call *call,
                                          uint32_t previous_attempts,
                                          uint64_t now) {
  struct rg_admission admission = {.proceed = true};
  learn_of_attempts(call, previous_attempts);
  if (call->transparent_next) {
    call->transparent_next = false;
    count(&counters(call)->transparent_retries);
  } else {
    if (call->token_held)
      let_token_go(call);
    else if (is_retry(call))
      admission.proceed = decide_late(call, now, &admission.reason);
    if (!admission.proceed) return admission;
    count_attempt(call, now);
  }
  choose_mark(call, &admission);
  return admission;
}

struct rg_verdict rg_call_attempt_end(struct rg_call *call,
                                      const struct rg_outcome *outcome,
                                      uint64_t now, uint64_t random) {
  /* A report that comes late, of an attempt that gRPC has given up. */
  if (call->ended || call->token_held)
    return (struct rg_verdict){.action = RG_ACTION_LEAVE};
  struct rg_outcome seen = *outcome;
  seen.committed |= call->committed;
  if (rg_outcome_is_transparent(&seen, call->not_seen_before)) {
    if (seen.network == RG_NETWORK_NOT_SEEN) call->not_seen_before = true;
    call->transparent_next = true;
    return (struct rg_verdict){.action = RG_ACTION_LEAVE};
  }
  if (call->attempts_ended < UINT32_MAX) call->attempts_ended++;
  const struct rg_method_policy *method = call->method;
  struct rg_case c = {
      .retry =
          method->has_retry && call->retries_enabled ? &method->retry : NULL,
      .backoff = &method->policy.backoff,
      .layer = &method->policy.layer,
      .budget = call->budget,
      .lineage = call->ancestry.lineage,
      .attempts = call->attempts_ended,
  };
  struct rg_verdict verdict = rg_verdict_decide(&c, &seen, now, random);
  if (verdict.action == RG_ACTION_STOP)
    count(&counters(call)->stops[verdict.reason]);
  if (verdict.action == RG_ACTION_RETRY) hold_token(call, verdict.token);
  return verdict;
}

void rg_call_end(struct rg_call *call, uint32_t status, uint64_t now) {
  if (call->ended) return;
  call->ended = true;
  if (call->method == NULL) return;
  if (status == RG_STATUS_OK)
    rg_budget_call_succeeded(&call->target->budget, now);
  if (!call->token_held) return;
  let_token_go(call);
  if (call->budget != NULL) rg_budget_refund(call->budget, call->token);
}
