/* SPDX-License-Identifier: Apache-2.0 */

/* What verbs print as JSON.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_JSON_OUTPUT_H
#define RG_CLI_JSON_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>

#include "core/cxx.h"

RG_C_BEGIN

/* `list` with `item` at its end, which it takes. NULL, and both are gone, when
 * either is NULL or memory is out. */
json_t *rg_json_appended(json_t *list, json_t *item);

/* `object` with the member `key`; else the same. */
json_t *rg_json_with(json_t *object, const char *key, json_t *value);

/* A text of which not all is known to be UTF-8, as a file's name. NULL when
 * memory is out. */
json_t *rg_json_text(const char *text);

/* Prints `value` and a newline to standard output; false after a complaint when
 * it is NULL, that is, when memory is out, or could not be written whole. */
bool rg_json_print(const json_t *value);

RG_C_END

#endif
