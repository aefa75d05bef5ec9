/* SPDX-License-Identifier: Apache-2.0 */

/* What the processes of a game-day have in common: a client and a server each
 * get a sheet, and know from the scenario what happens when.
 *
 * Threads: safe, but for opening. */
#ifndef RG_TEST_GAMEDAY_PART_H
#define RG_TEST_GAMEDAY_PART_H

#include <pthread.h>

#include "gameday/sheet.h"
#include "support/timer.h"

RG_C_BEGIN

/* Adds to the slice that ends what is so at its end. */
typedef void rg_part_look(struct rg_slice *slice, void *data);

/* Lives as long as the process. */
struct rg_part {
  struct rg_sheet *sheet;
  struct rg_scenario *scenario;
  struct rg_timers *timers;
  pthread_mutex_t mutex; /* of what is seen */
  struct rg_record record;
  rg_part_look *look;
  void *data;
  uint64_t slice; /* that ends next */
  struct rg_timer slice_end;
};

/* From the arguments of the process, of which there is one: the path of its
 * sheet. False with the reason on standard error. */
bool rg_part_open(struct rg_part *part, int argc, char **argv);

/* Calls `look`, under the mutex, at the end of each slice from now on. */
void rg_part_look_on(struct rg_part *part, rg_part_look *look, void *data);

/* Nanoseconds from the begin; 0 before it. */
uint64_t rg_part_time(const struct rg_part *part, uint64_t now_ns);

/* Whether the warm-up is over. */
bool rg_part_counts(const struct rg_part *part, uint64_t time);

/* Sleeps until `ns` (CLOCK_MONOTONIC). */
void rg_part_sleep(uint64_t ns);

RG_C_END

#endif
