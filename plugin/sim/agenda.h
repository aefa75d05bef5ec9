/* SPDX-License-Identifier: Apache-2.0 */

/* What is going to happen, in the order of time; what is due at one moment
 * happens in the order in which it was planned. A binary heap.
 *
 * Nothing is ever taken off: whoever plans hands over a serial number, and
 * looks, when the time has come, whether it still holds.
 *
 * Threads: one owner. */
#ifndef RG_SIM_AGENDA_H
#define RG_SIM_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

struct rg_sim_fleet;

typedef void rg_happening(struct rg_sim_fleet *fleet, void *subject,
                          uint32_t serial);

struct rg_appointment {
  uint64_t at;
  uint64_t order;
  rg_happening *happen;
  void *subject;
  uint32_t serial;
};

/* Zeroed, it is empty. */
struct rg_agenda {
  struct rg_appointment *items;
  size_t count;
  size_t capacity;
  uint64_t planned; /* so far */
};

void rg_agenda_clean_up(struct rg_agenda *agenda);

/* False when memory is out. */
bool rg_agenda_plan(struct rg_agenda *agenda, uint64_t at, rg_happening *happen,
                    void *subject, uint32_t serial);

/* Takes the next; false: there is none. */
bool rg_agenda_next(struct rg_agenda *agenda, struct rg_appointment *next);

RG_C_END

#endif
