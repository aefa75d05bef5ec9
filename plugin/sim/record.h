/* SPDX-License-Identifier: Apache-2.0 */

/* What is seen of a fleet while it runs, in slices of time that are all equally
 * long. Times are nanoseconds from the begin.
 *
 * Threads: one owner. */
#ifndef RG_SIM_RECORD_H
#define RG_SIM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_RECORD_SLICE_NS UINT64_C(100000000) /* 0.1 s */
#define RG_RECORD_SLICES_PER_S 10

/* Arrivals are told apart by the number of the attempt: 1, 2, ... and so many
 * or more. */
#define RG_RECORD_ATTEMPTS 6

/* What happened in one slice. Calls are those of the loads, from outside. */
struct rg_slice {
  uint32_t calls;  /* begun */
  uint32_t ok;     /* ended so */
  uint32_t failed; /* ended otherwise */
  /* Requests that came to the watched tier, by the number of the attempt. */
  uint32_t arrivals[RG_RECORD_ATTEMPTS];
  uint32_t queue; /* that waited there at the end of the slice */
  /* Breakers of those who call the watched tier, at the end of the slice. */
  uint32_t open;
  uint32_t half_open;
};

struct rg_record {
  struct rg_slice *slices;
  size_t count;
};

/* Makes a record of `duration_ns`; false when memory is out. */
bool rg_record_init(struct rg_record *record, uint64_t duration_ns);
void rg_record_clean_up(struct rg_record *record);

/* The slice of the moment `at`; the last one for what comes later. */
struct rg_slice *rg_record_at(struct rg_record *record, uint64_t at);

/* One request came to the watched tier, as attempt number 1, 2, ... */
void rg_record_arrival(struct rg_record *record, uint64_t at, uint32_t attempt);

/* All arrivals of a slice. */
uint32_t rg_slice_arrivals(const struct rg_slice *slice);

RG_C_END

#endif
