/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/paper.h"
#include "cli/simulation.h"
#include "cli/table.h"

#define COLUMNS 7
#define NUMBER_SIZE 32

/* A chart, in characters. */
#define CHART_WIDTH 66
#define CHART_HEIGHT 8

/* ---- The table ----------------------------------------------------------- */

struct row {
  char requests[NUMBER_SIZE];
  char peak[NUMBER_SIZE];
  char burst[NUMBER_SIZE];
  char amplification[NUMBER_SIZE];
  char back[NUMBER_SIZE];
  char lost[NUMBER_SIZE];
};

static void write_ratio(double value, char *text) {
  if (value > 0)
    snprintf(text, NUMBER_SIZE, "%.2f", value);
  else
    strcpy(text, "-");
}

static void write_back(const struct rg_trial *result, char *text) {
  if (!result->review.has_trouble)
    snprintf(text, NUMBER_SIZE, "over at %.1f s",
             (double)result->run.last_end / 1e9);
  else if (result->review.recovered)
    snprintf(text, NUMBER_SIZE, "%.1f s", result->review.recovery_s);
  else
    strcpy(text, "never");
}

static void write_row(const struct rg_trial *result, struct row *row) {
  snprintf(row->requests, NUMBER_SIZE, "%" PRIu64, result->run.totals.requests);
  write_ratio(result->review.peak, row->peak);
  write_ratio(result->review.burst, row->burst);
  snprintf(row->amplification, NUMBER_SIZE, "%.4f", result->amplification);
  write_back(result, row->back);
  snprintf(row->lost, NUMBER_SIZE, "%" PRIu64, rg_trial_lost(result));
}

static void fill_cells(const struct rg_trial *result, const struct row *row,
                       enum rg_ink ink, struct rg_cell *cells) {
  const char *const texts[COLUMNS] = {
      result->name,       row->requests, row->peak, row->burst,
      row->amplification, row->back,     row->lost};
  for (size_t i = 0; i < COLUMNS; i++)
    cells[i] = (struct rg_cell){texts[i], ink};
}

static void fill_head(struct rg_cell *cells) {
  static const char *const titles[COLUMNS] = {
      "", "requests", "peak", "burst", "amplif.", "back after", "lost"};
  for (size_t i = 0; i < COLUMNS; i++)
    cells[i] = (struct rg_cell){titles[i], RG_INK_BOLD};
}

static void write_table(const struct rg_results *results,
                        const struct rg_limits *limits,
                        struct rg_paper *paper) {
  struct row *rows = calloc(results->count + 1, sizeof *rows);
  struct rg_cell *cells = calloc((results->count + 1) * COLUMNS, sizeof *cells);
  struct rg_table table = {.cells = cells,
                           .rows = results->count + 1,
                           .columns = COLUMNS,
                           .right = 0x7e};
  if (rows != NULL && cells != NULL) {
    fill_head(cells);
    for (size_t i = 0; i < results->count; i++) {
      const struct rg_trial *result = &results->items[i];
      write_row(result, &rows[i]);
      fill_cells(
          result, &rows[i],
          rg_simulation_holds(result, limits) ? RG_INK_PLAIN : RG_INK_RED,
          cells + (i + 1) * COLUMNS);
    }
    rg_table_write(&table, paper);
  }
  free(rows);
  free(cells);
}

static void write_head(const struct rg_results *results,
                       struct rg_paper *paper) {
  double from = (double)results->times.trouble_from / 1e9;
  double until = (double)results->times.trouble_until / 1e9;
  double duration = (double)results->duration_ns / 1e9;
  rg_paper_put(paper, RG_INK_BOLD, "%s", results->title);
  rg_paper_newline(paper);
  rg_paper_put(paper, RG_INK_PLAIN, "%s of %g s, seed %" PRIu64,
               results->source, duration, results->seed);
  if (from < duration)
    rg_paper_put(paper, RG_INK_PLAIN, "; trouble from %g s to %g s", from,
                 until);
  rg_paper_newline(paper);
  rg_paper_newline(paper);
}

static void write_limits(const struct rg_results *results,
                         const struct rg_limits *limits,
                         struct rg_paper *paper) {
  for (size_t i = 0; i < results->count; i++) {
    if (rg_simulation_holds(&results->items[i], limits)) continue;
    rg_paper_put(paper, RG_INK_RED, "%s does not keep within the limits",
                 results->items[i].name);
    rg_paper_newline(paper);
  }
}

/* ---- The chart ----------------------------------------------------------- */

/* Of the seconds that one column stands for, for each second. */
struct column {
  double first; /* requests that are no retries */
  double all;
  double ok;
};

struct chart {
  double from; /* seconds */
  double until;
  double most; /* requests a second, in any column of any run */
};

static size_t slice_at(const struct chart *chart, size_t column) {
  double width = (chart->until - chart->from) / CHART_WIDTH;
  return (size_t)((chart->from + width * (double)column) *
                      RG_RECORD_SLICES_PER_S +
                  0.5);
}

static struct column column_of(const struct chart *chart,
                               const struct rg_record *record, size_t number) {
  struct column column = {0};
  double slices = 0;
  for (size_t i = slice_at(chart, number);
       i < slice_at(chart, number + 1) && i < record->count; i++) {
    column.first += record->slices[i].arrivals[0];
    column.all += rg_slice_arrivals(&record->slices[i]);
    column.ok += record->slices[i].ok;
    slices++;
  }
  double scale = slices > 0 ? RG_RECORD_SLICES_PER_S / slices : 0;
  return (struct column){column.first * scale, column.all * scale,
                         column.ok * scale};
}

static struct chart chart_of(const struct rg_results *results) {
  struct rg_results_window window = rg_results_shown(results);
  struct chart chart = {.from = window.from, .until = window.until};
  for (size_t i = 0; i < results->count; i++)
    for (size_t j = 0; j < CHART_WIDTH; j++) {
      struct column column =
          column_of(&chart, &results->items[i].run.record, j);
      if (column.all > chart.most) chart.most = column.all;
    }
  return chart;
}

/* The row, from 1 at the foot, that `value` reaches. */
static int row_of(const struct chart *chart, double value) {
  return chart->most > 0 ? (int)ceil(value / chart->most * CHART_HEIGHT - 0.01)
                         : 0;
}

static char mark_of(const struct chart *chart, const struct column *column,
                    int row) {
  if (row_of(chart, column->ok) == row) return 'o';
  if (row <= row_of(chart, column->first)) return '#';
  return row <= row_of(chart, column->all) ? '+' : ' ';
}

static void write_chart_row(const struct chart *chart,
                            const struct rg_record *record, int row,
                            struct rg_paper *paper) {
  char line[CHART_WIDTH + 1] = "";
  for (size_t i = 0; i < CHART_WIDTH; i++) {
    struct column column = column_of(chart, record, i);
    line[i] = mark_of(chart, &column, row);
  }
  if (row == CHART_HEIGHT || row == 0)
    rg_paper_put(paper, RG_INK_DIM, "%7.0f/s |", row > 0 ? chart->most : 0);
  else
    rg_paper_put(paper, RG_INK_DIM, "          |");
  rg_paper_put(paper, RG_INK_PLAIN, "%s", line);
  rg_paper_newline(paper);
}

static void write_axis(const struct rg_results *results,
                       const struct chart *chart, struct rg_paper *paper) {
  char line[CHART_WIDTH + 1] = "";
  for (size_t i = 0; i < CHART_WIDTH; i++) {
    uint64_t at = slice_at(chart, i) * RG_RECORD_SLICE_NS;
    uint64_t next = slice_at(chart, i + 1) * RG_RECORD_SLICE_NS;
    bool trouble =
        next > results->times.trouble_from && at < results->times.trouble_until;
    line[i] = trouble ? 'x' : '-';
  }
  rg_paper_put(paper, RG_INK_DIM, "          +%s", line);
  rg_paper_newline(paper);
  char until[NUMBER_SIZE];
  snprintf(until, sizeof until, "%g s", chart->until);
  rg_paper_put(paper, RG_INK_DIM, "           %-*g%s",
               (int)(CHART_WIDTH - strlen(until)), chart->from, until);
  rg_paper_newline(paper);
}

static void write_charts(const struct rg_results *results,
                         struct rg_paper *paper) {
  struct chart chart = chart_of(results);
  rg_paper_newline(paper);
  rg_paper_put(paper, RG_INK_DIM,
               "requests: # first attempts, + retries; o good answers; x the "
               "trouble");
  rg_paper_newline(paper);
  for (size_t i = 0; i < results->count; i++) {
    rg_paper_newline(paper);
    rg_paper_put(paper, RG_INK_BOLD, "%s", results->items[i].name);
    rg_paper_newline(paper);
    for (int row = CHART_HEIGHT; row > 0; row--)
      write_chart_row(&chart, &results->items[i].run.record, row, paper);
    write_axis(results, &chart, paper);
  }
}

void rg_simulation_write_text(const struct rg_results *results,
                              const struct rg_limits *limits, bool chart) {
  struct rg_paper paper = rg_paper_on(stdout);
  write_head(results, &paper);
  write_table(results, limits, &paper);
  write_limits(results, limits, &paper);
  if (chart) write_charts(results, &paper);
}
