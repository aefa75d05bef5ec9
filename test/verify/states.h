/* SPDX-License-Identifier: Apache-2.0 */

/* The states that were searched, and in how many ways each of them can end.
 *
 * Threads: one owner. */
#ifndef RG_VERIFY_STATES_H
#define RG_VERIFY_STATES_H

#include <stdbool.h>
#include <stddef.h>

#include "threads.h"

struct rg_states {
  struct rg_states_entry *entries;
  size_t places; /* 0 or a power of two */
  size_t count;
};

/* The ways to end from `state`; 0: not known yet. */
double rg_states_find(const struct rg_states *states, struct rg_state state);

/* Adds a state that is not there yet, with `ways` > 0. Ends the process when
 * there is no memory. */
void rg_states_add(struct rg_states *states, struct rg_state state,
                   double ways);

/* Frees what `states` holds and makes it empty. */
void rg_states_clean_up(struct rg_states *states);

#endif
