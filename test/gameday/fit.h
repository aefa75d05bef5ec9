/* SPDX-License-Identifier: Apache-2.0 */

/* A scenario as real processes can run it: for less time, and with a share of
 * its clients, calls and workers. Its times, and what one client does, stay as
 * they are. The simulator runs the same, so that the two can be compared.
 *
 * Threads: pure, but for reading the file. */
#ifndef RG_TEST_GAMEDAY_FIT_H
#define RG_TEST_GAMEDAY_FIT_H

#include "sim/review.h"
#include "sim/scenario.h"

RG_C_BEGIN

/* Of the calm before the trouble so much is not looked at. */
#define RG_FIT_WARM_UP_S 5

struct rg_fit {
  double scale;       /* of clients, calls, workers and queues */
  uint32_t calm_s;    /* before the trouble; more than the warm-up */
  uint32_t trouble_s; /* each incident lasts so long at most */
  uint32_t after_s;   /* watched after the trouble */
};

/* Twenty seconds of calm, the trouble as it is, 45 s after it. */
void rg_fit_init(struct rg_fit *fit);

/* Changes the scenario. */
void rg_fit_apply(const struct rg_fit *fit, struct rg_scenario *scenario);

/* Reads the file and makes it fit; NULL, with the reasons on standard error,
 * when it cannot be used. */
struct rg_scenario *rg_fit_read(const char *path, const struct rg_fit *fit);

RG_C_END

#endif
