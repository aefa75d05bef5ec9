/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/record.h"

#include <stdlib.h>

bool rg_record_init(struct rg_record *record, uint64_t duration_ns) {
  record->count = (size_t)(duration_ns / RG_RECORD_SLICE_NS);
  if (record->count == 0) record->count = 1;
  record->slices = calloc(record->count, sizeof record->slices[0]);
  return record->slices != NULL;
}

void rg_record_clean_up(struct rg_record *record) {
  free(record->slices);
  *record = (struct rg_record){0};
}

struct rg_slice *rg_record_at(struct rg_record *record, uint64_t at) {
  size_t i = (size_t)(at / RG_RECORD_SLICE_NS);
  return &record->slices[i < record->count ? i : record->count - 1];
}

void rg_record_arrival(struct rg_record *record, uint64_t at,
                       uint32_t attempt) {
  uint32_t i = attempt < RG_RECORD_ATTEMPTS ? attempt : RG_RECORD_ATTEMPTS;
  rg_record_at(record, at)->arrivals[i > 0 ? i - 1 : 0]++;
}

uint32_t rg_slice_arrivals(const struct rg_slice *slice) {
  uint32_t sum = 0;
  for (size_t i = 0; i < RG_RECORD_ATTEMPTS; i++) sum += slice->arrivals[i];
  return sum;
}
