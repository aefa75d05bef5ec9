/* SPDX-License-Identifier: Apache-2.0 */
#include "host/attempt_counts.h"

/* Threads get stripes in turn. 0: none yet. */
static RG_ATOMIC(uint32_t) threads;
static _Thread_local RG_TLS_FAST uint32_t thread_number;

static struct rg_attempt_stripe *stripe_of_thread(
    struct rg_attempt_counts *counts) {
  if (thread_number == 0)
    thread_number =
        1 + atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) %
                RG_ATTEMPT_STRIPES;
  return &counts->stripes[thread_number - 1];
}

void rg_attempt_counts_add(struct rg_attempt_counts *counts,
                           enum rg_attempt_kind kind,
                           enum rg_mark_origin origin) {
  atomic_fetch_add_explicit(&stripe_of_thread(counts)->counts[kind][origin], 1,
                            memory_order_relaxed);
}

static uint64_t sum(const struct rg_attempt_counts *counts,
                    enum rg_attempt_kind kind, enum rg_mark_origin origin) {
  uint64_t result = 0;
  for (int i = 0; i < RG_ATTEMPT_STRIPES; i++)
    result += atomic_load_explicit(&counts->stripes[i].counts[kind][origin],
                                   memory_order_relaxed);
  return result;
}

static uint64_t sum_of_kind(const struct rg_attempt_counts *counts,
                            enum rg_attempt_kind kind) {
  return sum(counts, kind, RG_MARK_NOT_SENT) + sum(counts, kind, RG_MARK_MADE) +
         sum(counts, kind, RG_MARK_FORWARDED);
}

static uint64_t sum_of_origin(const struct rg_attempt_counts *counts,
                              enum rg_mark_origin origin) {
  return sum(counts, RG_ATTEMPT_FIRST, origin) +
         sum(counts, RG_ATTEMPT_RETRY, origin) +
         sum(counts, RG_ATTEMPT_TRANSPARENT, origin);
}

struct rg_attempt_sums rg_attempt_counts_read(
    const struct rg_attempt_counts *counts) {
  struct rg_attempt_sums sums = {
      .calls = sum_of_kind(counts, RG_ATTEMPT_FIRST),
      .retries = sum_of_kind(counts, RG_ATTEMPT_RETRY),
      .transparent_retries = sum_of_kind(counts, RG_ATTEMPT_TRANSPARENT),
      .marks_made = sum_of_origin(counts, RG_MARK_MADE),
      .marks_forwarded = sum_of_origin(counts, RG_MARK_FORWARDED),
  };
  sums.attempts = sums.calls + sums.retries;
  return sums;
}
