/* SPDX-License-Identifier: Apache-2.0 */

/* The circuit breaker: no attempts at a dependency that is plainly down.
 *
 *   state      event            next        what happens
 *   ---------  ---------------  ----------  --------------------------------
 *   CLOSED     TRIPPED          OPEN        the cooldown starts
 *   CLOSED     COOLDOWN_OVER    -           illegal
 *   CLOSED     PROBE_SUCCEEDED  -           illegal
 *   CLOSED     PROBE_FAILED     -           illegal
 *   OPEN       TRIPPED          -           late result, ignored
 *   OPEN       COOLDOWN_OVER    HALF_OPEN   the window is emptied
 *   OPEN       PROBE_SUCCEEDED  -           late result, ignored
 *   OPEN       PROBE_FAILED     -           late result, ignored
 *   HALF_OPEN  TRIPPED          -           late result, ignored
 *   HALF_OPEN  COOLDOWN_OVER    -           another thread was faster
 *   HALF_OPEN  PROBE_SUCCEEDED  CLOSED      the cooldown's growth starts anew
 *   HALF_OPEN  PROBE_FAILED     OPEN        the next cooldown, longer if asked
 *
 * TRIPPED: within the window failures / total is above the ratio and total is
 * at least minRequests, or so many failures came in a row. Each transition
 * starts a generation; results of attempts admitted under an older one are
 * stale and ignored. A probe that ends neutral, or is not settled in time,
 * frees its place: the breaker cannot stick half-open. What is settled in the
 * moment after a probe closed it may be missing from the window. Ends are in
 * ms, rounded up. Time may step: an end that lies further ahead than the
 * longest wait of the policy, by more than a second, counts as past.
 *
 * Threads: safe; a success while closed is one atomic addition. Init needs the
 * breaker for itself; updates must not run at the same time as each other. */
#ifndef RG_CORE_BREAKER_H
#define RG_CORE_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"
#include "core/window.h"

RG_C_BEGIN

#define RG_BREAKER_PROBES_MAX 8

/* What one breaker is for. */
enum rg_breaker_scope {
  RG_BREAKER_PER_TARGET,
  RG_BREAKER_PER_SERVICE,
  RG_BREAKER_PER_METHOD,
  RG_BREAKER_PER_BACKEND, /* one address of the target */
};

struct rg_breaker_policy {
  bool disabled;
  enum rg_breaker_scope scope;
  uint32_t failure_codes;       /* bit n: status code n */
  uint32_t failure_ratio_milli; /* of the total; exactly it stays closed */
  uint32_t min_requests;
  uint32_t consecutive_failures; /* 0: off */
  uint64_t window_ns;
  uint64_t cooldown_ns;
  uint64_t max_cooldown_ns; /* not above cooldown_ns: no growth */
  uint32_t cooldown_jitter_milli;
  uint32_t probes; /* 1..RG_BREAKER_PROBES_MAX */
  uint64_t probe_timeout_ns;
};

enum rg_breaker_state {
  RG_BREAKER_CLOSED,
  RG_BREAKER_OPEN,
  RG_BREAKER_HALF_OPEN,
};

enum rg_breaker_event {
  RG_BREAKER_TRIPPED,
  RG_BREAKER_COOLDOWN_OVER,
  RG_BREAKER_PROBE_SUCCEEDED,
  RG_BREAKER_PROBE_FAILED,
};

enum rg_result { RG_RESULT_NEUTRAL, RG_RESULT_SUCCESS, RG_RESULT_FAILURE };

/* Why it opened last, with the numbers of that moment. */
enum rg_breaker_cause_kind {
  RG_CAUSE_NONE,        /* it never did */
  RG_CAUSE_RATE,        /* `failures` of `total` results */
  RG_CAUSE_CONSECUTIVE, /* `failures` in a row */
  RG_CAUSE_PROBE,       /* one failed */
};

struct rg_breaker_cause {
  enum rg_breaker_cause_kind kind;
  uint64_t failures;
  uint64_t total;
};

struct rg_breaker {
  RG_ATOMIC(bool) disabled;
  RG_ATOMIC(uint32_t) failure_ratio_milli;
  RG_ATOMIC(uint32_t) min_requests;
  RG_ATOMIC(uint32_t) consecutive_failures;
  RG_ATOMIC(uint64_t) window_ns;
  RG_ATOMIC(uint64_t) cooldown_ns;
  RG_ATOMIC(uint64_t) max_cooldown_ns;
  RG_ATOMIC(uint32_t) cooldown_jitter_milli;
  RG_ATOMIC(uint32_t) probes;
  RG_ATOMIC(uint64_t) probe_timeout_ns;

  /* State, generation and end of the cooldown in one word, so that they change
   * together. */
  RG_ATOMIC(uint64_t) state;
  RG_ATOMIC(uint32_t) in_a_row; /* failures */
  RG_ATOMIC(uint32_t) doubted;  /* 1: there may be failures in the window */
  RG_ATOMIC(uint32_t) streak;   /* cooldowns since it was last closed */
  /* One more than the half-open generation whose probes find the window empty;
   * 0: none yet. */
  RG_ATOMIC(uint32_t) emptied_for;
  RG_ATOMIC(uint32_t) cause_kind;
  RG_ATOMIC(uint64_t) cause_failures;
  RG_ATOMIC(uint64_t) cause_total;
  struct rg_window total;
  struct rg_window failures;
  /* Probes in flight: generation, and when the probe times out. */
  RG_ATOMIC(uint64_t) places[RG_BREAKER_PROBES_MAX];
};

/* The right to make one attempt; settled exactly once. All zero: none held. */
struct rg_permit {
  bool held;
  uint8_t place; /* of a probe, from 1; 0: none */
  uint32_t generation;
  uint64_t place_word;
};

struct rg_breaker_admission {
  bool admitted;
  bool half_opened; /* this admission ended the cooldown */
  struct rg_permit permit;
  uint64_t left_ns; /* of the cooldown, when rejected */
};

/* What settling brought about. */
enum rg_settlement {
  RG_SETTLED,
  RG_SETTLED_STALE, /* the result came too late to count */
  RG_SETTLED_OPENED,
  RG_SETTLED_CLOSED,
};

/* The transition table; false for a pair that leaves the state alone. */
bool rg_breaker_next(enum rg_breaker_state state, enum rg_breaker_event event,
                     enum rg_breaker_state *next);

/* Makes a closed breaker. */
void rg_breaker_init(struct rg_breaker *breaker,
                     const struct rg_breaker_policy *policy);

/* Closes the breaker and empties its window; permits out are stale. */
void rg_breaker_reset(struct rg_breaker *breaker);

/* Changes the policy; the state survives, and the window unless its length
 * changes. A cooldown that runs keeps its end, unless that is further ahead
 * (by more than a second) than any end that the new policy could set now: then
 * it is over. */
void rg_breaker_update(struct rg_breaker *breaker,
                       const struct rg_breaker_policy *policy);

/* Asks for an attempt. */
struct rg_breaker_admission rg_breaker_admit(struct rg_breaker *breaker,
                                             uint64_t now);

/* The part of rg_breaker_admit that needs no time: true, with `permit` written,
 * when the breaker is closed or disabled. Otherwise nothing has happened. */
bool rg_breaker_admit_closed(const struct rg_breaker *breaker,
                             struct rg_permit *permit);

/* Whether an attempt now would be rejected. Changes nothing. */
bool rg_breaker_rejects(const struct rg_breaker *breaker, uint64_t now);

/* Gives `permit` back with the attempt's result; a permit not held is ignored.
 * While the breaker is disabled only those of probes can move it.
 * `random`, 64 random bits, lengthens a cooldown that starts here. */
enum rg_settlement rg_breaker_settle(struct rg_breaker *breaker,
                                     struct rg_permit *permit,
                                     enum rg_result result, uint64_t now,
                                     uint64_t random);

/* Of its last opening; for the thread that was told RG_SETTLED_OPENED. Exact,
 * unless it opened again meanwhile. */
struct rg_breaker_cause rg_breaker_cause_of(const struct rg_breaker *breaker);

enum rg_breaker_state rg_breaker_state_of(const struct rg_breaker *breaker);

/* A breaker as whoever asks now would find it: half-open from the end of the
 * cooldown on, though nobody has asked since, and closed while disabled. */
struct rg_breaker_look {
  enum rg_breaker_state state;
  uint64_t left_ns; /* of the cooldown, while it is open */
};

struct rg_breaker_look rg_breaker_look_at(const struct rg_breaker *breaker,
                                          uint64_t now);

RG_C_END

#endif
