/* SPDX-License-Identifier: Apache-2.0 */

/* Amounts counted over a sliding span of time, in RG_WINDOW_SLOTS slots.
 *
 * The span slides by whole slots: a read covers the running slot and the
 * RG_WINDOW_SLOTS - 1 before it, so at least nine tenths of the span and never
 * more than it. Being idle for a day costs no more than for a second. Time may
 * step: a step of less than the span either way leaves amounts where they are,
 * and one further back empties the window with the next addition.
 *
 * How a read takes no sum over slots: `word` counts amounts for ever, `marks`
 * remember what it stood at when each slot began, and what was added in the
 * span is the difference.
 *
 * Threads: safe, but for init, which needs the window for itself; adding is one
 * atomic addition, but for the first of a slot and for one that comes late. */
#ifndef RG_CORE_WINDOW_H
#define RG_CORE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_WINDOW_SLOTS 10

/* More than the slots need, so that threads may differ in their time; a power
 * of two keeps the place of an epoch when its bits wrap. */
#define RG_WINDOW_MARKS 16

struct rg_window {
  RG_ATOMIC(uint64_t) slot_ns;
  /* All that was ever added, as it stood when a slot began: what `word` has no
   * room for. May lag, never leads. */
  RG_ATOMIC(uint64_t) base;
  /* Upper 35 bits: all amounts so far, modulo 2^35. Lower 28: the running
   * slot's epoch (time / slot_ns). In one word, so that whoever begins a slot
   * knows what all others before it hold. */
  RG_ATOMIC(uint64_t) word;
  /* The same word as it stood at the beginning of an epoch. */
  RG_ATOMIC(uint64_t) marks[RG_WINDOW_MARKS];
};

struct rg_window_reading {
  uint64_t recent; /* added within the span */
  uint64_t total;  /* added since the beginning */
};

/* Makes an empty window of that span; below RG_WINDOW_SLOTS ns it counts as
 * that. */
void rg_window_init(struct rg_window *window, uint64_t span_ns);

/* Empties `window`, but for its total, and sets its span. What is added at the
 * same time may go with the rest. */
void rg_window_empty(struct rg_window *window, uint64_t span_ns);

/* Adds `amount` to the running slot. A slot holds less than 2^30; more is lost.
 * What several threads add at the same time must be less than that, too. */
void rg_window_add(struct rg_window *window, uint32_t amount, uint64_t now);

/* The usual part of it: false, and nothing has happened, when the running slot
 * has to begin first or is not the newest. */
bool rg_window_add_to_running(struct rg_window *window, uint32_t amount,
                              uint64_t now);

/* What was added since the beginning. */
uint64_t rg_window_total(const struct rg_window *window);

/* Reads both sums at once. `recent` is 0 while the mark that it needs is one of
 * a much later time already. */
struct rg_window_reading rg_window_read(const struct rg_window *window,
                                        uint64_t now);

RG_C_END

#endif
