/* SPDX-License-Identifier: Apache-2.0 */

/* The verb `init`: a service config to start from, with every default that
 * matters and what it means.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_INIT_H
#define RG_CLI_INIT_H

#include "core/cxx.h"

RG_C_BEGIN

int rg_cli_init(int argc, char **argv);

RG_C_END

#endif
