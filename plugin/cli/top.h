/* SPDX-License-Identifier: Apache-2.0 */

/* The verb `top`: the targets of a running program, live.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_TOP_H
#define RG_CLI_TOP_H

#include "core/cxx.h"

RG_C_BEGIN

/* Returns RG_CLI_ERRORS when the program cannot be read; once its targets are
 * on the screen, that is shown there instead, and tried again. */
int rg_cli_top(int argc, char **argv);

RG_C_END

#endif
