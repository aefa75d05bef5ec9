/* SPDX-License-Identifier: Apache-2.0 */

/* The processes of one variant: started, killed and restarted as the scenario
 * says, stopped, and what they saw put together.
 *
 * Threads: one owner, which outlives the processes. */
#ifndef RG_TEST_GAMEDAY_CREW_H
#define RG_TEST_GAMEDAY_CREW_H

#include "gameday/outage.h"
#include "gameday/tally.h"
#include "support/process.h"

RG_C_BEGIN

#define RG_CREW_MAX 30 /* processes */

struct rg_crew_plan {
  const char *programs; /* the folder of rg_gameday_server and _client */
  const char *command;  /* retry-guard, which knows how to preload the guard */
  const char *scratch;  /* a folder */
  const char *metrics;  /* where guarded clients serve theirs; NULL: nowhere */
  const char *path;     /* of the scenario */
  struct rg_fit fit;
  const struct rg_scenario *scenario; /* fitted */
  size_t variant;
  uint64_t seed;
};

struct rg_member {
  struct rg_process process;
  struct rg_sheet *sheet;
  char path[RG_SHEET_TEXT]; /* of the sheet */
  bool is_server;
};

struct rg_crew {
  const struct rg_crew_plan *plan;
  struct rg_member members[RG_CREW_MAX];
  size_t count;
  char addresses[RG_SHEET_TIERS][RG_SHEET_TEXT];
  uint64_t begin_ns;
  uint64_t stepped_ns; /* from the begin */
};

/* Starts all. False, with the reason on standard error, when that fails; the
 * crew is to be stopped anyway. */
bool rg_crew_start(struct rg_crew *crew, const struct rg_crew_plan *plan);

/* When it has something to do next (CLOCK_MONOTONIC): servers to kill or to
 * start, or all is over; false. */
bool rg_crew_next(const struct rg_crew *crew, uint64_t *at_ns);

/* Does it. */
bool rg_crew_step(struct rg_crew *crew);

/* Ends all, and puts into `tally` (initialised) what they saw. False when one
 * did not live as long as it was to. */
bool rg_crew_stop(struct rg_crew *crew, struct rg_tally *tally);

RG_C_END

#endif
