/* SPDX-License-Identifier: Apache-2.0 */

/* Statistics: what the guard did, for each target, for each breaker of a
 * target, and for the process. retry_guard.h brings this header; it stands
 * alone, too.
 *
 * Nothing resets a counter, and reading them holds up no call but as stated. */
#ifndef RETRY_GUARD_STATS_H
#define RETRY_GUARD_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "retry_guard/retry_guard.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a retry that gRPC would have made was not made. Values never change
 * their meaning; new ones are added before the count. */
typedef enum retry_guard_stop {
  /* Another layer of the call tree owns retries. */
  RETRY_GUARD_STOP_LAYER = 0,
  /* The call is not safe to repeat: it carries no idempotency key. */
  RETRY_GUARD_STOP_UNSAFE = 1,
  /* The call is compressed, and this gRPC would repeat it corrupted. */
  RETRY_GUARD_STOP_COMPRESSED = 2,
  /* The server said so: a negative or malformed pushback. */
  RETRY_GUARD_STOP_PUSHBACK = 3,
  /* The circuit breaker was open. */
  RETRY_GUARD_STOP_BREAKER = 4,
  /* The retry would not have fitted into the deadline. */
  RETRY_GUARD_STOP_DEADLINE = 5,
  /* The retry budget was empty. */
  RETRY_GUARD_STOP_BUDGET = 6,
  RETRY_GUARD_STOP_COUNT
} retry_guard_stop;

/* Returns the lower-case name of a stop reason, such as "budget"; "unknown"
 * outside the enum. Static, thread-safe. */
RETRY_GUARD_API const char *retry_guard_stop_string(retry_guard_stop stop);

/* What a circuit breaker does. */
typedef enum retry_guard_breaker_state {
  RETRY_GUARD_BREAKER_CLOSED = 0,    /* lets everything through */
  RETRY_GUARD_BREAKER_OPEN = 1,      /* nothing */
  RETRY_GUARD_BREAKER_HALF_OPEN = 2, /* a probe, to see */
  RETRY_GUARD_BREAKER_STATE_COUNT
} retry_guard_breaker_state;

/* Returns the lower-case name of a state, such as "half_open"; "unknown"
 * outside the enum. Static, thread-safe. */
RETRY_GUARD_API const char *retry_guard_breaker_state_string(
    retry_guard_breaker_state state);

/* Buckets of the delay histogram. */
#define RETRY_GUARD_DELAY_BUCKETS 13

/* The longest delay of `bucket`, in milliseconds; UINT64_MAX for the last one.
 * The bounds never change. Thread-safe. */
RETRY_GUARD_API uint64_t retry_guard_delay_bound_ms(size_t bucket);

/* Counters of one target since it was first used; nothing resets them. They
 * are written without locks, so a snapshot taken under load is not one instant
 * for all fields, but each field is exact and never decreases unless it says
 * so. Channels without `retryGuard` are not counted. */
typedef struct retry_guard_stats {
  /* sizeof(retry_guard_stats) of the caller; set it before the call. */
  size_t size;
  /* Calls of which at least one attempt began. */
  uint64_t calls;
  /* Attempts begun, transparent retries left out: calls + retries. */
  uint64_t attempts;
  /* Attempts begun as the second or a later one of their call. */
  uint64_t retries;
  /* Attempts that gRPC repeated transparently since no server saw them. */
  uint64_t transparent_retries;
  /* Retries refused, by reason (retry_guard_stop). */
  uint64_t stops[RETRY_GUARD_STOP_COUNT];
  /* Retries that gRPC began without asking, after perAttemptRecvTimeout or when
   * the attempt before got no connection: let through with a token, and ended
   * locally for one of the reasons above. */
  uint64_t undecided_retries;
  uint64_t rejected_retries;
  /* Tokens taken for retries that have not begun yet; rises and falls. */
  uint64_t tokens_outstanding;
  /* What the budget holds now, in thousandths of a retry; UINT64_MAX: there is
   * no limit. Rises and falls. */
  uint64_t budget_milli;
  /* Marks put on attempts as owner; carried on from an incoming call. */
  uint64_t marks_made;
  uint64_t marks_forwarded;
  /* Calls that ended before they were sent, since less than `minRemaining` was
   * left of their deadline. */
  uint64_t refused_remaining;
  /* Attempts and calls that an open breaker kept from the network; the
   * breakers' transitions; attempts let through as probes; and results of
   * attempts that came after a transition, and did not count. Of all breakers
   * of the target together. */
  uint64_t breaker_rejections;
  uint64_t breaker_opened;
  uint64_t breaker_half_opened;
  uint64_t breaker_closed;
  uint64_t breaker_probes;
  uint64_t breaker_stale;
  /* How many of the breakers that retry_guard_breakers_each visits are in each
   * state, and the worst of these states: OPEN if one is open, or else
   * HALF_OPEN if one is that. Change with time. */
  uint64_t breakers[RETRY_GUARD_BREAKER_STATE_COUNT];
  retry_guard_breaker_state breaker_state;
  /* Times the guard failed itself and let a call pass untouched. */
  uint64_t fail_open;
  /* Retries by how long they were made to wait: the first bucket whose bound is
   * not below it (retry_guard_delay_bound_ms); and the sum of these times, in
   * milliseconds. With `backoff.jitter` NATIVE the delay is gRPC's to draw, and
   * its upper bound counts. */
  uint64_t delays[RETRY_GUARD_DELAY_BUCKETS];
  uint64_t delay_ms;
  /* Retry amplification: retries for 1,000 calls of the last minute. Healthy
   * below 100. Rises and falls. */
  uint32_t amplification_milli;
  /* Whether it has been above the policy's amplificationAlarm for a minute, and
   * not well below since. */
  bool amplification_alarm;
} retry_guard_stats;

/* Fills `stats` (its size set) with the counters of `target`, spelled as the
 * channel was created, with or without gRPC's default scheme ("dns:///").
 * Different spellings of one address are different targets.
 *
 * Returns OK; NOT_FOUND when no guarded call went to it so far, or it was
 * reclaimed since the last of its channels is gone; INVALID_ARGUMENT;
 * OUT_OF_MEMORY, only possible without the scheme.
 * Thread-safe; takes the lock of the target table for a look-up, which a call
 * takes only when it is the first with a new policy. */
RETRY_GUARD_API retry_guard_status
retry_guard_stats_get(const char *target, retry_guard_stats *stats);

/* Calls `visit` with the name and the counters of each target that a guarded
 * call went to, in no particular order; both are valid during the visit only.
 * Targets that come or go meanwhile may be missed, none is visited twice. The
 * visitor may use this library and gRPC: no lock is held meanwhile.
 *
 * Returns OK, or INVALID_ARGUMENT for NULL. Thread-safe; takes the lock of the
 * target table for each step. */
RETRY_GUARD_API retry_guard_status
retry_guard_stats_each(void (*visit)(const char *target,
                                     const retry_guard_stats *stats, void *arg),
                       void *arg);

/* One circuit breaker of a target. Fields are added at the end. */
typedef struct retry_guard_breaker {
  /* What it is for: the policy's `scope`, and the name of the service
   * ("shop.Ledger"), the method ("/shop.Ledger/Add") or the backend
   * ("ipv4:10.0.0.7:443"). The target's own has "". A name of more than 127
   * bytes is cut at its begin. Valid during the visit only. */
  retry_guard_breaker_scope scope;
  const char *name;
  /* As a call now would find it: OPEN if it would be rejected, HALF_OPEN from
   * the end of the cooldown on, though none came to see. */
  retry_guard_breaker_state state;
  uint64_t cooldown_left_ms; /* while it is open */
  /* Its transitions, probes and rejections, as in retry_guard_stats, since it
   * was made; they begin anew with a breaker that made room for others and was
   * not among those that the metrics name. */
  uint64_t opened;
  uint64_t half_opened;
  uint64_t closed;
  uint64_t probes;
  uint64_t rejections;
} retry_guard_breaker;

/* Calls `visit` with each circuit breaker of `target`, spelled as for
 * retry_guard_stats_get, in no particular order: the target's own, or with
 * another `scope` one for each service, method or backend that was called in
 * the last ten minutes or whose breaker is open. These are at most 64: a new
 * one takes the place of the one that was idle longest. The visitor may use
 * this library and gRPC: no lock is held meanwhile.
 *
 * Returns OK; NOT_FOUND as retry_guard_stats_get, INVALID_ARGUMENT for NULL;
 * OUT_OF_MEMORY, and nothing was visited. Thread-safe; takes the lock of the
 * target table, and one that a call tries, but never waits for, when it is the
 * first of its service, method or backend. */
RETRY_GUARD_API retry_guard_status retry_guard_breakers_each(
    const char *target,
    void (*visit)(const retry_guard_breaker *breaker, void *arg), void *arg);

/* What concerns the process rather than a target. */
typedef struct retry_guard_process_stats {
  /* sizeof(retry_guard_process_stats) of the caller. */
  size_t size;
  /* Incoming calls that carried a mark that was believed. */
  uint64_t marks_accepted;
  /* Incoming marks removed since accept_marks is off. */
  uint64_t marks_stripped;
  /* Incoming marks that could not be decoded or had passed more hops than
   * allowed: their calls count as marked, but the mark ends here. */
  uint64_t marks_rejected;
  /* Incoming calls without a mark whose caller's retry header says that it
   * retries by itself. */
  uint64_t foreign_retries;
  /* Answers with an error that told the caller not to retry, since what failed
   * downstream would only fail again. */
  uint64_t callers_stopped;
  /* Times the guard failed itself outside any target, such as for want of
   * memory for a policy: its calls went on as without the guard. */
  uint64_t fail_open;
} retry_guard_process_stats;

/* Fills `stats` (its size set). Returns OK or INVALID_ARGUMENT. Thread-safe,
 * wait-free. */
RETRY_GUARD_API retry_guard_status
retry_guard_process_stats_get(retry_guard_process_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* RETRY_GUARD_STATS_H */
