/* SPDX-License-Identifier: Apache-2.0 */

/* What the simulator expects of a scenario, over several seeds; and whether
 * what was seen is like that.
 *
 * Threads: one owner. */
#ifndef RG_TEST_GAMEDAY_FORECAST_H
#define RG_TEST_GAMEDAY_FORECAST_H

#include "gameday/tally.h"

RG_C_BEGIN

/* Enough for the rare slow recoveries to be among them. */
#define RG_FORECAST_SEEDS 40

/* How far what was seen may be from what was expected: so much of it, or so
 * many retries for a call and so many seconds. */
#define RG_FORECAST_SHARE 0.2
#define RG_FORECAST_AMPLIFICATION 0.005
#define RG_FORECAST_RECOVERY_S 0.5

struct rg_range {
  double low;
  double high;
  double sum;
  size_t count;
};

struct rg_forecast {
  struct rg_range requests;
  struct rg_range peak;
  struct rg_range burst;
  struct rg_range amplification;
  struct rg_range lost;
  struct rg_range recovery_s; /* of the seeds that recovered */
};

/* Adds one seed's. */
void rg_forecast_add(struct rg_forecast *forecast,
                     const struct rg_tally *tally);

/* Asks the simulator; false when it cannot. */
bool rg_forecast_make(struct rg_forecast *forecast,
                      const struct rg_scenario *scenario, size_t variant);

/* 0 for an empty one. */
double rg_range_mean(const struct rg_range *range);

/* Near the mean of the seeds; or no more or less than with one of them: at the
 * edge of an overload, chance decides whether there is one. */
bool rg_forecast_amplification_is(const struct rg_forecast *forecast,
                                  const struct rg_tally *seen);

/* Recovered if all seeds did, and in a time near theirs, from the shortest to
 * the longest: where few breakers decide it, chance does. Not if none did. */
bool rg_forecast_recovery_is(const struct rg_forecast *forecast,
                             const struct rg_tally *seen);

RG_C_END

#endif
