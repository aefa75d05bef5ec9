/* SPDX-License-Identifier: Apache-2.0 */

/* Amounts counted over a sliding span of time, in RG_WINDOW_SLOTS slots.
 *
 * The span slides by whole slots: a read covers the running slot and the
 * RG_WINDOW_SLOTS - 1 before it, so at least nine tenths of the span and never
 * more than it. A slot that time has passed by is emptied when it is next
 * written to, so being idle for a day costs no more than for a second. Time
 * may step: a step of less than the span either way leaves amounts where they
 * are, a larger one empties the window slot by slot.
 *
 * Threads: safe; adding is one atomic addition, but for the first of a slot. */
#ifndef RG_CORE_WINDOW_H
#define RG_CORE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_WINDOW_SLOTS 10

struct rg_window {
  RG_ATOMIC(uint64_t) slot_ns;
  /* Amounts of the slots that were emptied; with the slots it makes the total
   * ever added. */
  RG_ATOMIC(uint64_t) retired;
  /* Upper half: the slot's epoch (time / slot_ns, low 32 bits). Lower half: its
   * amount, below a bit that says that what the slot held before is not in
   * `retired` yet. One word, so that an amount never lands in an epoch that is
   * over. */
  RG_ATOMIC(uint64_t) slots[RG_WINDOW_SLOTS];
};

struct rg_window_reading {
  uint64_t recent; /* added within the span */
  uint64_t total;  /* added since the beginning; may lag, never leads */
};

/* Empties `window` and sets its span; below RG_WINDOW_SLOTS ns it counts as
 * that. */
void rg_window_init(struct rg_window *window, uint64_t span_ns);

/* Adds `amount` to the running slot. A slot holds less than 2^30; more is lost.
 * What several threads add at the same time must be less than that, too. */
void rg_window_add(struct rg_window *window, uint32_t amount, uint64_t now);

/* What was added since the beginning; `exact` says whether all of it is there,
 * and nothing is on its way from one slot to the next. */
uint64_t rg_window_total(const struct rg_window *window, bool *exact);

/* Reads both sums in one pass. */
struct rg_window_reading rg_window_read(const struct rg_window *window,
                                        uint64_t now);

RG_C_END

#endif
