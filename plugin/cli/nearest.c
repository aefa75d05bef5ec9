/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nearest.h"

#include <stdbool.h>
#include <string.h>

#define SIDE (RG_NEAREST_MAX_BYTES + 1)

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static bool swapped(const char *a, const char *b, size_t i, size_t j) {
  return i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
}

/* Costs[i][j] is that of turning the first i characters of `a` into the first j
 * of `b`. */
static size_t distance(const char *a, const char *b) {
  size_t costs[SIDE][SIDE];
  size_t rows = strlen(a);
  size_t columns = strlen(b);
  for (size_t i = 0; i <= rows; i++) costs[i][0] = i;
  for (size_t j = 0; j <= columns; j++) costs[0][j] = j;
  for (size_t i = 1; i <= rows; i++)
    for (size_t j = 1; j <= columns; j++) {
      size_t cost = costs[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost = least(cost, least(costs[i - 1][j], costs[i][j - 1]) + 1);
      if (swapped(a, b, i, j)) cost = least(cost, costs[i - 2][j - 2] + 1);
      costs[i][j] = cost;
    }
  return costs[rows][columns];
}

const char *rg_nearest(const char *word, const char *const words[],
                       size_t count) {
  const char *nearest = NULL;
  size_t best = 0;
  if (strlen(word) > RG_NEAREST_MAX_BYTES) return NULL;
  for (size_t i = 0; i < count; i++) {
    if (strlen(words[i]) > RG_NEAREST_MAX_BYTES) continue;
    size_t cost = distance(word, words[i]);
    if (cost * 2 > strlen(words[i]) || (nearest != NULL && cost >= best))
      continue;
    nearest = words[i];
    best = cost;
  }
  return nearest;
}
