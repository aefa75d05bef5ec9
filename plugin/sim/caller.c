/* SPDX-License-Identifier: Apache-2.0 */
#include "core/num.h"
#include "sim/loop.h"
#include "sim/parts.h"

/* An appointment of a step holds until the step or the try is over. */
#define STEPS_PER_SERIAL 64

static uint32_t step_serial(const struct rg_sim_call *call) {
  return call->pooled.serial * STEPS_PER_SERIAL + call->step;
}

static struct rg_tier *tier_of(const struct rg_sim_fleet *fleet,
                               const struct rg_sim_call *call) {
  return &fleet->tiers[call->process->tier];
}

static const struct rg_method *method_of(const struct rg_sim_fleet *fleet,
                                         const struct rg_sim_call *call) {
  return &tier_of(fleet, call)->method;
}

static bool is_guarded(const struct rg_sim_call *call) {
  return call->process->target != NULL;
}

static uint64_t bits(struct rg_sim_fleet *fleet) {
  return rg_dice_bits(&fleet->dice);
}

static void begin_try(struct rg_sim_fleet *fleet, struct rg_sim_call *call);
static void begin_attempt(struct rg_sim_fleet *fleet, struct rg_sim_call *call);

/* ---- The application's call ---------------------------------------------- */

static void record_end(struct rg_sim_fleet *fleet, uint32_t status) {
  bool ok = status == RG_STATUS_OK;
  struct rg_slice *slice =
      rg_record_at(&fleet->run->record, rg_fleet_time(fleet));
  if (ok)
    slice->ok++;
  else
    slice->failed++;
  fleet->run->last_end = rg_fleet_time(fleet);
  if (!rg_fleet_counts(fleet)) return;
  if (ok)
    fleet->run->totals.ok++;
  else
    fleet->run->totals.failed++;
}

static void record_begin(struct rg_sim_fleet *fleet) {
  rg_record_at(&fleet->run->record, rg_fleet_time(fleet))->calls++;
  if (rg_fleet_counts(fleet)) fleet->run->totals.calls++;
}

static void end_call(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                     uint32_t status) {
  struct rg_job *parent = call->parent;
  call->process->calls_out--;
  if (call->process->is_client) record_end(fleet, status);
  rg_pool_give(&fleet->calls, call);
  if (parent != NULL) rg_server_child_ended(fleet, parent, status);
}

void rg_caller_begin(struct rg_sim_fleet *fleet, struct rg_process *process,
                     struct rg_job *parent, uint64_t app_deadline) {
  struct rg_sim_call *call = rg_pool_take(&fleet->calls);
  if (call == NULL) {
    fleet->failed = true;
    return;
  }
  call->process = process;
  call->parent = parent;
  call->app_deadline = app_deadline;
  process->calls_out++;
  if (parent != NULL) parent->child = call;
  if (process->is_client) record_begin(fleet);
  begin_try(fleet, call);
}

/* ---- The loop around it -------------------------------------------------- */

static void next_try(struct rg_sim_fleet *fleet, void *subject,
                     uint32_t serial) {
  struct rg_sim_call *call = subject;
  if (step_serial(call) == serial) begin_try(fleet, call);
}

/* Whether the application calls once more. */
static bool loop_goes_on(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                         uint32_t status) {
  const struct rg_variant_spec *variant = fleet->variant;
  if (!variant->has_loop || status == RG_STATUS_OK) return false;
  if (call->tries >= variant->loop.attempts) return false;
  uint64_t at = rg_num_add(
      fleet->now,
      rg_loop_pause_ns(&variant->loop, call->tries - 1, &fleet->dice));
  if (at >= call->app_deadline) return false;
  rg_fleet_plan(fleet, at, next_try, call, step_serial(call));
  return true;
}

/* ---- A gRPC call --------------------------------------------------------- */

static void bind(struct rg_sim_fleet *fleet, struct rg_sim_call *call) {
  if (call->guard.method != NULL) return;
  rg_call_bind(&call->guard, &method_of(fleet, call)->policy, call->deadline,
               fleet->now);
  call->process->knows_policy = true;
}

static void end_try(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                    uint32_t status) {
  if (is_guarded(call)) {
    if (!call->guard.refused) bind(fleet, call);
    rg_call_end(&call->guard, status, fleet->now, bits(fleet));
  }
  call->pooled.serial++;
  call->step = 0;
  if (!loop_goes_on(fleet, call, status)) end_call(fleet, call, status);
}

static void note_rejection(struct rg_sim_fleet *fleet) {
  if (rg_fleet_counts(fleet)) fleet->run->totals.rejections++;
}

static void give_up_attempt(struct rg_sim_fleet *fleet,
                            struct rg_sim_call *call) {
  struct rg_job *job = call->job;
  call->job = NULL;
  if (job != NULL) rg_server_abandon(fleet, job);
}

static struct rg_outcome outcome_of(uint32_t status,
                                    struct rg_pushback pushback) {
  return (struct rg_outcome){
      .status = status,
      .committed = status == RG_STATUS_OK,
      .pushback = pushback,
  };
}

static const struct rg_pushback no_pushback = {.kind = RG_PUSHBACK_ABSENT};

/* What ends an attempt with the call costs a token of gRPC's throttling, too:
 * gRPC sees only afterwards that nothing may follow. */
static void charge_native(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                          uint32_t status) {
  uint64_t unused;
  if (call->job == NULL) return;
  rg_native_attempt_ended(&call->retries, &call->process->throttle,
                          method_of(fleet, call)->retry, status, no_pushback,
                          &fleet->dice, &unused);
}

/* gRPC's own deadline ends the attempt, and the call with it. */
static void deadline_passed(struct rg_sim_fleet *fleet, void *subject,
                            uint32_t serial) {
  struct rg_sim_call *call = subject;
  if (call->pooled.serial != serial) return;
  charge_native(fleet, call, RG_STATUS_DEADLINE_EXCEEDED);
  give_up_attempt(fleet, call);
  struct rg_outcome outcome =
      outcome_of(RG_STATUS_DEADLINE_EXCEEDED, no_pushback);
  if (is_guarded(call))
    rg_call_attempt_end(&call->guard, &call->attempt, &outcome, fleet->now,
                        bits(fleet));
  end_try(fleet, call, RG_STATUS_DEADLINE_EXCEEDED);
}

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t deadline_of(const struct rg_sim_fleet *fleet,
                            const struct rg_sim_call *call) {
  uint64_t deadline =
      earlier(call->app_deadline,
              rg_num_add(fleet->now, method_of(fleet, call)->timeout_ns));
  if (fleet->variant->has_loop)
    deadline = earlier(deadline,
                       rg_num_add(fleet->now, fleet->variant->loop.attempt_ns));
  return deadline;
}

/* The breaker may refuse before gRPC does anything. */
static bool guard_refuses(struct rg_sim_fleet *fleet,
                          struct rg_sim_call *call) {
  const struct rg_method *method = method_of(fleet, call);
  struct retry_guard_hop *hop =
      call->parent != NULL ? &call->parent->hop : NULL;
  rg_call_begin(&call->guard, call->process->target, hop, true);
  rg_call_name(&call->guard, method->path, method->path_length);
  if (!call->process->knows_policy) return false;
  struct rg_admission admission;
  rg_call_admit(&call->guard, fleet->now, &admission);
  return admission.refusal != RG_REFUSED_NOT;
}

static void begin_try(struct rg_sim_fleet *fleet, struct rg_sim_call *call) {
  call->pooled.serial++;
  call->tries++;
  call->retries = (struct rg_native_retries){0};
  call->attempt = (struct rg_attempt){0};
  call->deadline = deadline_of(fleet, call);
  if (call->deadline != RG_NEVER)
    rg_fleet_plan(fleet, call->deadline, deadline_passed, call,
                  call->pooled.serial);
  if (is_guarded(call) && guard_refuses(fleet, call)) {
    note_rejection(fleet);
    end_try(fleet, call, RG_STATUS_UNAVAILABLE);
    return;
  }
  begin_attempt(fleet, call);
}

/* ---- An attempt ---------------------------------------------------------- */

static void retry_is_due(struct rg_sim_fleet *fleet, void *subject,
                         uint32_t serial) {
  struct rg_sim_call *call = subject;
  if (step_serial(call) == serial) begin_attempt(fleet, call);
}

static void go_on_natively(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                           uint32_t status, struct rg_pushback pushback) {
  uint64_t delay_ns;
  if (rg_native_attempt_ended(&call->retries, &call->process->throttle,
                              method_of(fleet, call)->retry, status, pushback,
                              &fleet->dice, &delay_ns))
    rg_fleet_plan(fleet, rg_num_add(fleet->now, delay_ns), retry_is_due, call,
                  step_serial(call));
  else
    end_try(fleet, call, status);
}

/* What the verdict writes into the answer, as the attempt filter does. */
static struct rg_pushback pushback_after(const struct rg_verdict *verdict,
                                         struct rg_pushback servers) {
  if (verdict->action == RG_ACTION_STOP)
    return (struct rg_pushback){.kind = RG_PUSHBACK_STOP};
  if (verdict->action == RG_ACTION_RETRY && !verdict->delay.native)
    return (struct rg_pushback){.kind = RG_PUSHBACK_DELAY,
                                .delay_ms = verdict->delay.ms};
  return servers;
}

static void end_attempt(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                        uint32_t status, struct rg_pushback pushback) {
  call->step++;
  if (is_guarded(call)) {
    struct rg_outcome outcome = outcome_of(status, pushback);
    struct rg_verdict verdict = rg_call_attempt_end(
        &call->guard, &call->attempt, &outcome, fleet->now, bits(fleet));
    pushback = pushback_after(&verdict, pushback);
  }
  go_on_natively(fleet, call, status, pushback);
}

void rg_caller_answered(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                        const struct rg_job *job) {
  struct rg_pushback pushback = no_pushback;
  if (job->stops_caller) pushback.kind = RG_PUSHBACK_STOP;
  call->job = NULL;
  end_attempt(fleet, call, job->status, pushback);
}

static void attempt_timed_out(struct rg_sim_fleet *fleet, void *subject,
                              uint32_t serial) {
  struct rg_sim_call *call = subject;
  if (step_serial(call) != serial) return;
  give_up_attempt(fleet, call);
  end_attempt(fleet, call, RG_STATUS_DEADLINE_EXCEEDED, no_pushback);
}

static bool is_connected(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                         uint32_t number) {
  return rg_connection_is_up(&call->process->connections[number],
                             &tier_of(fleet, call)->instances[number].listening,
                             &fleet->dice, fleet->now);
}

/* One of `count` instances that the process is connected to, each as likely as
 * the others; RG_NO_LIMIT: there is none. */
static uint32_t pick_connected(struct rg_sim_fleet *fleet,
                               struct rg_sim_call *call, uint32_t count) {
  uint32_t connected = 0;
  for (uint32_t i = 0; i < count; i++)
    if (is_connected(fleet, call, i)) connected++;
  if (connected == 0) return RG_NO_LIMIT;
  uint32_t left = rg_dice_pick(&fleet->dice, connected);
  for (uint32_t i = 0;; i++)
    if (is_connected(fleet, call, i) && left-- == 0) return i;
}

/* One of the instances that the process is connected to; NULL: none. */
static struct rg_instance *pick(struct rg_sim_fleet *fleet,
                                struct rg_sim_call *call) {
  struct rg_tier *tier = tier_of(fleet, call);
  uint32_t count = tier->spec->instances;
  uint32_t number = count > 1 ? rg_dice_pick(&fleet->dice, count) : 0;
  if (!is_connected(fleet, call, number))
    number = count > 1 ? pick_connected(fleet, call, count) : RG_NO_LIMIT;
  return number != RG_NO_LIMIT ? &tier->instances[number] : NULL;
}

/* True when the guard let it through; what it says is in `admission`. All calls
 * carry an idempotency key. */
static bool guard_admits(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                         const struct rg_instance *instance,
                         struct rg_admission *admission) {
  const struct rg_attempt_facts facts = {
      .previous_attempts = call->retries.attempts,
      .backend = &instance->backend,
      .has_own_key = true,
  };
  const uint64_t random[2] = {bits(fleet), bits(fleet)};
  bind(fleet, call);
  call->attempt = (struct rg_attempt){0};
  rg_call_attempt_begin(&call->guard, &call->attempt, &facts, fleet->now,
                        random, admission);
  return admission->refusal == RG_REFUSED_NOT;
}

static void send(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                 struct rg_instance *instance,
                 const struct rg_admission *admission) {
  call->attempts++;
  if (call->attempts > 1 && rg_fleet_counts(fleet))
    fleet->run->totals.retries++;
  rg_server_send(fleet, call, instance, admission);
  if (admission != NULL && admission->deadline != RG_DEADLINE_NONE)
    rg_fleet_plan(fleet, admission->deadline, attempt_timed_out, call,
                  step_serial(call));
}

/* gRPC retries an attempt that found no connection, and asks nobody. */
static void begin_attempt(struct rg_sim_fleet *fleet,
                          struct rg_sim_call *call) {
  struct rg_instance *instance = pick(fleet, call);
  struct rg_admission admission;
  if (instance == NULL) {
    call->step++;
    go_on_natively(fleet, call, RG_STATUS_UNAVAILABLE, no_pushback);
  } else if (!is_guarded(call)) {
    send(fleet, call, instance, NULL);
  } else if (guard_admits(fleet, call, instance, &admission)) {
    send(fleet, call, instance, &admission);
  } else {
    if (admission.refusal == RG_REFUSED_BREAKER) note_rejection(fleet);
    end_try(fleet, call,
            admission.refusal == RG_REFUSED_REMAINING
                ? RG_STATUS_DEADLINE_EXCEEDED
                : RG_STATUS_UNAVAILABLE);
  }
}

void rg_caller_cancel(struct rg_sim_fleet *fleet, struct rg_sim_call *call) {
  charge_native(fleet, call, RG_STATUS_CANCELLED);
  give_up_attempt(fleet, call);
  if (is_guarded(call)) {
    rg_call_attempt_drop(&call->guard, &call->attempt, fleet->now);
    rg_call_end(&call->guard, RG_STATUS_CANCELLED, fleet->now, bits(fleet));
  }
  call->process->calls_out--;
  rg_pool_give(&fleet->calls, call);
}
