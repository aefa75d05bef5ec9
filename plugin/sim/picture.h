/* SPDX-License-Identifier: Apache-2.0 */

/* Pictures of results, drawn by gnuplot: of each run what comes to the watched
 * tier, by the number of the attempt, with the calls and the good answers;
 * under it the queue and the open breakers; and at the foot of all the requests
 * around the trouble, slice by slice. All on the same scales, the trouble
 * shaded.
 *
 * Threads: one owner. */
#ifndef RG_SIM_PICTURE_H
#define RG_SIM_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "core/cxx.h"
#include "sim/result.h"

RG_C_BEGIN

enum rg_picture_kind { RG_PICTURE_SVG, RG_PICTURE_PNG };

/* More runs than this make a picture that nobody can read. */
#define RG_PICTURE_MAX_RUNS 4

/* Writes what gnuplot makes a picture of the first runs from, to the file
 * `path`; false when it could not be written. */
bool rg_picture_write_script(const struct rg_results *results,
                             enum rg_picture_kind kind, const char *path,
                             FILE *out);

RG_C_END

#endif
