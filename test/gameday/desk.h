/* SPDX-License-Identifier: Apache-2.0 */

/* The workers of a server and the queue before them: first come, first served,
 * also those whose callers have given up. Work is waiting: it costs no CPU. A
 * worker that is late takes its next task as if it had not been, so that a busy
 * machine does not make the server smaller than the scenario says.
 *
 * Threads: safe. */
#ifndef RG_TEST_GAMEDAY_DESK_H
#define RG_TEST_GAMEDAY_DESK_H

#include "gameday/outage.h"
#include "gameday/sheet.h"
#include "support/timer.h"

RG_C_BEGIN

struct rg_desk;

/* A request. The owner's memory until its work is done, zeroed but for
 * its deadline. */
struct rg_task {
  struct rg_task *next;
  struct rg_timer work;
  uint64_t deadline_ns; /* of its caller; CLOCK_MONOTONIC, as the others */
  uint64_t came_ns;
  uint64_t due_ns;
  struct rg_desk *desk;
};

/* The job's own work is done; its worker is kept until rg_desk_leave. On the
 * timers' thread. */
typedef void rg_desk_done(struct rg_task *task);

/* All are borrowed for ever, and it is never destroyed. */
struct rg_desk *rg_desk_new(const struct rg_place *place,
                            struct rg_sheet *sheet, struct rg_timers *timers,
                            rg_desk_done *done, uint64_t seed);

/* False: the queue is full. */
bool rg_desk_take(struct rg_desk *desk, struct rg_task *task, uint64_t now);

/* A worker becomes free, or was at `at`. */
void rg_desk_leave(struct rg_desk *desk, uint64_t at);

/* How many wait. */
uint32_t rg_desk_waiting(struct rg_desk *desk);

RG_C_END

#endif
