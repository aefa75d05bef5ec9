/* SPDX-License-Identifier: Apache-2.0 */

/* Threads that take one atomic step at a time, each when told to: coroutines
 * that give way in <stdatomic.h>'s place.
 *
 * Threads: not safe; there is one set of them. */
#ifndef RG_VERIFY_THREADS_H
#define RG_VERIFY_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "property.h"

/* A step that cannot matter to another thread is taken together with the one
 * before it. Which these are is learnt from the runs between two calls of
 * learn; true: something new, so what was searched meanwhile does not count. */
void rg_threads_forget(void);
bool rg_threads_learn(void);

/* Makes the world anew and brings each thread to its first step. `property`
 * must outlive the run; one that was not finished is forgotten. */
void rg_threads_start(const struct rg_property *property);

/* Whether the thread `id` has a step left to take; whether that may fail for no
 * reason. */
bool rg_threads_can_go(int id);
bool rg_threads_can_fail(int id);

/* Takes one step of the thread `id`, which must have one left. */
void rg_threads_go(int id, bool fail);

/* Tells two states apart. Equal for runs that lead to the same. */
struct rg_state {
  uint64_t a, b;
};
struct rg_state rg_threads_state(void);

/* What broke in this run, a text in static memory; NULL: nothing. */
const char *rg_threads_broken(void);

/* Whether steps are printed. */
void rg_threads_trace(bool on);

#endif
