/* SPDX-License-Identifier: Apache-2.0 */

/* Has gnuplot draw pictures.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_DRAWING_H
#define RG_CLI_DRAWING_H

#include <stdbool.h>

#include "core/cxx.h"
#include "sim/picture.h"

RG_C_BEGIN

/* Draws the results to the file `path`; false after a complaint. */
bool rg_drawing_make(const struct rg_results *results,
                     enum rg_picture_kind kind, const char *path);

RG_C_END

#endif
