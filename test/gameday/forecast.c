/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/forecast.h"

#include <math.h>

static void widen(struct rg_range *range, double value) {
  if (range->count == 0 || value < range->low) range->low = value;
  if (range->count == 0 || value > range->high) range->high = value;
  range->sum += value;
  range->count++;
}

double rg_range_mean(const struct rg_range *range) {
  return range->count > 0 ? range->sum / (double)range->count : 0;
}

void rg_forecast_add(struct rg_forecast *forecast,
                     const struct rg_tally *tally) {
  const struct rg_trial *trial = &tally->trial;
  const struct rg_review *review = &trial->review;
  widen(&forecast->requests, (double)trial->run.totals.requests);
  widen(&forecast->peak, review->peak);
  widen(&forecast->burst, review->burst);
  widen(&forecast->amplification, trial->amplification);
  widen(&forecast->lost, (double)rg_trial_lost(trial));
  if (review->recovered) widen(&forecast->recovery_s, review->recovery_s);
}

bool rg_forecast_make(struct rg_forecast *forecast,
                      const struct rg_scenario *scenario, size_t variant) {
  *forecast = (struct rg_forecast){.peak = {0}};
  for (uint64_t seed = 1; seed <= RG_FORECAST_SEEDS; seed++) {
    struct rg_tally tally;
    bool done = rg_tally_simulate(&tally, scenario, variant, seed);
    if (done) rg_forecast_add(forecast, &tally);
    rg_tally_clean_up(&tally);
    if (!done) return false;
  }
  return true;
}

bool rg_forecast_amplification_is(const struct rg_forecast *forecast,
                                  const struct rg_tally *seen) {
  const struct rg_range *range = &forecast->amplification;
  double amplification = seen->trial.amplification;
  double expected = rg_range_mean(range);
  double off = fabs(amplification - expected);
  return off <= RG_FORECAST_SHARE * expected ||
         off <= RG_FORECAST_AMPLIFICATION ||
         (amplification >= range->low && amplification <= range->high);
}

static bool is_near(const struct rg_range *range, double value) {
  double least = fmin(range->low * (1 - RG_FORECAST_SHARE),
                      range->low - RG_FORECAST_RECOVERY_S);
  double most = fmax(range->high * (1 + RG_FORECAST_SHARE),
                     range->high + RG_FORECAST_RECOVERY_S);
  return value >= least && value <= most;
}

bool rg_forecast_recovery_is(const struct rg_forecast *forecast,
                             const struct rg_tally *seen) {
  const struct rg_range *recovery = &forecast->recovery_s;
  if (seen->trial.review.recovered)
    return recovery->count > 0 &&
           is_near(recovery, seen->trial.review.recovery_s);
  return recovery->count < forecast->amplification.count;
}
