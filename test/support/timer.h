/* SPDX-License-Identifier: Apache-2.0 */

/* Runs functions at a later time, all on one thread: gRPC's C API has no
 * alarms, and an answer that is due later must not block a server's worker.
 *
 * Threads: safe; the functions run without a lock held. */
#ifndef RG_TEST_SUPPORT_TIMER_H
#define RG_TEST_SUPPORT_TIMER_H

#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

struct rg_timers;

/* The caller's memory, kept until the function ran. */
struct rg_timer {
  uint64_t due_ns; /* CLOCK_MONOTONIC */
  void (*run)(void *data);
  void *data;
  struct rg_timer *next;
};

/* Starts the thread. */
struct rg_timers *rg_timers_new(void);

/* Runs `timer`, its first three fields set, when it is due. */
void rg_timers_add(struct rg_timers *timers, struct rg_timer *timer);

/* From here on nothing waits: what is pending runs soon, what is added runs
 * within the call that adds it. */
void rg_timers_rush(struct rg_timers *timers);

/* Runs what is pending, ends the thread and frees everything. Nothing may be
 * added meanwhile. */
void rg_timers_destroy(struct rg_timers *timers);

RG_C_END

#endif
