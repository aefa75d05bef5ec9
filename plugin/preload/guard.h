/* SPDX-License-Identifier: Apache-2.0 */

/* Loads the guard into a process that has the gRPC library it is for, and
 * registers it as the environment says. What goes wrong is said in one line,
 * and the program runs unguarded; or, when RETRY_GUARD_STRICT is on, it ends
 * with status 78 (EX_CONFIG).
 *
 * Threads: safe. Only the first call does something; concurrent ones wait for
 * it. The loader's lock is not taken while they do, so that a thread that holds
 * it may be among them. */
#ifndef RG_PRELOAD_GUARD_H
#define RG_PRELOAD_GUARD_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the program brought the guard's library itself; it will probably
 * register it. */
bool rg_guard_is_here(void);

/* Registers the guard. */
void rg_guard_register(void);

/* The same for a process whose gRPC library, the file `path`, is another one:
 * says so. */
void rg_guard_refuse(const char *path);

/* Whether one of the two was called. */
bool rg_guard_is_settled(void);

#ifdef __cplusplus
}
#endif

#endif
