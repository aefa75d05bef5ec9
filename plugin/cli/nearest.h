/* SPDX-License-Identifier: Apache-2.0 */

/* What somebody probably meant.
 *
 * Threads: pure. */
#ifndef RG_CLI_NEAREST_H
#define RG_CLI_NEAREST_H

#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

/* Words longer than this have no nearest. */
#define RG_NEAREST_MAX_BYTES 32

/* Returns that of the `count` words of `words` from which `word` differs by the
 * fewest characters inserted, removed, replaced or swapped with their
 * neighbour, the first of several; NULL when even that is less than half the
 * same. */
const char *rg_nearest(const char *word, const char *const words[],
                       size_t count);

RG_C_END

#endif
