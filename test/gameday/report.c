/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/drawing.h"
#include "cli/results_json.h"

#define TEXT 96

static double seconds(uint64_t ns) { return (double)ns / 1e9; }

void rg_report_begin(const struct rg_scenario *scenario,
                     const struct rg_fit *fit) {
  const struct rg_review_times times = rg_scenario_times(scenario);
  printf("%s\n%g %% of the clients, calls, workers and queues; ",
         scenario->title, fit->scale * 100);
  printf("%u s of calm, %.0f s of trouble, %u s after it\n\n", fit->calm_s,
         seconds(times.trouble_until - times.trouble_from), fit->after_s);
  printf("%-28s %8s %6s %6s %8s %17s %7s\n", "", "requests", "peak", "burst",
         "amplif.", "back after", "lost");
}

/* ---- A variant ----------------------------------------------------------- */

static void print_seen(const struct rg_trial *trial) {
  const struct rg_review *review = &trial->review;
  char back[TEXT] = "never";
  if (review->recovered)
    snprintf(back, sizeof(back), "%.1f s", review->recovery_s);
  printf("%-28s %8" PRIu64 " %6.2f %6.2f %8.4f %17s %7" PRIu64 "\n",
         trial->name, trial->run.totals.requests, review->peak, review->burst,
         trial->amplification, back, rg_trial_lost(trial));
}

static void write_back(const struct rg_forecast *forecast, char *text) {
  const struct rg_range *recovery = &forecast->recovery_s;
  size_t seeds = forecast->amplification.count;
  if (recovery->count == 0)
    snprintf(text, TEXT, "never");
  else if (recovery->count < seeds)
    snprintf(text, TEXT, "or not (%zu/%zu)", recovery->count, seeds);
  else
    snprintf(text, TEXT, "%.1f (%.1f-%.1f) s", rg_range_mean(recovery),
             recovery->low, recovery->high);
}

static void print_forecast(const struct rg_forecast *forecast) {
  char back[TEXT];
  write_back(forecast, back);
  printf("%-28s %8.0f %6.2f %6.2f %8.4f %17s %7.0f\n", "  simulated",
         rg_range_mean(&forecast->requests), rg_range_mean(&forecast->peak),
         rg_range_mean(&forecast->burst),
         rg_range_mean(&forecast->amplification), back,
         rg_range_mean(&forecast->lost));
}

void rg_report_variant(const struct rg_tally *seen,
                       const struct rg_forecast *forecast) {
  print_seen(&seen->trial);
  print_forecast(forecast);
  printf("  %.2f %% came late, %.0f ms at most\n",
         rg_tally_lateness(seen) * 100,
         seconds(seen->punctuality.latest_ns) * 1000);
  if (!rg_forecast_amplification_is(forecast, seen))
    puts("  The amplification is not the simulator's.");
  if (!rg_forecast_recovery_is(forecast, seen))
    puts("  The recovery is not the simulator's.");
  fflush(stdout);
}

/* ---- Files --------------------------------------------------------------- */

static bool write_json(const char *path, const struct rg_results *results) {
  json_t *json = rg_results_to_json(results);
  bool written =
      json != NULL &&
      json_dump_file(json, path, JSON_REAL_PRECISION(6) | JSON_COMPACT) == 0;
  if (!written) fprintf(stderr, "%s: cannot be written\n", path);
  json_decref(json);
  return written;
}

bool rg_report_write(const struct rg_report_run *run, const char *json,
                     const char *svg) {
  struct rg_trial *trials = calloc(run->count, sizeof *trials);
  if (trials == NULL) abort();
  for (size_t i = 0; i < run->count; i++) trials[i] = run->tallies[i].trial;
  const struct rg_results results = {
      .scenario = run->path,
      .title = run->scenario->title,
      .source = "gameday",
      .seed = run->seed,
      .duration_ns = run->scenario->duration_ns,
      .times = rg_scenario_times(run->scenario),
      .share = RG_TALLY_GOOD,
      .items = trials,
      .count = run->count,
  };
  bool written =
      (json == NULL || write_json(json, &results)) &&
      (svg == NULL || rg_drawing_make(&results, RG_PICTURE_SVG, svg));
  free(trials);
  return written;
}
