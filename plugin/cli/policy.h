/* SPDX-License-Identifier: Apache-2.0 */

/* The verb `policy`: a service config from what .proto files say.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_POLICY_H
#define RG_CLI_POLICY_H

#include "core/cxx.h"

RG_C_BEGIN

int rg_cli_policy(int argc, char **argv);

RG_C_END

#endif
