/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/tally.h"

#include <stdlib.h>

#include "core/num.h"

/* When everything stands still for 0.15 s, answers of 0.15 s are missing at the
 * end of some five seconds, and these are not good any more: a recovery that
 * was over is put off to when that is. */
#define LATE_SHARE 0.002
#define LATEST_NS (100 * RG_NS_PER_MS)

void rg_tally_init(struct rg_tally *tally, const struct rg_scenario *scenario) {
  *tally = (struct rg_tally){.trial = {.name = ""}};
  if (!rg_record_init(&tally->trial.run.record, scenario->duration_ns)) abort();
}

void rg_tally_clean_up(struct rg_tally *tally) {
  rg_run_clean_up(&tally->trial.run);
}

static void add_slice(struct rg_slice *sum, const struct rg_slice *slice) {
  sum->calls += slice->calls;
  sum->ok += slice->ok;
  sum->failed += slice->failed;
  for (size_t i = 0; i < RG_RECORD_ATTEMPTS; i++)
    sum->arrivals[i] += slice->arrivals[i];
  sum->queue += slice->queue;
  sum->open += slice->open;
  sum->half_open += slice->half_open;
}

static void add_totals(struct rg_run_totals *sum,
                       const struct rg_run_totals *totals) {
  sum->calls += totals->calls;
  sum->ok += totals->ok;
  sum->failed += totals->failed;
  sum->requests += totals->requests;
  sum->retries += totals->retries;
  sum->rejections += totals->rejections;
}

static void add_punctuality(struct rg_punctuality *sum,
                            const struct rg_punctuality *punctuality) {
  sum->planned += punctuality->planned;
  sum->late += punctuality->late;
  if (punctuality->latest_ns > sum->latest_ns)
    sum->latest_ns = punctuality->latest_ns;
}

void rg_tally_add(struct rg_tally *tally, struct rg_sheet *sheet) {
  const struct rg_record seen = rg_sheet_record(sheet);
  struct rg_record *record = &tally->trial.run.record;
  for (size_t i = 0; i < seen.count && i < record->count; i++)
    add_slice(&record->slices[i], &seen.slices[i]);
  add_totals(&tally->trial.run.totals, &sheet->totals);
  add_punctuality(&tally->punctuality, &sheet->punctuality);
}

void rg_tally_judge(struct rg_tally *tally,
                    const struct rg_scenario *scenario) {
  const struct rg_review_times times = rg_scenario_times(scenario);
  rg_trial_judge(&tally->trial, &times, RG_TALLY_GOOD);
}

bool rg_tally_simulate(struct rg_tally *tally,
                       const struct rg_scenario *scenario, size_t variant,
                       uint64_t seed) {
  *tally = (struct rg_tally){.trial = {.name = ""}};
  bool done = rg_run_do(&tally->trial.run, scenario, variant, seed, NULL, NULL);
  if (done) rg_tally_judge(tally, scenario);
  return done;
}

double rg_tally_lateness(const struct rg_tally *tally) {
  const struct rg_punctuality *punctuality = &tally->punctuality;
  if (punctuality->planned == 0) return 0;
  return (double)punctuality->late / (double)punctuality->planned;
}

bool rg_tally_is_punctual(const struct rg_tally *tally) {
  return rg_tally_lateness(tally) <= LATE_SHARE &&
         tally->punctuality.latest_ns <= LATEST_NS;
}
