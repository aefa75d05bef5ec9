/* SPDX-License-Identifier: Apache-2.0 */

/* Cells in aligned columns, two spaces apart.
 *
 * Threads: as paper.h. */
#ifndef RG_CLI_TABLE_H
#define RG_CLI_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/paper.h"
#include "core/cxx.h"

RG_C_BEGIN

#define RG_TABLE_MAX_COLUMNS 16

struct rg_cell {
  const char *text; /* NULL: empty */
  enum rg_ink ink;
};

/* A view of the caller's cells. */
struct rg_table {
  const struct rg_cell *cells; /* row by row: rows * columns of them */
  size_t rows;
  size_t columns; /* at most RG_TABLE_MAX_COLUMNS */
  size_t indent;  /* columns of the paper left free before each row */
  /* Bit n: the texts of column n stand at its right, as numbers do. */
  uint32_t right;
};

/* Writes the rows, each on a line of its own, from the begin of a line. Texts
 * of the last column are wrapped within it, unless it stands at the right;
 * where it would be too narrow for that, they hang a little under their row. */
void rg_table_write(const struct rg_table *table, struct rg_paper *paper);

RG_C_END

#endif
