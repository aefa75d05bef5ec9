/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/glyph.h"
#include "cli/table.h"

#define COLUMNS 7
#define NUMBER_SIZE 24
#define STOPS_SIZE 192

/* Wider names are cut, at their begin: it is the end that differs. */
#define NAME_COLUMNS 32
#define ELLIPSIS "..."

/* Below it the table's numbers would be 0.0. */
#define LEAST 0.05

/* The texts of one row. */
struct row {
  char name[RG_FIGURES_NAME_SIZE + sizeof ELLIPSIS];
  char calls[NUMBER_SIZE];
  char retries[NUMBER_SIZE];
  char amplification[NUMBER_SIZE];
  char tokens[NUMBER_SIZE];
  char breaker[NUMBER_SIZE];
  char stops[STOPS_SIZE];
};

static void write_name(const char *name, char *text) {
  size_t length = strlen(name);
  *text = '\0';
  if (rg_glyph_columns(name, length) > NAME_COLUMNS) {
    size_t room = NAME_COLUMNS - strlen(ELLIPSIS);
    while (rg_glyph_columns(name, length) > room) {
      size_t taken = rg_glyph_read(name, length).taken;
      name += taken;
      length -= taken;
    }
    strcpy(text, ELLIPSIS);
  }
  strcat(text, name);
}

static void write_number(double value, int decimals, char *text) {
  if (isinf(value))
    strcpy(text, "no limit");
  else
    snprintf(text, NUMBER_SIZE, "%.*f", decimals, value);
}

static void write_breaker(const struct rg_figures_target *target, char *text) {
  if (target->open > 1)
    snprintf(text, NUMBER_SIZE, "%.0f open", target->open);
  else if (target->open > 0)
    strcpy(text, "open");
  else
    strcpy(text, target->half_open > 0 ? "half-open" : "closed");
}

static void write_stops(const double *stops, char *text) {
  size_t used = 0;
  strcpy(text, "-");
  for (int i = 0; i < RETRY_GUARD_STOP_COUNT; i++) {
    if (stops[i] < LEAST || used >= STOPS_SIZE) continue;
    used += (size_t)snprintf(
        text + used, STOPS_SIZE - used, "%s%s %.1f", used > 0 ? ", " : "",
        retry_guard_stop_string((retry_guard_stop)i), stops[i]);
  }
}

static void write_row(const struct rg_figures_target *target, struct row *row) {
  write_name(target->name, row->name);
  write_number(target->counts.calls, 1, row->calls);
  write_number(target->counts.retries, 1, row->retries);
  write_number(target->amplification, 2, row->amplification);
  write_number(target->tokens, 1, row->tokens);
  write_breaker(target, row->breaker);
  write_stops(target->counts.stops, row->stops);
}

static enum rg_ink ink_of_breaker(const struct rg_figures_target *target) {
  if (target->open > 0) return RG_INK_RED;
  return target->half_open > 0 ? RG_INK_YELLOW : RG_INK_PLAIN;
}

static void fill_cells(const struct rg_figures_target *target,
                       const struct row *row, struct rg_cell *cells) {
  cells[0] = (struct rg_cell){row->name, RG_INK_PLAIN};
  cells[1] = (struct rg_cell){row->calls, RG_INK_PLAIN};
  cells[2] = (struct rg_cell){row->retries, RG_INK_PLAIN};
  cells[3] = (struct rg_cell){row->amplification,
                              target->alarm ? RG_INK_RED : RG_INK_PLAIN};
  cells[4] = (struct rg_cell){
      row->tokens, target->tokens < 1 ? RG_INK_YELLOW : RG_INK_PLAIN};
  cells[5] = (struct rg_cell){row->breaker, ink_of_breaker(target)};
  cells[6] = (struct rg_cell){row->stops, RG_INK_PLAIN};
}

static void fill_head(struct rg_cell *cells) {
  static const char *const titles[COLUMNS] = {"target",   "calls/s", "retry/s",
                                              "amplif.",  "tokens",  "breaker",
                                              "stopped/s"};
  for (size_t i = 0; i < COLUMNS; i++)
    cells[i] = (struct rg_cell){titles[i], RG_INK_BOLD};
}

static void write_table(const struct rg_figures *figures, size_t rows,
                        struct row *texts, struct rg_cell *cells,
                        struct rg_paper *paper) {
  struct rg_table table = {.cells = cells,
                           .rows = rows + 1,
                           .columns = COLUMNS,
                           .right = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4};
  fill_head(cells);
  for (size_t i = 0; i < rows; i++) {
    write_row(&figures->targets[i], &texts[i]);
    fill_cells(&figures->targets[i], &texts[i], cells + (i + 1) * COLUMNS);
  }
  rg_table_write(&table, paper);
}

static void write_more(size_t count, struct rg_paper *paper) {
  if (count == 0) return;
  rg_paper_put(paper, RG_INK_DIM, "and %zu more", count);
  rg_paper_newline(paper);
}

static bool write_targets(const struct rg_figures *figures, size_t rows,
                          struct rg_paper *paper) {
  if (rows > figures->count) rows = figures->count;
  struct row *texts = calloc(rows + 1, sizeof *texts);
  struct rg_cell *cells = calloc((rows + 1) * COLUMNS, sizeof *cells);
  bool enough = texts != NULL && cells != NULL;
  if (enough) {
    write_table(figures, rows, texts, cells, paper);
    write_more(figures->count - rows, paper);
    if (figures->count == 0) {
      rg_paper_put(paper, RG_INK_DIM, "no guarded call so far");
      rg_paper_newline(paper);
    }
  }
  free(texts);
  free(cells);
  return enough;
}

/* ---- Breakers ------------------------------------------------------------ */

#define BREAKER_COLUMNS 3

static void write_state(const struct rg_figures_breaker *breaker, char *text) {
  const char *state = breaker->open ? "open" : "half-open";
  if (breaker->count > 1)
    snprintf(text, NUMBER_SIZE, "%.0f %s", breaker->count, state);
  else
    strcpy(text, state);
}

static void write_breakers(const struct rg_figures *figures, size_t rows,
                           char (*states)[NUMBER_SIZE], struct rg_cell *cells,
                           struct rg_paper *paper) {
  struct rg_table table = {
      .cells = cells, .rows = rows + 1, .columns = BREAKER_COLUMNS};
  *cells++ = (struct rg_cell){"breaker of", RG_INK_BOLD};
  *cells++ = (struct rg_cell){"state", RG_INK_BOLD};
  *cells++ = (struct rg_cell){"target", RG_INK_BOLD};
  for (size_t i = 0; i < rows; i++) {
    const struct rg_figures_breaker *breaker = &figures->breakers[i];
    write_state(breaker, states[i]);
    *cells++ = (struct rg_cell){breaker->name, RG_INK_PLAIN};
    *cells++ =
        (struct rg_cell){states[i], breaker->open ? RG_INK_RED : RG_INK_YELLOW};
    *cells++ = (struct rg_cell){breaker->target, RG_INK_PLAIN};
  }
  rg_paper_newline(paper);
  rg_table_write(&table, paper);
  write_more(figures->breaker_count - rows, paper);
}

static bool write_all_breakers(const struct rg_figures *figures, size_t rows,
                               struct rg_paper *paper) {
  if (rows == 0) return true;
  char(*states)[NUMBER_SIZE] = calloc(rows, sizeof *states);
  struct rg_cell *cells = calloc((rows + 1) * BREAKER_COLUMNS, sizeof *cells);
  bool enough = states != NULL && cells != NULL;
  if (enough) write_breakers(figures, rows, states, cells, paper);
  free(states);
  free(cells);
  return enough;
}

/* At most a third of the lines, with an empty one, a head and how many more. */
static size_t breakers_on(size_t lines, const struct rg_figures *figures) {
  size_t room = lines / 3 > 3 ? lines / 3 - 3 : 0;
  return room < figures->breaker_count ? room : figures->breaker_count;
}

bool rg_top_page_write(const struct rg_figures *figures, size_t rows,
                       struct rg_paper *paper) {
  size_t breakers = breakers_on(rows, figures);
  size_t targets = breakers > 0 ? rows - breakers - 3 : rows;
  return write_targets(figures, targets, paper) &&
         write_all_breakers(figures, breakers, paper);
}
