/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/result.h"

#include <inttypes.h>

#include "core/num.h"

/* Seconds that are shown before and after the trouble. */
#define BEFORE_S 20.0
#define AFTER_S 90.0

static double seconds_of(uint64_t ns) {
  return (double)ns / (double)RG_NS_PER_S;
}

struct rg_review_times rg_scenario_times(const struct rg_scenario *scenario) {
  struct rg_review_times times = {
      .calm_from = scenario->warm_up_ns,
      .trouble_from = scenario->duration_ns,
      .trouble_until = 0,
  };
  uint64_t begin;
  uint64_t end;
  if (rg_scenario_trouble(scenario, &begin, &end)) {
    times.trouble_from = begin;
    times.trouble_until = end;
  }
  return times;
}

void rg_trial_judge(struct rg_trial *result,
                    const struct rg_review_times *times, double share) {
  const struct rg_run_totals *totals = &result->run.totals;
  result->review = rg_review_of(&result->run.record, times, share);
  result->amplification =
      totals->calls > 0 ? (double)totals->retries / (double)totals->calls : 0;
}

struct rg_results_window rg_results_shown(const struct rg_results *results) {
  double duration = seconds_of(results->duration_ns);
  double from = seconds_of(results->times.trouble_from) - BEFORE_S;
  double until = seconds_of(results->times.trouble_until) + AFTER_S;
  if (results->times.trouble_from >= results->duration_ns)
    return (struct rg_results_window){0, duration};
  return (struct rg_results_window){from > 0 ? from : 0,
                                    until < duration ? until : duration};
}

uint64_t rg_trial_lost(const struct rg_trial *result) {
  return result->run.totals.failed;
}

/* A quote within quotes is written twice. */
static void write_name(const char *name, FILE *out) {
  fputc('"', out);
  for (; *name != '\0'; name++) {
    if (*name == '"') fputc('"', out);
    fputc(*name, out);
  }
  fputc('"', out);
}

static void write_slice(const struct rg_trial *result, size_t i, FILE *out) {
  const struct rg_slice *slice = &result->run.record.slices[i];
  write_name(result->name, out);
  fprintf(out, ",%zu.%zu,%" PRIu32 ",%" PRIu32 ",%" PRIu32,
          i / RG_RECORD_SLICES_PER_S, i % RG_RECORD_SLICES_PER_S, slice->calls,
          slice->ok, slice->failed);
  for (size_t j = 0; j < RG_RECORD_ATTEMPTS; j++)
    fprintf(out, ",%" PRIu32, slice->arrivals[j]);
  fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", slice->queue,
          slice->open, slice->half_open);
}

bool rg_results_write_csv(const struct rg_results *results, FILE *out) {
  fputs("variant,seconds,calls,ok,failed", out);
  for (size_t j = 1; j <= RG_RECORD_ATTEMPTS; j++)
    fprintf(out, ",arrivals%zu", j);
  fputs(",queue,open,half_open\n", out);
  for (size_t i = 0; i < results->count; i++)
    for (size_t j = 0; j < results->items[i].run.record.count; j++)
      write_slice(&results->items[i], j, out);
  return !ferror(out);
}
