/* SPDX-License-Identifier: Apache-2.0 */

/* One call of the application, from its beginning to its end: the object that
 * the gRPC filters, a simulator and the tests drive in the same way.
 *
 *   begin -> bind -> (attempt_begin -> attempt_end)* -> end
 *
 * Whatever happens, end is called once, and may come at any point. An attempt
 * that is abandoned (its stream destroyed without an end) needs no call.
 *
 * Threads: one owner at a time (gRPC's call combiner); different calls on one
 * target are independent. */
#ifndef RG_HOST_CALL_H
#define RG_HOST_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "config/policy.h"
#include "core/cxx.h"
#include "core/layer.h"
#include "core/verdict.h"
#include "host/target.h"

RG_C_BEGIN

/* What holds for all calls of one method under one service config. Outlives
 * every call that was bound to it. */
struct rg_method_policy {
  uint64_t number; /* rg_target_next_policy_number of its service config */
  struct rg_policy policy;
  bool has_retry;
  struct rg_retry_policy retry; /* gRPC's own; with has_retry */
};

struct rg_call {
  struct rg_target *target;
  const struct rg_method_policy *method; /* NULL until bound */
  struct rg_budget *budget; /* what its retries draw on; NULL: nothing */
  struct rg_token token;    /* with token_held */
  uint32_t attempts_begun;  /* transparent ones left out */
  uint32_t attempts_ended;  /* as gRPC's retry filter counts */
  bool retries_enabled;     /* for the channel */
  bool committed;           /* gRPC cannot retry any more */
  bool token_held;          /* taken for a retry that has not begun */
  bool transparent_next;
  bool not_seen_before;
  bool ended;
  struct rg_ancestry ancestry;
};

/* What to do with an attempt that is about to begin. */
struct rg_admission {
  bool proceed;
  enum rg_stop reason; /* when it does not proceed */
  enum rg_mark_origin mark_origin;
  struct rg_mark mark; /* to send, unless RG_MARK_NOT_SENT */
};

/* The call begins. `ancestry` (NULL: nothing known) is copied. The target
 * outlives the call. */
void rg_call_begin(struct rg_call *call, struct rg_target *target,
                   const struct rg_ancestry *ancestry, bool retries_enabled);

/* Tells the call its policy; before the first attempt, once. */
void rg_call_bind(struct rg_call *call, const struct rg_method_policy *method,
                  uint64_t now);

/* Adds what the application itself put into the call's metadata. */
void rg_call_add_ancestry(struct rg_call *call,
                          const struct rg_ancestry *ancestry);

/* gRPC gave up the possibility to repeat the call. */
void rg_call_commit(struct rg_call *call);

/* An attempt begins. `previous_attempts` is what gRPC's retry filter says of
 * the attempts before it, 0 when it says nothing. A retry that was not decided
 * when the attempt before it ended is decided here. */
struct rg_admission rg_call_attempt_begin(struct rg_call *call,
                                          uint32_t previous_attempts,
                                          uint64_t now);

/* The attempt that began last ended. The caller carries the verdict out. */
struct rg_verdict rg_call_attempt_end(struct rg_call *call,
                                      const struct rg_outcome *outcome,
                                      uint64_t now, uint64_t random);

/* The call ended with `status`: a success earns, and a token whose retry never
 * began goes back. Calling it again does nothing. The method's policy may be
 * gone by now. */
void rg_call_end(struct rg_call *call, uint32_t status, uint64_t now);

RG_C_END

#endif
