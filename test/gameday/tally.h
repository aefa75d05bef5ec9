/* SPDX-License-Identifier: Apache-2.0 */

/* What one variant came to, on real processes or in the simulator, in the same
 * terms.
 *
 * Threads: one owner. */
#ifndef RG_TEST_GAMEDAY_TALLY_H
#define RG_TEST_GAMEDAY_TALLY_H

#include "gameday/sheet.h"
#include "sim/result.h"

RG_C_BEGIN

/* The goodput of a fleet that is back. A share nearer to 1 is lost in chance at
 * the few calls per second that a small machine can do. */
#define RG_TALLY_GOOD 0.97

struct rg_tally {
  struct rg_trial trial;
  struct rg_punctuality punctuality;
};

/* An empty tally for the scenario; out of memory ends the process. */
void rg_tally_init(struct rg_tally *tally, const struct rg_scenario *scenario);
void rg_tally_clean_up(struct rg_tally *tally);

/* Adds what one process saw. */
void rg_tally_add(struct rg_tally *tally, struct rg_sheet *sheet);

/* Fills in what follows from it, when all is added. */
void rg_tally_judge(struct rg_tally *tally, const struct rg_scenario *scenario);

/* What the simulator makes of it; false when it cannot. */
bool rg_tally_simulate(struct rg_tally *tally,
                       const struct rg_scenario *scenario, size_t variant,
                       uint64_t seed);

/* The share of what was planned for a moment that came late; and whether it is
 * so small that the machine had no part in what was seen. */
double rg_tally_lateness(const struct rg_tally *tally);
bool rg_tally_is_punctual(const struct rg_tally *tally);

RG_C_END

#endif
