/* SPDX-License-Identifier: Apache-2.0 */

/* What a scenario's incidents do to one server, at any moment: a server asks
 * for it and waits for nobody to tell it. Times are nanoseconds from the begin.
 *
 * Threads: pure. */
#ifndef RG_TEST_GAMEDAY_OUTAGE_H
#define RG_TEST_GAMEDAY_OUTAGE_H

#include "sim/scenario.h"

RG_C_BEGIN

/* One of the servers. */
struct rg_place {
  const struct rg_scenario *scenario;
  size_t tier;
  uint32_t instance;
};

/* Whether its work stands still, and until when then. */
bool rg_outage_pauses(const struct rg_place *place, uint64_t now,
                      uint64_t *until);

/* When work is done that takes `work_ns` and begins at `begin`: it stands still
 * in pauses. */
uint64_t rg_outage_work_end(const struct rg_place *place, uint64_t begin,
                            uint64_t work_ns);

/* How many times as long as usual work takes. */
double rg_outage_slowness(const struct rg_place *place, uint64_t now);

/* The share of requests that fails. */
double rg_outage_error_share(const struct rg_place *place, uint64_t now);

/* The first moment after `after` at which it is killed or comes back; false:
 * there is none. */
bool rg_outage_next_crash(const struct rg_place *place, uint64_t after,
                          uint64_t *at, bool *comes_back);

RG_C_END

#endif
