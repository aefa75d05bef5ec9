/* SPDX-License-Identifier: Apache-2.0 */

/* The verb `mark`: values of the metadata entry `retry-layer-bin`, as people
 * read them.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_MARK_H
#define RG_CLI_MARK_H

#include "core/cxx.h"

RG_C_BEGIN

/* Returns RG_CLI_ERRORS when a value is no mark; the others are shown. */
int rg_cli_mark(int argc, char **argv);

RG_C_END

#endif
