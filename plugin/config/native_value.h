/* SPDX-License-Identifier: Apache-2.0 */

/* Single values of the native part of a service config, read as gRPC 1.51
 * reads them: what it refuses is an error, what it takes for something else
 * than is written a warning.
 *
 * Threads: one owner of the report. */
#ifndef RG_CONFIG_NATIVE_VALUE_H
#define RG_CONFIG_NATIVE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/duration.h"
#include "config/json_path.h"
#include "config/json_raw.h"
#include "config/report.h"
#include "config/text.h"
#include "core/cxx.h"

RG_C_BEGIN

struct rg_native_reader {
  const struct rg_json_raw *raw;
  struct rg_report *report;
};

/* A value in its place. Those below it point to it: keep it until then. */
struct rg_native {
  const struct rg_native_reader *reader;
  struct rg_json_path path;
  const json_t *json; /* NULL: not there */
};

/* The member `key` of the object `object`, or an element of the array `array`;
 * json NULL: there is none. */
struct rg_native rg_native_member(const struct rg_native *object,
                                  const char *key);
struct rg_native rg_native_element(const struct rg_native *array, size_t index);

bool rg_native_is_absent(const struct rg_native *value);
bool rg_native_is_null(const struct rg_native *value);
/* Neither. */
bool rg_native_is_given(const struct rg_native *value);

/* Add an error or a warning at `value`. */
#define rg_native_error(value, kind, ...)                                    \
  rg_json_path_fault(&(value)->path, &(value)->reader->report->errors, kind, \
                     __VA_ARGS__)
#define rg_native_warning(value, kind, ...)                                    \
  rg_json_path_fault(&(value)->path, &(value)->reader->report->warnings, kind, \
                     __VA_ARGS__)

/* Each is false with an error added when gRPC refuses the value. */
bool rg_native_object(const struct rg_native *value);
bool rg_native_array(const struct rg_native *value);
bool rg_native_bool(const struct rg_native *value, bool *truth);
/* `text` belongs to the JSON. */
bool rg_native_string(const struct rg_native *value, const char **text);

/* Numbers may also stand in strings. Integers in [low, high], which is the
 * range of gRPC's type. */
bool rg_native_integer(const struct rg_native *value, int64_t low, int64_t high,
                       int64_t *number);
bool rg_native_real(const struct rg_native *value, double *number);

/* A duration, cut to whole milliseconds as gRPC has it. Warns when it is not
 * what is written. */
bool rg_native_duration(const struct rg_native *value, int64_t *ms);

/* Writes a string in quotes, or a number as it is written, to `text` of
 * RG_TEXT_QUOTED_SIZE bytes. */
void rg_native_show(const struct rg_native *value, char *text);

/* The text of a number, in a string or not, in `text`; NULL with an error added
 * for anything else. */
const char *rg_native_number_text(const struct rg_native *value,
                                  char text[RG_JSON_NUMBER_SIZE]);

/* Reads all of `text` as absl::SimpleAtoi does: spaces around and a sign are
 * allowed, though no minus where `low` is 0, of an unsigned type. False: it is
 * none, or not in [low, high]. */
bool rg_native_atoi(const char *text, size_t length, int64_t low, int64_t high,
                    int64_t *number);

RG_C_END

#endif
