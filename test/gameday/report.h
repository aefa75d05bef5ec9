/* SPDX-License-Identifier: Apache-2.0 */

/* What a game-day tells, in the terms of `retry-guard simulate`.
 *
 * Threads: one owner. */
#ifndef RG_TEST_GAMEDAY_REPORT_H
#define RG_TEST_GAMEDAY_REPORT_H

#include "gameday/forecast.h"

RG_C_BEGIN

/* What is played, and how much of it; and the heads of the table. */
void rg_report_begin(const struct rg_scenario *scenario,
                     const struct rg_fit *fit);

/* What was seen of a variant, what the simulator expects, how punctual the
 * processes were, and whether the two agree. */
void rg_report_variant(const struct rg_tally *seen,
                       const struct rg_forecast *forecast);

/* What the variants of a run came to. */
struct rg_report_run {
  const char *path; /* of the scenario */
  const struct rg_scenario *scenario;
  uint64_t seed;
  const struct rg_tally *tallies;
  size_t count;
};

/* Writes it for programs, and as a picture, to files (NULL: none). False, with
 * the reason on standard error, when that fails. */
bool rg_report_write(const struct rg_report_run *run, const char *json,
                     const char *svg);

RG_C_END

#endif
