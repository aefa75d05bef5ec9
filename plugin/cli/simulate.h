/* SPDX-License-Identifier: Apache-2.0 */

/* The verb `simulate`: what policies make of a fleet in trouble, in virtual
 * time.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_SIMULATE_H
#define RG_CLI_SIMULATE_H

#include "core/cxx.h"

RG_C_BEGIN

int rg_cli_simulate(int argc, char **argv);

RG_C_END

#endif
