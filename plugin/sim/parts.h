/* SPDX-License-Identifier: Apache-2.0 */

/* The parts that a running fleet is made of, for the files that move them:
 * caller.c (calls and their attempts), server.c (requests), incident.c and
 * fleet.c.
 *
 *   load -> process -> call -> attempt ~> job in an instance -> calls it makes
 *
 * Threads: one owner. */
#ifndef RG_SIM_PARTS_H
#define RG_SIM_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"
#include "host/call.h"
#include "host/hop.h"
#include "sim/agenda.h"
#include "sim/connection.h"
#include "sim/dice.h"
#include "sim/fleet.h"
#include "sim/native.h"
#include "sim/pool.h"
#include "sim/scenario.h"

RG_C_BEGIN

#define RG_ADDRESS_SIZE 96

struct rg_job;

/* How one tier is called: the same for all that call it. */
struct rg_method {
  char path[128];
  size_t path_length;
  bool guarded;
  struct rg_method_policy policy; /* of the guard, with gRPC's retryPolicy */
  const struct rg_retry_policy *retry; /* NULL: none */
  uint64_t timeout_ns;                 /* of the service config, or RG_NEVER */
};

/* A process with a channel to a tier: a client, or an instance of a server. */
struct rg_process {
  size_t tier;              /* that it calls */
  struct rg_target *target; /* NULL: not guarded */
  struct rg_native_throttle throttle;
  struct rg_connection *connections; /* to each instance */
  bool knows_policy;                 /* of the channel, from a call before */
  bool is_client;
  uint32_t calls_out;
};

struct rg_load {
  const struct rg_load_spec *spec;
  struct rg_process *clients;
};

/* One call of an application, with the loop around it: a gRPC call at a time,
 * and of that an attempt at a time. */
struct rg_sim_call {
  struct rg_pooled pooled; /* its serial grows with each try's begin and end */
  uint32_t step;           /* grows with each attempt's end */
  struct rg_process *process;
  struct rg_job *parent; /* that it is made for, or NULL */
  uint64_t app_deadline; /* or RG_NEVER */
  uint32_t tries;        /* gRPC calls begun */
  uint32_t attempts;     /* that were sent, of all tries */
  struct rg_call guard;
  struct rg_attempt attempt;
  struct rg_native_retries retries;
  uint64_t deadline;  /* of the try, or RG_NEVER */
  struct rg_job *job; /* the request of the attempt; NULL: none is out */
};

/* A request, from when it is sent until it is answered. */
struct rg_job {
  struct rg_pooled pooled;
  struct rg_sim_call *call; /* NULL: its caller has given up */
  struct rg_instance *instance;
  struct rg_job *next; /* in the queue, or among those that are worked on */
  struct rg_job *previous;
  struct retry_guard_hop hop;
  uint64_t paused_seen; /* of the instance's pauses */
  size_t calls_made;
  struct rg_sim_call *child; /* the call that is made for it */
  uint32_t attempt;          /* as whose number it came */
  uint32_t status;           /* of its answer */
  bool stops_caller;         /* its answer does */
};

struct rg_instance {
  struct rg_tier *tier;
  char address[RG_ADDRESS_SIZE];
  struct rg_backend backend; /* at that address */
  struct rg_listening listening;
  uint64_t down_until;
  uint32_t busy; /* workers */
  uint32_t waiting;
  struct rg_job *first; /* of the queue */
  struct rg_job *last;
  struct rg_job *in_work;
  uint64_t paused_since; /* RG_NEVER: not paused */
  uint64_t paused_until;
  uint64_t paused_ns;                       /* in earlier pauses */
  const struct rg_incident_spec *failed_by; /* NULL: no errors */
  const struct rg_incident_spec *slowed_by; /* NULL: not slowed */
  uint64_t slowed_at;
  struct rg_process *callers; /* one for each tier that its tier calls */
};

struct rg_tier {
  const struct rg_tier_spec *spec;
  struct rg_method method;
  struct rg_instance *instances;
};

struct rg_sim_fleet {
  const struct rg_scenario *scenario;
  const struct rg_variant_spec *variant;
  struct rg_run *run;
  struct rg_agenda agenda;
  struct rg_dice dice;
  struct rg_pool calls;
  struct rg_pool jobs;
  struct rg_tier *tiers;
  struct rg_load *loads;
  uint64_t now;   /* on the clock of the guard */
  uint64_t begin; /* the same */
  uint64_t end;
  bool has_plugin; /* all processes, with this variant */
  bool failed;     /* memory is out, or a pool is */
};

/* Plans what happens later; a failure ends the run. */
void rg_fleet_plan(struct rg_sim_fleet *fleet, uint64_t at,
                   rg_happening *happen, void *subject, uint32_t serial);

/* Nanoseconds from the begin. */
uint64_t rg_fleet_time(const struct rg_sim_fleet *fleet);
bool rg_fleet_counts(
    const struct rg_sim_fleet *fleet); /* the warm-up is over */

/* ---- Calls: caller.c ----------------------------------------------------- */

/* An application begins a call. `parent`, whose child it is until it ends, may
 * be NULL. */
void rg_caller_begin(struct rg_sim_fleet *fleet, struct rg_process *process,
                     struct rg_job *parent, uint64_t app_deadline);

/* The parent is not interested any more. */
void rg_caller_cancel(struct rg_sim_fleet *fleet, struct rg_sim_call *call);

/* The answer to the request of the current attempt is there. */
void rg_caller_answered(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                        const struct rg_job *job);

/* ---- Requests: server.c -------------------------------------------------- */

/* Sends the attempt's request; `admission` NULL: nobody guards it. */
void rg_server_send(struct rg_sim_fleet *fleet, struct rg_sim_call *call,
                    struct rg_instance *instance,
                    const struct rg_admission *admission);

/* Its caller has given up. */
void rg_server_abandon(struct rg_sim_fleet *fleet, struct rg_job *job);

/* The call that was made for the job ended. */
void rg_server_child_ended(struct rg_sim_fleet *fleet, struct rg_job *job,
                           uint32_t status);

/* All requests of the instance are lost, and it listens no more, until it comes
 * up at `until` or, when it crashes again meanwhile, later. */
void rg_server_crash(struct rg_sim_fleet *fleet, struct rg_instance *instance,
                     uint64_t until);
void rg_server_come_up(struct rg_sim_fleet *fleet,
                       struct rg_instance *instance);

void rg_server_pause(struct rg_sim_fleet *fleet, struct rg_instance *instance,
                     uint64_t until);
void rg_server_go_on(struct rg_sim_fleet *fleet, struct rg_instance *instance);

/* ---- Incidents: incident.c ----------------------------------------------- */

/* Plans all that happens to the fleet. */
void rg_incidents_plan(struct rg_sim_fleet *fleet);

RG_C_END

#endif
