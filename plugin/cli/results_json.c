/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/results_json.h"

#include <stddef.h>
#include <stdio.h>

#include "cli/json_output.h"

/* The members of a slice that are series of their own. */
static const struct {
  const char *name;
  size_t offset;
} series[] = {
    {"calls", offsetof(struct rg_slice, calls)},
    {"ok", offsetof(struct rg_slice, ok)},
    {"failed", offsetof(struct rg_slice, failed)},
    {"queue", offsetof(struct rg_slice, queue)},
    {"open", offsetof(struct rg_slice, open)},
    {"halfOpen", offsetof(struct rg_slice, half_open)},
};

static json_t *series_at(const struct rg_record *record, size_t offset) {
  json_t *list = json_array();
  for (size_t i = 0; i < record->count; i++) {
    const char *slice = (const char *)&record->slices[i];
    list = rg_json_appended(
        list, json_integer(*(const uint32_t *)(const void *)(slice + offset)));
  }
  return list;
}

static json_t *series_of(const struct rg_record *record) {
  json_t *all = json_object();
  for (size_t i = 0; i < sizeof series / sizeof series[0]; i++)
    all =
        rg_json_with(all, series[i].name, series_at(record, series[i].offset));
  for (size_t i = 0; i < RG_RECORD_ATTEMPTS; i++) {
    char name[32];
    size_t offset = offsetof(struct rg_slice, arrivals) + i * sizeof(uint32_t);
    snprintf(name, sizeof name, "arrivals%zu", i + 1);
    all = rg_json_with(all, name, series_at(record, offset));
  }
  return all;
}

static json_t *recovery_of(const struct rg_review *review) {
  return review->recovered ? json_real(review->recovery_s) : json_null();
}

static json_t *review_of(const struct rg_trial *result) {
  const struct rg_review *review = &result->review;
  const struct rg_run_totals *totals = &result->run.totals;
  return json_pack(
      "{s:f, s:f, s:f, s:f, s:f, s:b, s:o, s:I, s:I, s:I, s:I, s:I, s:I}",
      "callsPerSecond", review->calls_per_s, "arrivalsPerSecond",
      review->arrivals_per_s, "peak", review->peak, "burst", review->burst,
      "amplification", result->amplification, "recovered", review->recovered,
      "recoverySeconds", recovery_of(review), "calls",
      (json_int_t)totals->calls, "ok", (json_int_t)totals->ok, "lost",
      (json_int_t)totals->failed, "retries", (json_int_t)totals->retries,
      "requests", (json_int_t)totals->requests, "rejections",
      (json_int_t)totals->rejections);
}

static json_t *seconds(uint64_t ns) { return json_real((double)ns / 1e9); }

json_t *rg_results_to_json(const struct rg_results *results) {
  json_t *variants = json_array();
  for (size_t i = 0; i < results->count; i++) {
    const struct rg_trial *result = &results->items[i];
    variants = rg_json_appended(
        variants,
        json_pack("{s:o, s:o, s:o}", "name", rg_json_text(result->name),
                  "review", review_of(result), "series",
                  series_of(&result->run.record)));
  }
  return json_pack(
      "{s:o, s:s, s:s, s:I, s:o, s:o, s:o, s:f, s:f, s:o}", "scenario",
      rg_json_text(results->scenario), "title", results->title, "source",
      results->source, "seed", (json_int_t)results->seed, "durationSeconds",
      seconds(results->duration_ns), "troubleFromSeconds",
      seconds(results->times.trouble_from), "troubleUntilSeconds",
      seconds(results->times.trouble_until), "goodputShare", results->share,
      "sliceSeconds", (double)RG_RECORD_SLICE_NS / 1e9, "variants", variants);
}
