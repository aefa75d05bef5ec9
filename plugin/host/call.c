/* SPDX-License-Identifier: Apache-2.0 */
#include "host/call.h"

#include <stddef.h>

#include "core/num.h"
#include "host/call_breaker.h"
#include "host/hop.h"
#include "host/process.h"
#include "host/target_events.h"

/* What a call may cost in its arena. */
_Static_assert(sizeof(struct rg_call) <= 192, "a call has grown too large");

/* gRPC's clock counts milliseconds and is read once for a burst of events. */
#define CLOCKS_DIFFER_NS (20 * RG_NS_PER_MS)

static const struct rg_ancestry no_ancestry = {.lineage = RG_LINEAGE_UNMARKED};

/* Member by member: the mark, most of it, says nothing yet. */
static void let_through(struct rg_admission *admission) {
  admission->refusal = RG_REFUSED_NOT;
  admission->left_ns = 0;
  admission->deadline = RG_DEADLINE_NONE;
  admission->call_deadline = RG_DEADLINE_NONE;
  admission->send_key = false;
  admission->mark_origin = RG_MARK_NOT_SENT;
}

static void count(RG_ATOMIC(uint64_t) * counter) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static struct rg_target_counters *counters(const struct rg_call *call) {
  return &call->target->counters;
}

static const struct rg_policy *policy_of(const struct rg_call *call) {
  return &call->method->policy;
}

static bool in_shadow(const struct rg_call *call) {
  return policy_of(call)->mode == RG_MODE_SHADOW;
}

/* Whether gRPC may retry this call at all. */
static const struct rg_retry_policy *retry_of(const struct rg_call *call) {
  return call->method->has_retry && call->retries_enabled ? &call->method->retry
                                                          : NULL;
}

/* Whoever called us should not retry what failed down here. */
static void stop_caller(const struct rg_call *call) {
  if (call->hop != NULL)
    atomic_store_explicit(&call->hop->stop_caller, true, memory_order_relaxed);
}

void rg_call_begin(struct rg_call *call, struct rg_target *target,
                   struct retry_guard_hop *hop, bool retries_enabled) {
  *call = (struct rg_call){
      .target = target,
      .hop = hop,
      .ancestry = hop != NULL ? &hop->ancestry : &no_ancestry,
      .deadline = RG_DEADLINE_NONE,
      .retries_enabled = retries_enabled,
  };
}

void rg_call_name(struct rg_call *call, const char *path, size_t length) {
  call->key = rg_breakers_key(path, length);
}

void rg_call_set_ancestry(struct rg_call *call,
                          const struct rg_ancestry *ancestry) {
  call->ancestry = ancestry;
}

void rg_call_commit(struct rg_call *call) { call->committed = true; }

void rg_call_compress(struct rg_call *call) { call->compressed = true; }

void rg_call_bind(struct rg_call *call, const struct rg_method_policy *method,
                  uint64_t deadline, uint64_t now) {
  call->method = method;
  call->deadline = deadline;
  if (method->policy.budgeted) call->budget = &call->target->budget;
  rg_target_adopt(call->target, method->number, &method->policy, now);
  if (rg_amplification_alarmed(&call->target->amplification))
    rg_target_watch(call->target, now);
}

/* ---- The breaker -------------------------------------------------------- */

RG_SELDOM void rg_call_admit(struct rg_call *call, uint64_t now,
                             struct rg_admission *admission) {
  let_through(admission);
  if (!rg_call_breaker_refuses(call, NULL, &call->breaker, &call->permit,
                               &admission->left_ns, now))
    return;
  rg_target_breaker_rejected(call->target, call->breaker);
  stop_caller(call);
  call->refused = true;
  admission->refusal = RG_REFUSED_BREAKER;
}

RG_SELDOM static void note_rejected(const struct rg_call *call,
                                    struct rg_breaker *breaker) {
  rg_target_breaker_rejected(call->target, breaker);
  if (!in_shadow(call)) stop_caller(call);
}

/* A probe's place that the call got at its beginning goes to its first attempt;
 * other permits are worth nothing more than a new one. */
static bool breaker_refuses(struct rg_call *call, struct rg_attempt *attempt,
                            const struct rg_attempt_facts *facts,
                            uint64_t *left_ns, uint64_t now) {
  struct rg_permit permit = call->permit;
  call->permit.held = false;
  if (permit.held && permit.place > 0) {
    attempt->breaker = call->breaker;
    attempt->permit = permit;
    return false;
  }
  if (!rg_call_breaker_refuses(call, facts->backend, &attempt->breaker,
                               &attempt->permit, left_ns, now))
    return false;
  note_rejected(call, attempt->breaker);
  return true;
}

/* ---- Tokens ------------------------------------------------------------- */

static void hold_token(struct rg_call *call, struct rg_token token) {
  call->token = token;
  call->token_held = true;
  count(&counters(call)->tokens_outstanding);
  rg_target_budget_paid(call->target);
}

static void count_stop(struct rg_call *call, enum rg_stop reason) {
  count(&counters(call)->stops[reason]);
  if (reason == RG_STOP_BUDGET) rg_target_budget_refused(call->target);
}

static void let_token_go(struct rg_call *call) {
  call->token_held = false;
  atomic_fetch_sub_explicit(&counters(call)->tokens_outstanding, 1,
                            memory_order_relaxed);
}

RG_SELDOM static void refund(struct rg_call *call) {
  let_token_go(call);
  if (call->budget != NULL) rg_budget_refund(call->budget, call->token);
}

static void give_token_back(struct rg_call *call) {
  if (call->token_held) refund(call);
}

/* ---- An attempt begins -------------------------------------------------- */

/* gRPC's deadline for the call, or the earlier one that its hop leaves it.
 * Inherited through gRPC the two are the same, but were put on this clock at
 * different moments: so small a difference is none, and needs no timer. */
static uint64_t deadline_of(const struct rg_call *call) {
  if (call->hop == NULL) return call->deadline;
  const struct rg_deadline_policy *policy = &policy_of(call)->deadline;
  uint64_t bounded =
      rg_deadline_of_child(policy, call->hop->deadline, call->deadline);
  bool same = policy->hop_margin_ns == 0 &&
              rg_num_add(bounded, CLOCKS_DIFFER_NS) >= call->deadline;
  return same ? call->deadline : bounded;
}

static struct rg_case case_of(const struct rg_call *call,
                              const struct rg_breaker *breaker) {
  const struct rg_policy *policy = policy_of(call);
  return (struct rg_case){
      .retry = retry_of(call),
      .backoff = &policy->backoff,
      .layer = &policy->layer,
      .deadline = &policy->deadline,
      .breaker = breaker,
      .budget = call->budget,
      .lineage = call->ancestry->lineage,
      .safe = rg_idempotency_safe(&policy->idempotency, call->has_own_key),
      .compressed = call->compressed,
      .attempts = call->attempts_ended,
      .call_deadline = deadline_of(call),
      .typical_attempt_ns = atomic_load_explicit(
          &call->target->typical_attempt_ns, memory_order_relaxed),
  };
}

/* Whether the attempt is a retry under retryPolicy, decided or not. */
static bool is_retry(const struct rg_call *call) {
  return call->attempts_begun > 0 || call->attempts_ended > 0;
}

/* gRPC has retries of its own that ask nobody: after perAttemptRecvTimeout, and
 * after an attempt that never got a connection. */
RG_SELDOM static bool late_retry_refused(struct rg_call *call, uint64_t now,
                                         enum rg_stop *reason) {
  struct rg_case c = case_of(call, NULL);
  struct rg_token token = {0};
  if (rg_verdict_admit(&c, now, &token, reason)) {
    hold_token(call, token);
    return false;
  }
  count(&counters(call)->rejected_retries);
  count_stop(call, *reason);
  return true;
}

static bool too_late_to_start(struct rg_call *call, uint64_t deadline,
                              uint64_t now) {
  if (is_retry(call) ||
      rg_deadline_worth_starting(&policy_of(call)->deadline, deadline, now))
    return false;
  count(&counters(call)->refused_remaining);
  return true;
}

/* Everything that may refuse an attempt, in order. */
static enum rg_refusal refuse(struct rg_call *call, struct rg_attempt *attempt,
                              const struct rg_attempt_facts *facts,
                              uint64_t deadline, struct rg_admission *admission,
                              uint64_t now) {
  bool is_new = !call->transparent_next;
  bool is_late = is_new && is_retry(call) && !call->token_held;
  if (is_new && too_late_to_start(call, deadline, now))
    return RG_REFUSED_REMAINING;
  if (is_late && late_retry_refused(call, now, &admission->stop))
    return RG_REFUSED_RETRY;
  if (breaker_refuses(call, attempt, facts, &admission->left_ns, now))
    return RG_REFUSED_BREAKER;
  if (is_late) count(&counters(call)->undecided_retries);
  return RG_REFUSED_NOT;
}

static enum rg_attempt_kind begin_attempt(struct rg_call *call, uint64_t now) {
  if (call->transparent_next) {
    call->transparent_next = false;
    return RG_ATTEMPT_TRANSPARENT;
  }
  if (call->token_held) let_token_go(call);
  if (call->attempts_begun++ > 0) return RG_ATTEMPT_RETRY;
  rg_budget_call_began(&call->target->budget, now);
  return RG_ATTEMPT_FIRST;
}

static void choose_mark(struct rg_call *call, struct rg_admission *admission) {
  admission->mark_origin = rg_layer_outgoing(
      &policy_of(call)->layer, call->ancestry, retry_of(call) != NULL,
      call->attempts_begun, &admission->mark);
  if (admission->mark_origin == RG_MARK_NOT_SENT &&
      call->ancestry->lineage == RG_LINEAGE_MARKED &&
      !policy_of(call)->layer.disabled)
    count(&rg_process_counters.marks_rejected); /* too many hops */
}

static void choose_key(struct rg_call *call, struct rg_admission *admission,
                       const uint64_t random[2]) {
  if (policy_of(call)->idempotency.mode != RG_IDEMPOTENCY_GENERATE ||
      call->has_own_key || retry_of(call) == NULL)
    return;
  admission->send_key = true;
  if ((call->key_random[0] | call->key_random[1]) != 0) return;
  call->key_random[0] = random[0];
  call->key_random[1] = random[1];
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

/* What gRPC does not see to itself. */
static uint64_t unless_grpcs(const struct rg_call *call, uint64_t deadline) {
  return deadline < call->deadline ? deadline : RG_DEADLINE_NONE;
}

static void set_deadlines(const struct rg_call *call, uint64_t deadline,
                          struct rg_admission *admission, uint64_t now) {
  admission->call_deadline = unless_grpcs(call, deadline);
  admission->deadline = unless_grpcs(
      call, rg_deadline_of_attempt(&policy_of(call)->deadline, deadline, now));
}

/* In shadow nothing is refused or added. From where the call would have ended,
 * its attempts are none of the guard's. */
RG_SELDOM static void pretend(struct rg_call *call, struct rg_attempt *attempt,
                              struct rg_admission *admission) {
  if (admission->refusal != RG_REFUSED_NOT) {
    call->stopped = true;
    attempt->permit.held = false;
  }
  let_through(admission);
}

void rg_call_attempt_begin(struct rg_call *call, struct rg_attempt *attempt,
                           const struct rg_attempt_facts *facts, uint64_t now,
                           const uint64_t random[2],
                           struct rg_admission *admission) {
  let_through(admission);
  if (call->stopped) return;
  if (call->attempts_begun == 0) call->has_own_key = facts->has_own_key;
  learn_of_attempts(call, facts->previous_attempts);
  uint64_t deadline = deadline_of(call);
  admission->refusal = refuse(call, attempt, facts, deadline, admission, now);
  if (admission->refusal == RG_REFUSED_NOT) {
    enum rg_attempt_kind kind = begin_attempt(call, now);
    attempt->number = call->attempts_begun;
    attempt->backend = facts->backend;
    attempt->began = now;
    set_deadlines(call, deadline, admission, now);
    choose_mark(call, admission);
    rg_attempt_counts_add(&call->target->attempts, kind,
                          admission->mark_origin);
    choose_key(call, admission, random);
  } else {
    call->refused = true;
    give_token_back(call);
  }
  if (in_shadow(call)) pretend(call, attempt, admission);
}

/* ---- An attempt ends ---------------------------------------------------- */

static void learn_time(struct rg_call *call, const struct rg_attempt *attempt,
                       uint64_t now) {
  if (!policy_of(call)->deadline.adaptive) return;
  RG_ATOMIC(uint64_t) *typical = &call->target->typical_attempt_ns;
  uint64_t before = atomic_load_explicit(typical, memory_order_relaxed);
  uint64_t after = rg_deadline_smooth(before, rg_num_sub(now, attempt->began));
  atomic_store_explicit(typical, after, memory_order_relaxed);
}

static void settle_attempt(struct rg_call *call, struct rg_attempt *attempt,
                           const struct rg_outcome *outcome, uint64_t now,
                           uint64_t random) {
  attempt->ended = true;
  enum rg_result result =
      rg_outcome_result(outcome, policy_of(call)->breaker.failure_codes);
  rg_call_breaker_settle(call, attempt->breaker, attempt->backend,
                         &attempt->permit, result, now, random);
  if (result == RG_RESULT_SUCCESS) learn_time(call, attempt, now);
}

/* The call fails for good. The caller's retries would meet the same: where each
 * layer retries by itself, where a server asked for none, and where a breaker
 * is open. A retry left to the layer that owns retries is no reason. */
static void tell_caller(struct rg_call *call, const struct rg_outcome *outcome,
                        const struct rg_verdict *verdict) {
  bool stopped = verdict->action == RG_ACTION_STOP;
  if (verdict->action == RG_ACTION_RETRY) return;
  bool gave_up = policy_of(call)->layer.mode == RG_LAYER_INNERMOST &&
                 !(stopped && verdict->reason == RG_STOP_LAYER) &&
                 rg_verdict_native_retries(retry_of(call), outcome, 0);
  if (gave_up || outcome->pushback.kind == RG_PUSHBACK_STOP ||
      (stopped && verdict->reason == RG_STOP_BREAKER))
    stop_caller(call);
}

RG_SELDOM static struct rg_verdict judge(struct rg_call *call,
                                         const struct rg_attempt *attempt,
                                         const struct rg_outcome *outcome,
                                         uint64_t now, uint64_t random) {
  struct rg_verdict verdict = {.action = RG_ACTION_LEAVE};
  struct rg_outcome seen = *outcome;
  seen.committed |= call->committed;
  if (rg_outcome_is_transparent(&seen, call->not_seen_before)) {
    if (seen.network == RG_NETWORK_NOT_SEEN) call->not_seen_before = true;
    call->transparent_next = true;
    return verdict;
  }
  if (call->attempts_ended < UINT32_MAX) call->attempts_ended++;
  struct rg_case c = case_of(call, attempt->breaker);
  verdict = rg_verdict_decide(&c, &seen, now, random);
  if (verdict.action == RG_ACTION_STOP) count_stop(call, verdict.reason);
  if (verdict.action == RG_ACTION_RETRY) {
    hold_token(call, verdict.token);
    rg_delays_add(&call->target->delays, verdict.delay.ms);
    rg_target_watch(call->target, now);
  }
  if (in_shadow(call)) {
    call->stopped = verdict.action == RG_ACTION_STOP;
    return (struct rg_verdict){.action = RG_ACTION_LEAVE};
  }
  tell_caller(call, &seen, &verdict);
  return verdict;
}

struct rg_verdict rg_call_attempt_end(struct rg_call *call,
                                      struct rg_attempt *attempt,
                                      const struct rg_outcome *outcome,
                                      uint64_t now, uint64_t random) {
  static const struct rg_verdict leave = {.action = RG_ACTION_LEAVE};
  if (attempt->number == 0 || attempt->ended) return leave;
  bool is_current = rg_call_is_current(call, attempt);
  settle_attempt(call, attempt, outcome, now, random);
  /* A report that comes late, of an attempt that gRPC has given up. */
  if (!is_current || call->ended || call->token_held) return leave;
  if (outcome->status != RG_STATUS_OK)
    return judge(call, attempt, outcome, now, random);
  rg_call_end(call, RG_STATUS_OK, now, random);
  return leave;
}

void rg_call_attempt_drop(struct rg_call *call, struct rg_attempt *attempt,
                          uint64_t now) {
  if (!rg_attempt_is_open(attempt)) return;
  attempt->ended = true;
  rg_call_breaker_settle(call, attempt->breaker, attempt->backend,
                         &attempt->permit, RG_RESULT_NEUTRAL, now, 0);
}

/* ---- The call ends ------------------------------------------------------ */

/* A call without any attempt: its target refused connections or had no address,
 * which no attempt could tell the breaker; or it was given up while it waited,
 * or refused here, which says nothing. */
RG_SELDOM static void settle_without_attempt(struct rg_call *call,
                                             uint32_t status, uint64_t now,
                                             uint64_t random) {
  uint64_t left_ns;
  bool failed = status == RG_STATUS_UNAVAILABLE && !call->refused;
  if (failed && !call->permit.held && call->method != NULL)
    rg_call_breaker_refuses(call, NULL, &call->breaker, &call->permit, &left_ns,
                            now);
  rg_call_breaker_settle(call, call->breaker, NULL, &call->permit,
                         failed ? RG_RESULT_FAILURE : RG_RESULT_NEUTRAL, now,
                         random);
}

void rg_call_end(struct rg_call *call, uint32_t status, uint64_t now,
                 uint64_t random) {
  if (call->ended) return;
  call->ended = true;
  if (call->attempts_begun == 0)
    settle_without_attempt(call, status, now, random);
  if (call->method == NULL) return;
  if (status == RG_STATUS_OK && !call->stopped)
    rg_budget_call_succeeded(&call->target->budget, now);
  give_token_back(call);
}

void rg_call_key(const struct rg_call *call, char key[RG_KEY_LENGTH + 1]) {
  rg_idempotency_key(call->key_random[0], call->key_random[1], key);
}
