/* SPDX-License-Identifier: Apache-2.0 */

/* Two histograms of times side by side, on the same scales, in 80 columns.
 *
 * Threads: one owner. */
#ifndef RG_TEST_E2E_DEMO_PICTURE_H
#define RG_TEST_E2E_DEMO_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#define RG_DEMO_BIN_MS 10
#define RG_DEMO_BINS 16 /* the last one holds all that is later */

struct rg_demo_histogram {
  const char *title;
  size_t bins[RG_DEMO_BINS];
};

/* Counts a time; one before zero counts as zero. */
void rg_demo_histogram_add(struct rg_demo_histogram *histogram, int64_t ns);

/* Prints both, time running downwards; rows where both are empty at the end
 * are left out. */
void rg_demo_histogram_print(const struct rg_demo_histogram *left,
                             const struct rg_demo_histogram *right);

#endif
