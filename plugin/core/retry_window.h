/* SPDX-License-Identifier: Apache-2.0 */

/* A retry budget as a share of traffic: in each sliding `interval`, retries <=
 * `percent` % of the calls begun + a floor.
 *
 * The promise holds for every interval that ends with a retry (no rule can know
 * the calls still to come), so both sums err on the safe side: calls are
 * counted over at most the interval, retries over at least it, a tenth of the
 * interval being the grain.
 *
 * How a take stays one compare-and-swap although it needs a sum over slots:
 * `taken` counts retries for ever, `marks` remember what it stood at when each
 * slot began, and the retries of the interval are the difference. The word that
 * is swapped holds the slot too, so a decision made on an old one is void.
 *
 * Threads: safe, but for init, which needs the window for itself. */
#ifndef RG_CORE_RETRY_WINDOW_H
#define RG_CORE_RETRY_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"
#include "core/window.h"

RG_C_BEGIN

/* One more than the slots would do; a power of two keeps the place of an epoch
 * when its 32 bits wrap. */
#define RG_RETRY_WINDOW_MARKS 16

struct rg_retry_window_policy {
  uint32_t percent;           /* 0..100 */
  uint64_t interval_ns;       /* > 0 */
  uint64_t min_retries_milli; /* minRetryRate * interval, in 1/1000 retries */
};

struct rg_retry_window {
  RG_ATOMIC(uint32_t) percent;
  RG_ATOMIC(uint64_t) min_retries_milli;
  struct rg_window calls;
  /* Upper half: epoch. Lower half: retries taken so far, modulo 2^31; its
   * highest bit: closed. In one word, so that no take that the closing did not
   * see succeeds after it. */
  RG_ATOMIC(uint64_t) taken;
  /* The same word as it stood at the beginning of an epoch. */
  RG_ATOMIC(uint64_t) marks[RG_RETRY_WINDOW_MARKS];
};

/* Makes a window that counts as having seen `calls` calls and `retries` retries
 * within the last interval. */
void rg_retry_window_init(struct rg_retry_window *window,
                          const struct rg_retry_window_policy *policy,
                          uint32_t calls, uint32_t retries, uint64_t now);

/* One call began. */
void rg_retry_window_begin(struct rg_retry_window *window, uint64_t now);

/* Takes the right to one retry. On success `*epoch` says when, for the refund;
 * false and nothing taken when the share is used up or the window closed. */
bool rg_retry_window_take(struct rg_retry_window *window, uint64_t now,
                          uint32_t *epoch);

/* Gives back a retry that was taken in `epoch` and not made. */
void rg_retry_window_refund(struct rg_retry_window *window, uint32_t epoch);

/* The calls and retries that count now, and how many retries may be taken, in
 * thousandths of a retry. */
struct rg_retry_window_reading {
  uint64_t calls;
  uint64_t retries; /* UINT32_MAX: not known in this moment */
  uint64_t limit_milli;
  uint64_t left_milli;
};
struct rg_retry_window_reading rg_retry_window_read(
    struct rg_retry_window *window, uint64_t now);

/* No take succeeds from here on. */
void rg_retry_window_close(struct rg_retry_window *window);

RG_C_END

#endif
