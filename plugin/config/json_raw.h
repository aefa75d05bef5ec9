/* SPDX-License-Identifier: Apache-2.0 */

/* JSON whose numbers keep their spelling. gRPC reads numbers of a service
 * config by their text: a tokenRatio of 1 is something else to it than 1.0, and
 * a maxAttempts of 3.0 is none.
 *
 * Threads: pure, but for the heap. */
#ifndef RG_CONFIG_JSON_RAW_H
#define RG_CONFIG_JSON_RAW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "config/faults.h"
#include "config/json_path.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Bytes that suffice for what rg_json_raw_number writes. */
#define RG_JSON_NUMBER_SIZE 64

struct rg_json_span {
  size_t at;
  size_t length;
};

/* Zeroed, it is empty. */
struct rg_json_raw {
  const char *text;             /* the caller's, for as long as this lives */
  json_t *value;                /* its integers are indices into `numbers` */
  struct rg_json_span *numbers; /* in `text` */
  size_t count;
};

/* Reads `length` bytes of `json`, whose root faults name `root`. False when
 * there is no value, and then there is a fault. What gRPC's parser refuses is
 * refused, and so is what is no JSON by the standard. Keys that are given twice
 * are faults, but there is a value. */
bool rg_json_raw_load(struct rg_json_raw *raw, const char *json, size_t length,
                      const char *root, struct rg_faults *faults);
void rg_json_raw_clean_up(struct rg_json_raw *raw);

/* Writes the spelling of the number `value`, cut when it is long, to `text` of
 * RG_JSON_NUMBER_SIZE bytes. */
void rg_json_raw_number(const struct rg_json_raw *raw, const json_t *value,
                        char *text);

/* `value`, at `path`, as ordinary JSON; the caller owns it. NULL with a fault
 * added when a number is too large or memory is out. */
json_t *rg_json_raw_cook(const struct rg_json_raw *raw, const json_t *value,
                         const struct rg_json_path *path,
                         struct rg_faults *faults);

RG_C_END

#endif
