/* SPDX-License-Identifier: Apache-2.0 */
#include "e2e/demo_picture.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_MS 1000000
#define BAR 27 /* columns of the longest bar */

void rg_demo_histogram_add(struct rg_demo_histogram *histogram, int64_t ns) {
  int64_t bin = ns < 0 ? 0 : ns / (RG_DEMO_BIN_MS * NS_PER_MS);
  histogram->bins[bin < RG_DEMO_BINS ? bin : RG_DEMO_BINS - 1]++;
}

static size_t highest(const struct rg_demo_histogram *histogram) {
  size_t max = 0;
  for (size_t i = 0; i < RG_DEMO_BINS; i++)
    if (histogram->bins[i] > max) max = histogram->bins[i];
  return max;
}

static size_t rows(const struct rg_demo_histogram *left,
                   const struct rg_demo_histogram *right) {
  size_t count = RG_DEMO_BINS;
  while (count > 1 && left->bins[count - 1] + right->bins[count - 1] == 0)
    count--;
  return count;
}

/* Rounds up, so that a bar is empty only where nothing was counted. */
static void print_bar(size_t count, size_t per_column, bool pad) {
  char bar[BAR + 1] = "";
  memset(bar, '#', (count + per_column - 1) / per_column);
  printf(pad ? "%5zu |%-*s" : "%5zu |%.*s", count, BAR, bar);
}

static void print_row(size_t row, const struct rg_demo_histogram *left,
                      const struct rg_demo_histogram *right,
                      size_t per_column) {
  printf("%4zu%s", row * RG_DEMO_BIN_MS, row == RG_DEMO_BINS - 1 ? "+" : " ");
  print_bar(left->bins[row], per_column, true);
  print_bar(right->bins[row], per_column, false);
  putchar('\n');
}

void rg_demo_histogram_print(const struct rg_demo_histogram *left,
                             const struct rg_demo_histogram *right) {
  size_t max = highest(left) > highest(right) ? highest(left) : highest(right);
  size_t per_column = max < BAR ? 1 : (max + BAR - 1) / BAR;
  size_t count = rows(left, right);
  printf("  ms  calls  %-*s calls  %s\n", BAR, left->title, right->title);
  for (size_t row = 0; row < count; row++)
    print_row(row, left, right, per_column);
  printf("  one # is %zu call%s; a row is %d ms\n", per_column,
         per_column == 1 ? "" : "s", RG_DEMO_BIN_MS);
}
