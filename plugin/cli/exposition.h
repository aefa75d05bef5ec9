/* SPDX-License-Identifier: Apache-2.0 */

/* Prometheus' text format, read as far as a text of ours needs it.
 *
 * Threads: pure. */
#ifndef RG_CLI_EXPOSITION_H
#define RG_CLI_EXPOSITION_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

/* One sample: a view of its line. */
struct rg_sample {
  const char *line; /* which begins with the name; not in NUL, its end is */
  size_t name_length;
  const char *labels; /* what stands between the braces */
  size_t labels_length;
  double value;
};

/* Reads the line of `length` bytes. False: it is a comment, empty, or no
 * sample. */
bool rg_sample_read(const char *line, size_t length, struct rg_sample *sample);

bool rg_sample_is(const struct rg_sample *sample, const char *name);

/* Writes the value of the label `key` to `value`, of `size` bytes, without
 * escapes and ending in NUL; a longer one is cut. False: there is none, and
 * `value` is "". */
bool rg_sample_label(const struct rg_sample *sample, const char *key,
                     char *value, size_t size);

RG_C_END

#endif
