/* SPDX-License-Identifier: Apache-2.0 */

/* When which client of a load calls, one call after the other. Times are
 * nanoseconds from the begin.
 *
 * Threads: one owner. */
#ifndef RG_TEST_GAMEDAY_ARRIVALS_H
#define RG_TEST_GAMEDAY_ARRIVALS_H

#include "sim/dice.h"
#include "sim/scenario.h"

RG_C_BEGIN

struct rg_arrivals {
  const struct rg_load_spec *load;
  struct rg_dice dice;
  uint64_t *firsts; /* with an interval: when each calls first, in order */
  uint64_t count;   /* so far */
  uint64_t at;      /* of the last one */
};

/* False when memory is out. */
bool rg_arrivals_init(struct rg_arrivals *arrivals,
                      const struct rg_load_spec *load, uint64_t seed);
void rg_arrivals_clean_up(struct rg_arrivals *arrivals);

/* The next call; false: there is none any more. */
bool rg_arrivals_next(struct rg_arrivals *arrivals, uint64_t *at,
                      uint32_t *client);

RG_C_END

#endif
