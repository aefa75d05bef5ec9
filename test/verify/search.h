/* SPDX-License-Identifier: Apache-2.0 */

/* Goes through all orders in which a property's threads can take their steps.
 *
 * Depth first; each branch is run again from the start. Where a run comes to a
 * state that was searched before it stops: what follows is known.
 *
 * Threads: not safe. */
#ifndef RG_VERIFY_SEARCH_H
#define RG_VERIFY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "property.h"

struct rg_search {
  const char *broken;   /* what does not hold, in static memory; NULL: holds */
  size_t states;        /* that were told apart */
  double interleavings; /* that these cover */
};

/* Searches until something breaks. With `trace`, then prints the steps that
 * led there. */
struct rg_search rg_search_all(const struct rg_property *property, bool trace);

#endif
