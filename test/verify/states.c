/* SPDX-License-Identifier: Apache-2.0 */
#include "states.h"

#include <stdio.h>
#include <stdlib.h>

struct rg_states_entry {
  struct rg_state state;
  double ways; /* 0: a free place */
};

static struct rg_states_entry *place_of(const struct rg_states *states,
                                        struct rg_state state) {
  size_t at = state.a ^ state.a >> 32;
  for (;; at++) {
    struct rg_states_entry *e = &states->entries[at & (states->places - 1)];
    if (e->ways == 0 || (e->state.a == state.a && e->state.b == state.b))
      return e;
  }
}

double rg_states_find(const struct rg_states *states, struct rg_state state) {
  return states->places > 0 ? place_of(states, state)->ways : 0;
}

static void grow(struct rg_states *states) {
  struct rg_states old = *states;
  states->places = old.places > 0 ? 2 * old.places : 1024;
  states->entries = calloc(states->places, sizeof *states->entries);
  if (states->entries == NULL) {
    fputs("There is not enough memory.\n", stderr);
    exit(2);
  }
  for (size_t i = 0; i < old.places; i++)
    if (old.entries[i].ways > 0)
      *place_of(states, old.entries[i].state) = old.entries[i];
  free(old.entries);
}

void rg_states_add(struct rg_states *states, struct rg_state state,
                   double ways) {
  if (2 * states->count >= states->places) grow(states);
  *place_of(states, state) = (struct rg_states_entry){state, ways};
  states->count++;
}

void rg_states_clean_up(struct rg_states *states) {
  free(states->entries);
  *states = (struct rg_states){0};
}
