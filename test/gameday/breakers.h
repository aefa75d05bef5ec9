/* SPDX-License-Identifier: Apache-2.0 */

/* The breakers of the guard in this process, if there is one: it is preloaded,
 * and the programs are not linked to it.
 *
 * Threads: safe. */
#ifndef RG_TEST_GAMEDAY_BREAKERS_H
#define RG_TEST_GAMEDAY_BREAKERS_H

#include "sim/record.h"

RG_C_BEGIN

/* Counts the breaker of `target` in the slice if it is not closed. Returns how
 * many calls and attempts it has refused so far. */
uint64_t rg_breakers_look(const char *target, struct rg_slice *slice);

RG_C_END

#endif
