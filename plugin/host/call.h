/* SPDX-License-Identifier: Apache-2.0 */

/* One call of the application, from its beginning to its end: the object that
 * the gRPC filters, a simulator and the tests drive in the same way.
 *
 *   begin -> admit -> bind -> (attempt_begin -> attempt_end)* -> end
 *
 * Whatever happens, end is called once, and may come at any point. Each attempt
 * that began is ended or dropped, also once the call has ended.
 *
 * Times are nanoseconds of the monotonic clock, deadlines too.
 *
 * Threads: one owner at a time (gRPC's call combiner); different calls on one
 * target are independent. */
#ifndef RG_HOST_CALL_H
#define RG_HOST_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/policy.h"
#include "core/cxx.h"
#include "core/layer.h"
#include "core/verdict.h"
#include "host/target.h"

RG_C_BEGIN

struct retry_guard_hop;

/* What holds for all calls of one method under one service config. Outlives
 * every call that was bound to it but for rg_call_end. */
struct rg_method_policy {
  uint64_t number; /* rg_target_next_policy_number of its service config */
  struct rg_policy policy;
  bool has_retry;
  struct rg_retry_policy retry; /* gRPC's own; with has_retry */
};

struct rg_call {
  struct rg_target *target;
  struct retry_guard_hop *hop;           /* what it is made for, or NULL */
  const struct rg_method_policy *method; /* NULL until bound */
  struct rg_budget *budget;              /* for its retries; NULL: unlimited */
  const struct rg_ancestry *ancestry;    /* never NULL */
  struct rg_breaker *breaker;            /* that `permit` is of */
  struct rg_permit permit;   /* held from admit to the first attempt */
  struct rg_token token;     /* with token_held */
  struct rg_breaker_key key; /* which breakers it belongs to */
  uint64_t deadline;         /* or RG_DEADLINE_NONE */
  uint64_t key_random[2];    /* of the idempotency key, once drawn */
  uint32_t attempts_begun;   /* transparent ones left out */
  uint32_t attempts_ended;   /* as gRPC's retry filter counts */
  bool retries_enabled;      /* for the channel */
  bool committed;            /* gRPC cannot retry any more */
  bool compressed;
  bool has_own_key; /* the application sent an idempotency key */
  bool token_held;  /* taken for a retry that has not begun */
  bool transparent_next;
  bool not_seen_before;
  bool refused; /* the call or one of its attempts, by the guard */
  bool stopped; /* in shadow: this call would have ended by now */
  bool ended;
};

/* One attempt. Zeroed, it has not begun, and ending it does nothing. */
struct rg_attempt {
  struct rg_breaker *breaker; /* that `permit` is of */
  const struct rg_backend *backend;
  struct rg_permit permit;
  uint64_t began;
  uint32_t number; /* from 1; 0: not begun */
  bool ended;
};

/* Why a call or an attempt is not let through. */
enum rg_refusal {
  RG_REFUSED_NOT,
  RG_REFUSED_BREAKER,   /* UNAVAILABLE */
  RG_REFUSED_REMAINING, /* DEADLINE_EXCEEDED: too little time is left */
  RG_REFUSED_RETRY,     /* UNAVAILABLE: see `stop` */
};

/* What to do with a call or an attempt that is about to begin. */
struct rg_admission {
  enum rg_refusal refusal;
  enum rg_stop stop; /* with RG_REFUSED_RETRY */
  uint64_t left_ns;  /* of the cooldown, with RG_REFUSED_BREAKER */
  /* When the attempt is to be ended here; RG_DEADLINE_NONE: gRPC's own
   * deadline will do. */
  uint64_t deadline;
  /* The part of it that holds for the whole call and not only until the attempt
   * has brought its first message; or RG_DEADLINE_NONE. */
  uint64_t call_deadline;
  bool send_key; /* the generated idempotency key */
  enum rg_mark_origin mark_origin;
  struct rg_mark mark; /* to send, unless RG_MARK_NOT_SENT */
};

/* What the attempt brings with it, as its metadata and connection say. */
struct rg_attempt_facts {
  /* What gRPC's retry filter says of the attempts before it; 0: nothing. */
  uint32_t previous_attempts;
  const struct rg_backend *backend; /* outlives it; NULL: not known */
  bool has_own_key;                 /* it carries the idempotency key's entry */
};

/* The call begins. `hop` (or NULL) and the target outlive it. */
void rg_call_begin(struct rg_call *call, struct rg_target *target,
                   struct retry_guard_hop *hop, bool retries_enabled);

/* Names the method, by a text that outlives the call; only needed, before admit
 * and bind, where breakers are per service or per method. */
void rg_call_name(struct rg_call *call, const char *path, size_t length);

/* Asks the breaker before anything is done for the call, for a channel whose
 * policy is known from its earlier calls: without it a target that refuses
 * connections would never be seen to be open. */
void rg_call_admit(struct rg_call *call, uint64_t now,
                   struct rg_admission *admission);

/* Tells the call its policy and the deadline that gRPC enforces, once: before
 * the first attempt, or before the end of a call that never got one. */
void rg_call_bind(struct rg_call *call, const struct rg_method_policy *method,
                  uint64_t deadline, uint64_t now);

/* Replaces the ancestry; for marks that the application itself put into the
 * call's metadata. `ancestry` outlives the call. */
void rg_call_set_ancestry(struct rg_call *call,
                          const struct rg_ancestry *ancestry);

/* gRPC gave up the possibility to repeat the call. */
void rg_call_commit(struct rg_call *call);

/* The call's body is compressed, on a gRPC that cannot repeat such a call. */
void rg_call_compress(struct rg_call *call);

/* An attempt begins. A retry that was not decided when the attempt before it
 * ended is decided here. `random`: 128 random bits. */
void rg_call_attempt_begin(struct rg_call *call, struct rg_attempt *attempt,
                           const struct rg_attempt_facts *facts, uint64_t now,
                           const uint64_t random[2],
                           struct rg_admission *admission);

/* Whether `attempt` is what the call is about: gRPC may have gone on to another
 * one. */
static inline bool rg_call_is_current(const struct rg_call *call,
                                      const struct rg_attempt *attempt) {
  return attempt->number > 0 && attempt->number == call->attempts_begun &&
         !call->stopped;
}

/* `attempt` ended. The caller carries the verdict out; in shadow there is
 * nothing to carry out. One that ends OK ends the call. */
struct rg_verdict rg_call_attempt_end(struct rg_call *call,
                                      struct rg_attempt *attempt,
                                      const struct rg_outcome *outcome,
                                      uint64_t now, uint64_t random);

/* Whether `attempt` has begun and not ended. */
static inline bool rg_attempt_is_open(const struct rg_attempt *attempt) {
  return attempt->number > 0 && !attempt->ended;
}

/* `attempt` will have no end that is told; neutral for the breaker. Does
 * nothing if it ended. Safe after the call's end. */
void rg_call_attempt_drop(struct rg_call *call, struct rg_attempt *attempt,
                          uint64_t now);

/* Whether rg_call_end still has anything to settle. */
static inline bool rg_call_is_open(const struct rg_call *call) {
  return !call->ended && (call->method != NULL || call->permit.held);
}

/* The call ended with `status`: a success earns, and a token whose retry never
 * began goes back. Calling it again does nothing. The method's policy may be
 * gone by now. */
void rg_call_end(struct rg_call *call, uint32_t status, uint64_t now,
                 uint64_t random);

/* The idempotency key to send, with a NUL. */
void rg_call_key(const struct rg_call *call, char key[RG_KEY_LENGTH + 1]);

RG_C_END

#endif
