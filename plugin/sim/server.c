/* SPDX-License-Identifier: Apache-2.0 */
#include "core/num.h"
#include "sim/parts.h"

static void next_step(struct rg_sim_fleet *fleet, struct rg_job *job);

static bool is_paused(const struct rg_instance *instance) {
  return instance->paused_since != RG_NEVER;
}

/* ---- The answer ---------------------------------------------------------- */

static void answer_arrives(struct rg_sim_fleet *fleet, void *subject,
                           uint32_t serial) {
  struct rg_job *job = subject;
  if (job->pooled.serial != serial) return;
  if (job->call != NULL) rg_caller_answered(fleet, job->call, job);
  rg_pool_give(&fleet->jobs, job);
}

/* The job is nowhere in the instance any more. */
static void answer(struct rg_sim_fleet *fleet, struct rg_job *job,
                   uint32_t status) {
  job->status = status;
  job->stops_caller =
      fleet->has_plugin && status != RG_STATUS_OK &&
      atomic_load_explicit(&job->hop.stop_caller, memory_order_relaxed);
  job->pooled.serial++; /* what was planned for it is off */
  if (job->call == NULL)
    rg_pool_give(&fleet->jobs, job);
  else
    rg_fleet_plan(fleet, fleet->now + fleet->scenario->latency_ns,
                  answer_arrives, job, job->pooled.serial);
}

/* ---- The queue and the workers ------------------------------------------- */

static void append(struct rg_instance *instance, struct rg_job *job) {
  job->previous = instance->last;
  job->next = NULL;
  if (instance->last != NULL)
    instance->last->next = job;
  else
    instance->first = job;
  instance->last = job;
  instance->waiting++;
}

static struct rg_job *take_first(struct rg_instance *instance) {
  struct rg_job *job = instance->first;
  if (job == NULL) return NULL;
  instance->first = job->next;
  if (job->next != NULL)
    job->next->previous = NULL;
  else
    instance->last = NULL;
  instance->waiting--;
  return job;
}

static void put_to_work(struct rg_instance *instance, struct rg_job *job) {
  job->previous = NULL;
  job->next = instance->in_work;
  if (job->next != NULL) job->next->previous = job;
  instance->in_work = job;
  instance->busy++;
}

static void take_from_work(struct rg_instance *instance, struct rg_job *job) {
  if (job->previous != NULL)
    job->previous->next = job->next;
  else
    instance->in_work = job->next;
  if (job->next != NULL) job->next->previous = job->previous;
  instance->busy--;
}

/* How many times as long as usual work takes now. */
static double slowness(const struct rg_sim_fleet *fleet,
                       const struct rg_instance *instance) {
  const struct rg_incident_spec *slow = instance->slowed_by;
  if (slow == NULL) return 1;
  if (!slow->easing) return slow->factor;
  double passed = (double)rg_num_sub(fleet->now, instance->slowed_at) /
                  (double)slow->lasts_ns;
  return 1 + (slow->factor - 1) * (passed < 1 ? 1 - passed : 0);
}

static uint64_t draw_work(struct rg_sim_fleet *fleet,
                          const struct rg_instance *instance) {
  const struct rg_tier_spec *spec = instance->tier->spec;
  double mean = (double)spec->service_ns * slowness(fleet, instance);
  return spec->is_constant ? (uint64_t)mean
                           : rg_dice_exponential(&fleet->dice, mean);
}

/* Work that a pause has made longer; true: it is not done yet. A pause that has
 * grown since it was seen was not seen whole: `lost` is below 0 then, and says
 * how much of what passed in this pause counts already. */
static bool lost_time(struct rg_sim_fleet *fleet, struct rg_job *job,
                      uint64_t *done_at) {
  struct rg_instance *instance = job->instance;
  uint64_t lost = instance->paused_ns - job->paused_seen;
  if (is_paused(instance)) {
    uint64_t left = rg_num_sub(fleet->now, instance->paused_since);
    *done_at = instance->paused_until + left + lost;
    job->paused_seen =
        instance->paused_ns + instance->paused_until - instance->paused_since;
    return true;
  }
  *done_at = fleet->now + lost;
  job->paused_seen = instance->paused_ns;
  return lost > 0;
}

static void work_is_done(struct rg_sim_fleet *fleet, void *subject,
                         uint32_t serial) {
  struct rg_job *job = subject;
  uint64_t done_at;
  if (job->pooled.serial != serial) return;
  if (lost_time(fleet, job, &done_at))
    rg_fleet_plan(fleet, done_at, work_is_done, job, serial);
  else
    next_step(fleet, job);
}

static void begin_work(struct rg_sim_fleet *fleet, struct rg_job *job) {
  struct rg_instance *instance = job->instance;
  put_to_work(instance, job);
  job->paused_seen = instance->paused_ns;
  rg_fleet_plan(fleet, fleet->now + draw_work(fleet, instance), work_is_done,
                job, job->pooled.serial);
}

static void begin_waiting_work(struct rg_sim_fleet *fleet,
                               struct rg_instance *instance) {
  while (instance->busy < instance->tier->spec->workers &&
         !is_paused(instance)) {
    struct rg_job *job = take_first(instance);
    if (job == NULL) break;
    if (job->call == NULL && instance->tier->spec->drops_abandoned)
      rg_pool_give(&fleet->jobs, job);
    else
      begin_work(fleet, job);
  }
}

static void finish(struct rg_sim_fleet *fleet, struct rg_job *job,
                   uint32_t status) {
  struct rg_instance *instance = job->instance;
  take_from_work(instance, job);
  answer(fleet, job, status);
  begin_waiting_work(fleet, instance);
}

static bool draw_error(struct rg_sim_fleet *fleet,
                       const struct rg_instance *instance) {
  return instance->failed_by != NULL &&
         rg_dice_share(&fleet->dice) < instance->failed_by->share;
}

/* After its own work, and after each call made for it. */
static void next_step(struct rg_sim_fleet *fleet, struct rg_job *job) {
  const struct rg_instance *instance = job->instance;
  bool is_first = job->calls_made == 0;
  if (is_first && draw_error(fleet, instance))
    finish(fleet, job, RG_STATUS_UNAVAILABLE);
  else if (job->calls_made == instance->tier->spec->call_count ||
           job->call == NULL)
    finish(fleet, job, RG_STATUS_OK);
  else
    rg_caller_begin(fleet, &instance->callers[job->calls_made++], job,
                    job->hop.deadline);
}

/* What a process hears while it is paused it hears afterwards. */
static void hear_of_child(struct rg_sim_fleet *fleet, void *subject,
                          uint32_t serial) {
  struct rg_job *job = subject;
  if (job->pooled.serial != serial) return;
  if (is_paused(job->instance))
    rg_fleet_plan(fleet, job->instance->paused_until, hear_of_child, job,
                  serial);
  else if (job->status == RG_STATUS_OK)
    next_step(fleet, job);
  else
    finish(fleet, job, job->status);
}

void rg_server_child_ended(struct rg_sim_fleet *fleet, struct rg_job *job,
                           uint32_t status) {
  job->child = NULL;
  job->status = status;
  hear_of_child(fleet, job, job->pooled.serial);
}

/* ---- The request --------------------------------------------------------- */

static void request_arrives(struct rg_sim_fleet *fleet, void *subject,
                            uint32_t serial) {
  struct rg_job *job = subject;
  struct rg_instance *instance = job->instance;
  const struct rg_tier_spec *spec = instance->tier->spec;
  if (job->pooled.serial != serial) return;
  if (!instance->listening.is_up) {
    answer(fleet, job, RG_STATUS_UNAVAILABLE);
    return;
  }
  if (instance->tier == &fleet->tiers[fleet->scenario->watch]) {
    rg_record_arrival(&fleet->run->record, rg_fleet_time(fleet), job->attempt);
    if (rg_fleet_counts(fleet)) fleet->run->totals.requests++;
  }
  if (instance->busy < spec->workers && !is_paused(instance))
    begin_work(fleet, job);
  else if (instance->waiting < spec->queue)
    append(instance, job);
  else
    answer(fleet, job, RG_STATUS_RESOURCE_EXHAUSTED);
}

/* What the server's filter makes of the request's metadata. */
static void fill_hop(struct retry_guard_hop *hop,
                     const struct rg_sim_call *call,
                     const struct rg_admission *admission) {
  struct rg_incoming incoming = {.previous_attempts = call->retries.attempts};
  if (admission != NULL && admission->mark_origin != RG_MARK_NOT_SENT) {
    incoming.kind = RG_MARK_DECODED;
    incoming.mark = admission->mark;
  }
  hop->ancestry = rg_layer_judge(&incoming, RG_DEFAULT_MAX_HOPS);
  hop->deadline = call->deadline;
  if (admission != NULL && admission->deadline < hop->deadline)
    hop->deadline = admission->deadline;
}

void rg_server_send(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                    struct rg_instance *instance,
                    const struct rg_admission *admission) {
  struct rg_job *job = rg_pool_take(&fleet->jobs);
  if (job == NULL) {
    fleet->failed = true;
    return;
  }
  job->call = call;
  job->instance = instance;
  job->attempt = call->attempts;
  fill_hop(&job->hop, call, admission);
  call->job = job;
  rg_fleet_plan(fleet, fleet->now + fleet->scenario->latency_ns,
                request_arrives, job, job->pooled.serial);
}

void rg_server_abandon(struct rg_sim_fleet *fleet, struct rg_job *job) {
  struct rg_sim_call *child = job->child;
  job->call = NULL;
  if (child == NULL) return;
  job->child = NULL;
  rg_caller_cancel(fleet, child);
  finish(fleet, job, RG_STATUS_CANCELLED);
}

/* ---- What happens to an instance ----------------------------------------- */

static void lose(struct rg_sim_fleet *fleet, struct rg_job *job) {
  if (job->child != NULL) rg_caller_cancel(fleet, job->child);
  job->child = NULL;
  answer(fleet, job, RG_STATUS_UNAVAILABLE);
}

static void end_pause(const struct rg_sim_fleet *fleet,
                      struct rg_instance *instance) {
  instance->paused_ns += rg_num_sub(fleet->now, instance->paused_since);
  instance->paused_since = RG_NEVER;
}

void rg_server_crash(struct rg_sim_fleet *fleet, struct rg_instance *instance,
                     uint64_t until) {
  struct rg_job *job;
  if (until > instance->down_until) instance->down_until = until;
  if (!instance->listening.is_up) return;
  instance->listening.is_up = false;
  instance->listening.crashes++;
  instance->listening.changed_at = fleet->now;
  if (is_paused(instance)) end_pause(fleet, instance); /* what comes is new */
  while ((job = take_first(instance)) != NULL) lose(fleet, job);
  while ((job = instance->in_work) != NULL) {
    take_from_work(instance, job);
    lose(fleet, job);
  }
}

void rg_server_come_up(struct rg_sim_fleet *fleet,
                       struct rg_instance *instance) {
  if (fleet->now < instance->down_until) return;
  instance->listening.is_up = true;
  instance->listening.changed_at = fleet->now;
}

void rg_server_pause(struct rg_sim_fleet *fleet, struct rg_instance *instance,
                     uint64_t until) {
  if (!is_paused(instance)) {
    instance->paused_since = fleet->now;
    instance->paused_until = until;
  } else if (until > instance->paused_until) {
    instance->paused_until = until;
  }
}

void rg_server_go_on(struct rg_sim_fleet *fleet, struct rg_instance *instance) {
  if (!is_paused(instance) || fleet->now < instance->paused_until) return;
  end_pause(fleet, instance);
  begin_waiting_work(fleet, instance);
}
