/* SPDX-License-Identifier: Apache-2.0 */

/* The library libretry_guard_preload.so, and how a program gets it.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_PRELOADED_H
#define RG_CLI_PRELOADED_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_PRELOADED_NAME "libretry_guard_preload.so"

/* Finds the library for the command that is the file `command`: beside it, as
 * in a build tree; or in the folder for libraries of the same installation. Its
 * path is written to `path`; its bare name, for the dynamic linker to look for,
 * if it is in none of them. False when `path` is too small. */
bool rg_preloaded_find(const char *command, char *path, size_t size);

/* Puts `path` in front of what LD_PRELOAD holds. NULL, or why that is not
 * possible; static. */
const char *rg_preloaded_add(const char *path);

RG_C_END

#endif
