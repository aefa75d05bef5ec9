/* SPDX-License-Identifier: Apache-2.0 */

/* The verb `check`: what is wrong with service configs.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_CHECK_H
#define RG_CLI_CHECK_H

#include "core/cxx.h"

RG_C_BEGIN

int rg_cli_check(int argc, char **argv);

RG_C_END

#endif
