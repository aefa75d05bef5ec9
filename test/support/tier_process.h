/* SPDX-License-Identifier: Apache-2.0 */

/* A call tree of rg_tier processes, as tests and the demo drive it: started,
 * called, read and stopped. The caller's own channel to a tier has no service
 * config, so that the calls made here are never retried here.
 *
 * Threads: a tier has one owner; see process.h on which thread starts it. */
#ifndef RG_TEST_SUPPORT_TIER_PROCESS_H
#define RG_TEST_SUPPORT_TIER_PROCESS_H

#include "support/echo.pb-c.h"
#include "support/process.h"
#include "support/rpc_client.h"

RG_C_BEGIN

/* How many calls ended OK, and how many did not. */
struct rg_tier_outcome {
  RG_ATOMIC(size_t) ok;
  RG_ATOMIC(size_t) failed;
};

/* The caller's memory, which must not move until it is stopped; all zero: not
 * started, and stopping it does nothing. */
struct rg_tier_process {
  struct rg_process process;
  char address[32];
  struct rg_rpc_channel *channel;
  uint32_t timeout_ms;            /* of calls; 0: long enough for any test */
  struct rg_tier_outcome outcome; /* of the calls made so far */
};

/* Starts `program`, a path to rg_tier, with `arguments` (ending in NULL, at
 * most 30) and waits until it listens. False, with the reason on standard
 * error, when that fails. */
bool rg_tier_process_start(struct rg_tier_process *tier, const char *program,
                           const char *const arguments[]);

/* Starts `count` calls of Echo.Call at the same time, each with `plan` (NULL:
 * none) for the leaf, and a deadline of two minutes. */
void rg_tier_process_start_calls(struct rg_tier_process *tier, size_t count,
                                 const RetryGuard__Test__Plan *plan);

/* Waits until all calls have ended. */
void rg_tier_process_wait(struct rg_tier_process *tier);

/* Both in turn; returns how many of these calls ended OK. */
size_t rg_tier_process_call(struct rg_tier_process *tier, size_t count,
                            const RetryGuard__Test__Plan *plan);

/* What the tier saw, and in the same step a reset if wanted. The caller frees
 * it with retry_guard__test__counts__free_unpacked. NULL when the tier does not
 * answer. */
RetryGuard__Test__Counts *rg_tier_process_read(struct rg_tier_process *tier,
                                               bool reset);

/* Makes the tier answer what it was told to hold; false when it does not
 * listen. On return the answers are on their way. */
bool rg_tier_process_release(struct rg_tier_process *tier);

/* Waits for all calls, then ends the tier; returns its exit status, which is 0
 * if it shut down well. */
int rg_tier_process_stop(struct rg_tier_process *tier);

RG_C_END

#endif
