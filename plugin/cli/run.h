/* SPDX-License-Identifier: Apache-2.0 */

/* The verb `run`: starts a program with the guard preloaded.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_RUN_H
#define RG_CLI_RUN_H

#include "core/cxx.h"

RG_C_BEGIN

/* Does not return when the program was started. */
int rg_cli_run(int argc, char **argv);

RG_C_END

#endif
