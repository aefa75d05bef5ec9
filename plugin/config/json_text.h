/* SPDX-License-Identifier: Apache-2.0 */

/* From text to a jansson value, with faults that say what is wrong and where.
 *
 * Threads: pure, but for the heap. */
#ifndef RG_CONFIG_JSON_TEXT_H
#define RG_CONFIG_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

#include "config/faults.h"
#include "config/json_path.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Reads `length` bytes of `json`, one JSON value whose root faults name `root`.
 * NULL when it cannot be read. Keys that are given twice are faults, but the
 * value is returned, so that its other faults can be found as well. */
json_t *rg_json_text_load(const char *json, size_t length, const char *root,
                          struct rg_faults *faults);

/* The number that `length` bytes of `text` are, which is at `path`; NULL with a
 * fault added when it is too large or memory is out. */
json_t *rg_json_text_number(const char *text, size_t length,
                            const struct rg_json_path *path,
                            struct rg_faults *faults);

/* What `value` is, for a sentence: "a number", "an object". */
const char *rg_json_text_kind(const json_t *value);

RG_C_END

#endif
