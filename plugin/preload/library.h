/* SPDX-License-Identifier: Apache-2.0 */

/* The libraries of Retry Guard, brought into the process when they are needed.
 *
 * Threads: safe. */
#ifndef RG_PRELOAD_LIBRARY_H
#define RG_PRELOAD_LIBRARY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library `soname`: the one of the program, if there is one, since two
 * would be two guards; otherwise the one beside this library, which it was
 * built with, or the system's. NULL with dlerror. */
void *rg_library_open(const char *soname);

/* Whether it is in the process. */
bool rg_library_is_here(const char *soname);

/* Puts the function `name` into the pointer to a function at `function`; false:
 * there is none, and it is NULL. */
bool rg_library_look_up(void *library, const char *name, void *function);

#ifdef __cplusplus
}
#endif

#endif
