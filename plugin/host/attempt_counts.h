/* SPDX-License-Identifier: Apache-2.0 */

/* How many attempts began, by what they were and which mark they bore. One
 * attempt is one addition, from which all sums are derived. Threads add in
 * stripes on cache lines of their own, so that no core waits for another.
 *
 * Threads: safe, wait-free. */
#ifndef RG_HOST_ATTEMPT_COUNTS_H
#define RG_HOST_ATTEMPT_COUNTS_H

#include <stdint.h>

#include "core/cxx.h"
#include "core/layer.h"

RG_C_BEGIN

enum rg_attempt_kind {
  RG_ATTEMPT_FIRST, /* of a call */
  RG_ATTEMPT_RETRY,
  RG_ATTEMPT_TRANSPARENT,
  RG_ATTEMPT_KINDS
};

#define RG_ATTEMPT_STRIPES 4

struct rg_attempt_stripe {
  /* Two cache lines, so they must begin where one does. */
  RG_ALIGNAS(64) RG_ATOMIC(uint64_t) counts[RG_ATTEMPT_KINDS][RG_MARK_ORIGINS];
};

/* All zero to begin with. */
struct rg_attempt_counts {
  struct rg_attempt_stripe stripes[RG_ATTEMPT_STRIPES];
};

struct rg_attempt_sums {
  uint64_t calls;    /* of which an attempt began */
  uint64_t attempts; /* transparent ones left out */
  uint64_t retries;
  uint64_t transparent_retries;
  uint64_t marks_made;
  uint64_t marks_forwarded;
};

/* One attempt began. */
void rg_attempt_counts_add(struct rg_attempt_counts *counts,
                           enum rg_attempt_kind kind,
                           enum rg_mark_origin origin);

struct rg_attempt_sums rg_attempt_counts_read(
    const struct rg_attempt_counts *counts);

RG_C_END

#endif
