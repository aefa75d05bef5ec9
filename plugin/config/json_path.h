/* SPDX-License-Identifier: Apache-2.0 */

/* Where in a JSON text something is, as a fault names it:
 * `retryGuard.budget.tokenBucket`, `methodConfig[2]`, `retryGuard["a.b"]`.
 *
 * A path is a list of nodes, one in the stack frame of each level on the way
 * down, so nothing is allocated until there is a fault to report.
 *
 * Threads: pure. */
#ifndef RG_CONFIG_JSON_PATH_H
#define RG_CONFIG_JSON_PATH_H

#include <stddef.h>

#include "config/faults.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Bytes that suffice for a path with its NUL; what is longer is cut. */
#define RG_JSON_PATH_SIZE 1024

struct rg_json_path {
  const struct rg_json_path *parent; /* NULL: the root */
  const char *key;                   /* NULL: an array's element */
  size_t index;
};

/* Writes `path` to `text`, of RG_JSON_PATH_SIZE bytes. The root's key stands as
 * it is; with an empty one paths begin with what is below it. */
void rg_json_path_write(const struct rg_json_path *path, char *text);

/* Adds a fault at `path`. */
void rg_json_path_fault(const struct rg_json_path *path,
                        struct rg_faults *faults, enum rg_fault_kind kind,
                        const char *format, ...)
    __attribute__((format(printf, 4, 5)));

RG_C_END

#endif
