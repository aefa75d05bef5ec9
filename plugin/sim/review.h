/* SPDX-License-Identifier: Apache-2.0 */

/* What a run shows: how far the load went up, and whether and when the fleet
 * got over its trouble.
 *
 * Threads: pure. */
#ifndef RG_SIM_REVIEW_H
#define RG_SIM_REVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"
#include "sim/record.h"

RG_C_BEGIN

/* Means are over so many seconds; a recovery has to last for as long as the
 * second. */
#define RG_REVIEW_MEAN_S 5
#define RG_REVIEW_LASTING_S 10

/* The goodput of a fleet that is back, of what it is asked for. */
#define RG_REVIEW_SHARE 0.99

/* When the fleet was in order, and when its trouble was. In nanoseconds from
 * the begin. */
struct rg_review_times {
  uint64_t calm_from;
  uint64_t trouble_from; /* without trouble, the end of the record */
  uint64_t trouble_until;
};

struct rg_review {
  double calls_per_s;    /* begun before the trouble, in the mean */
  double arrivals_per_s; /* the same, at the watched tier */
  /* The most requests in any second from the trouble on, and in any slice
   * within 10 s of its end, for one in the calm. 0: there was no calm, or no
   * trouble. */
  double peak;
  double burst;
  bool has_trouble;
  bool recovered;
  double recovery_s; /* with `recovered`: after the end of the trouble */
};

/* `share`: what goodput has to reach, such as RG_REVIEW_SHARE. */
struct rg_review rg_review_of(const struct rg_record *record,
                              const struct rg_review_times *times,
                              double share);

RG_C_END

#endif
