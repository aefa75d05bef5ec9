/* SPDX-License-Identifier: Apache-2.0 */

/* The text that is being written: lines of the two formats, in pieces.
 *
 * Threads: a page has one owner. */
#ifndef RG_METRICS_PAGE_H
#define RG_METRICS_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"
#include "retry_guard/metrics.h"

RG_C_BEGIN

#define RG_PAGE_PIECE_BYTES 4096

/* The caller's memory. */
struct rg_page {
  retry_guard_metrics_format format;
  bool (*write)(const char *bytes, size_t length, void *arg);
  void *arg;
  bool ended; /* by `write` */
  size_t used;
  char piece[RG_PAGE_PIECE_BYTES];
};

enum rg_metric_type {
  RG_METRIC_COUNTER,
  RG_METRIC_GAUGE,
  RG_METRIC_HISTOGRAM,
  RG_METRIC_INFO, /* a gauge where the format has none */
};

/* One family of metrics; all static. */
struct rg_family {
  const char *name; /* without the suffix that its type asks for */
  enum rg_metric_type type;
  const char *unit; /* NULL: none; the name ends in it */
  const char *help; /* one line without quotes and backslashes */
};

/* One label, or none with a NULL key. The value is any text; bytes that are no
 * UTF-8, which would spoil the whole text for its reader, are written as
 * "\xff". */
struct rg_label {
  const char *key;
  const char *value;
};

/* Begins `family`: what it is. */
void rg_page_family(struct rg_page *page, const struct rg_family *family);

#define RG_LABELS_MAX 3

/* Those of one sample; the ones left out are none. */
struct rg_labels {
  struct rg_label at[RG_LABELS_MAX];
};

/* One sample of `family`: its name and `suffix` ("" mostly), the labels, and
 * the value: an integer, or one in thousandths, of which UINT64_MAX stands for
 * no limit. */
void rg_page_sample(struct rg_page *page, const struct rg_family *family,
                    const char *suffix, struct rg_labels labels,
                    uint64_t value);
void rg_page_sample_milli(struct rg_page *page, const struct rg_family *family,
                          const char *suffix, struct rg_labels labels,
                          uint64_t milli);

#define RG_MILLI_SIZE 32

/* Writes `milli` thousandths as a number with a point: "0.005", "1.0", "+Inf".
 * Returns `text`, of RG_MILLI_SIZE bytes. */
const char *rg_milli_text(uint64_t milli, char *text);

/* Ends the text, and writes what is left of it. */
void rg_page_end(struct rg_page *page);

RG_C_END

#endif
