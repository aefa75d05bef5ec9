/* SPDX-License-Identifier: Apache-2.0 */

/* The verb `explain`: what a service config means for one method.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_EXPLAIN_H
#define RG_CLI_EXPLAIN_H

#include "core/cxx.h"

RG_C_BEGIN

int rg_cli_explain(int argc, char **argv);

RG_C_END

#endif
