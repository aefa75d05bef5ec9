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

/* Writes the table of `figures`, whose counts are rates, and below it the
 * breakers that are not closed, on about `rows` lines; it says of how many
 * targets and breakers they are the begin. False: there is no memory for it. */
bool rg_top_page_write(const struct rg_figures *figures, size_t rows,
                       struct rg_paper *paper);

RG_C_END

#endif
