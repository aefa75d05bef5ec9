/* SPDX-License-Identifier: Apache-2.0 */

/* The scenario files that come with the command.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_SCENARIOS_H
#define RG_CLI_SCENARIOS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

/* Writes the folder where they are to `path`; false when there is none. */
bool rg_scenarios_folder(char *path, size_t size);

/* Writes the path of the scenario `name` to `path`: a file that is there under
 * just this name, or else one of those above. */
void rg_scenarios_find(const char *name, char *path, size_t size);

RG_C_END

#endif
