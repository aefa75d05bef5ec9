/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/review.h"

#include <math.h>
#include <stddef.h>

#define AFTERMATH_S 10

/* In slices. */
#define MEAN ((size_t)RG_REVIEW_MEAN_S * RG_RECORD_SLICES_PER_S)
#define LASTING ((size_t)RG_REVIEW_LASTING_S * RG_RECORD_SLICES_PER_S)

/* Sums over a stretch of slices. */
struct stretch {
  double slices;
  double calls;
  double ok;
  double ended;
  double arrivals;
};

static struct stretch sum(const struct rg_record *record, size_t from,
                          size_t until) {
  struct stretch all = {0};
  if (until > record->count) until = record->count;
  for (size_t i = from; i < until; i++) {
    const struct rg_slice *slice = &record->slices[i];
    all.slices++;
    all.calls += slice->calls;
    all.ok += slice->ok;
    all.ended += (double)slice->ok + slice->failed;
    all.arrivals += rg_slice_arrivals(slice);
  }
  return all;
}

static size_t slice_of(uint64_t time) {
  return (size_t)(time / RG_RECORD_SLICE_NS);
}

/* As many good answers as calls that end; and where fewer end than chance
 * explains, since callers are stuck, as many as before. Calls that begin are no
 * measure: those that are under way at either end of a mean differ by chance.
 */
static bool is_good(const struct rg_record *record, size_t from,
                    const struct stretch *calm, double share) {
  struct stretch now = sum(record, from, from + MEAN);
  double usual = calm->slices > 0 ? calm->calls / calm->slices * now.slices : 0;
  double least = usual - 3 * sqrt(usual);
  double asked = now.ended > least ? now.ended : least;
  return now.ok >= share * asked;
}

static bool stays_good(const struct rg_record *record, size_t from,
                       const struct stretch *calm, double share, size_t *bad) {
  for (size_t i = 0; i < LASTING; i++) {
    if (is_good(record, from + i, calm, share)) continue;
    *bad = from + i;
    return false;
  }
  return true;
}

static void find_recovery(struct rg_review *review,
                          const struct rg_record *record, size_t trouble_end,
                          const struct stretch *calm, double share) {
  /* What is not seen to last is no recovery. */
  size_t needed = LASTING - 1 + MEAN;
  for (size_t i = trouble_end; i + needed <= record->count; i++) {
    if (!stays_good(record, i, calm, share, &i)) continue;
    review->recovered = true;
    review->recovery_s = (double)(i - trouble_end) / RG_RECORD_SLICES_PER_S;
    return;
  }
}

static double highest(const struct rg_record *record, size_t from, size_t until,
                      size_t length) {
  double most = 0;
  for (size_t i = from; i + length <= record->count && i < until; i++) {
    double arrivals = sum(record, i, i + length).arrivals;
    if (arrivals > most) most = arrivals;
  }
  return most / (double)length;
}

struct rg_review rg_review_of(const struct rg_record *record,
                              const struct rg_review_times *times,
                              double share) {
  struct rg_review review = {0};
  size_t begin = slice_of(times->trouble_from);
  size_t end = slice_of(times->trouble_until);
  struct stretch calm = sum(record, slice_of(times->calm_from), begin);
  double usual = calm.slices > 0 ? calm.arrivals / calm.slices : 0;
  if (calm.slices > 0) {
    review.calls_per_s = calm.calls / calm.slices * RG_RECORD_SLICES_PER_S;
    review.arrivals_per_s = usual * RG_RECORD_SLICES_PER_S;
  }
  review.has_trouble = begin < record->count;
  if (usual > 0 && review.has_trouble) {
    review.peak =
        highest(record, begin, record->count, RG_RECORD_SLICES_PER_S) / usual;
    review.burst =
        highest(record, end, end + AFTERMATH_S * RG_RECORD_SLICES_PER_S, 1) /
        usual;
  }
  if (review.has_trouble) find_recovery(&review, record, end, &calm, share);
  return review;
}
