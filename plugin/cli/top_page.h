/* SPDX-License-Identifier: Apache-2.0 */

/* What `top` shows.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_TOP_PAGE_H
#define RG_CLI_TOP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/figures.h"
#include "cli/paper.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Writes the table of `figures`, whose counts are rates, with at most `rows`
 * targets, and says of how many it is the begin. False, with nothing written:
 * there is no memory for it. */
bool rg_top_page_write(const struct rg_figures *figures, size_t rows,
                       struct rg_paper *paper);

RG_C_END

#endif
