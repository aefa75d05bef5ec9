/* SPDX-License-Identifier: Apache-2.0 */

/* What came out of a scenario, run by run, for whoever shows it.
 *
 * Threads: one owner. */
#ifndef RG_SIM_RESULT_H
#define RG_SIM_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/cxx.h"
#include "sim/fleet.h"
#include "sim/review.h"

RG_C_BEGIN

/* One run. */
struct rg_trial {
  const char *name; /* of the variant */
  struct rg_run run;
  struct rg_review review;
  double amplification; /* retries for each call */
};

/* All of them, on one scale. */
struct rg_results {
  const char *scenario; /* its name */
  const char *title;
  const char *source; /* "simulation", or what else it comes from */
  uint64_t seed;
  uint64_t duration_ns;
  struct rg_review_times times;
  double share; /* of the goodput that is asked for */
  struct rg_trial *items;
  size_t count;
};

/* When the scenario has its calm and its trouble. */
struct rg_review_times rg_scenario_times(const struct rg_scenario *scenario);

/* Judges the run of `result`, and fills in what follows from it. */
void rg_trial_judge(struct rg_trial *result,
                    const struct rg_review_times *times, double share);

/* The seconds that are worth showing: around the trouble, or all. */
struct rg_results_window {
  double from;
  double until;
};

struct rg_results_window rg_results_shown(const struct rg_results *results);

/* Calls that ended badly. */
uint64_t rg_trial_lost(const struct rg_trial *result);

/* A line for each slice of each run, under one of titles; false when it could
 * not be written. */
bool rg_results_write_csv(const struct rg_results *results, FILE *out);

RG_C_END

#endif
