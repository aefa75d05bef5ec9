/* SPDX-License-Identifier: Apache-2.0 */

/* What jansson does not tell about a JSON text: which keys are given twice,
 * how deep it nests, and where in the tree a byte is. A scan follows brackets,
 * strings and commas only; whether the text is JSON at all is not its business.
 *
 * Threads: pure, but for the heap. */
#ifndef RG_CONFIG_JSON_SCAN_H
#define RG_CONFIG_JSON_SCAN_H

#include <stddef.h>

#include "config/faults.h"
#include "config/json_path.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Brackets within brackets, as in gRPC's own parser. It bounds every recursion
 * over a text, jansson's and ours. */
#define RG_JSON_DEPTH_MAX 255

enum rg_json_scan_status {
  RG_JSON_SCAN_OK,
  RG_JSON_SCAN_TOO_DEEP,
  /* A key could not be looked at: it is no JSON string, or memory ran out. */
  RG_JSON_SCAN_INCOMPLETE,
};

/* Scans `length` bytes of `json`, whose root faults name `root`. Adds a fault
 * for each key that its object has already, and one for nesting deeper than
 * RG_JSON_DEPTH_MAX, where the scan ends. */
enum rg_json_scan_status rg_json_scan(const char *json, size_t length,
                                      const char *root,
                                      struct rg_faults *faults);

/* Writes the path of what a parser was reading when it had consumed `position`
 * bytes of `json`; `text` has RG_JSON_PATH_SIZE bytes. */
void rg_json_scan_locate(const char *json, size_t position, const char *root,
                         char *text);

RG_C_END

#endif
