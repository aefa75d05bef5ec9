/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/table.h"

#include <stdbool.h>
#include <string.h>

#include "cli/glyph.h"

#define GAP 2

/* A last column narrower than this is no place for a text. */
#define LEAST_TEXT_COLUMNS 24
#define NARROW_HANG 4

struct layout {
  size_t begin[RG_TABLE_MAX_COLUMNS];
  size_t width[RG_TABLE_MAX_COLUMNS];
  size_t hang; /* of the last column's texts */
};

static size_t columns_of(const struct rg_cell *cell) {
  return cell->text != NULL ? rg_glyph_columns(cell->text, strlen(cell->text))
                            : 0;
}

static size_t widest(const struct rg_table *table, size_t column) {
  size_t most = 0;
  for (size_t row = 0; row < table->rows; row++) {
    size_t columns = columns_of(&table->cells[row * table->columns + column]);
    if (columns > most) most = columns;
  }
  return most;
}

static struct layout lay_out(const struct rg_table *table, size_t paper_width) {
  struct layout layout = {.hang = table->indent};
  size_t next = table->indent;
  for (size_t column = 0; column < table->columns; column++) {
    layout.width[column] = widest(table, column);
    layout.begin[column] = next;
    layout.hang = next;
    next += layout.width[column] + GAP;
  }
  if (layout.hang + LEAST_TEXT_COLUMNS > paper_width)
    layout.hang = table->indent + NARROW_HANG;
  return layout;
}

static void write_cell(const struct rg_table *table,
                       const struct layout *layout, size_t column,
                       const struct rg_cell *cell, struct rg_paper *paper) {
  if (cell->text == NULL || cell->text[0] == '\0') return;
  bool right = (table->right >> column & 1) != 0;
  size_t spare = right ? layout->width[column] - columns_of(cell) : 0;
  rg_paper_indent(paper, layout->begin[column] + spare);
  if (column + 1 == table->columns && !right)
    rg_paper_wrap(paper, layout->hang, cell->ink, "%s", cell->text);
  else
    rg_paper_put(paper, cell->ink, "%s", cell->text);
}

void rg_table_write(const struct rg_table *table, struct rg_paper *paper) {
  struct layout layout = lay_out(table, paper->width);
  for (size_t row = 0; row < table->rows; row++) {
    for (size_t column = 0; column < table->columns; column++)
      write_cell(table, &layout, column,
                 &table->cells[row * table->columns + column], paper);
    rg_paper_newline(paper);
  }
}
