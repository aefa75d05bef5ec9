/* SPDX-License-Identifier: Apache-2.0 */

/* The methods that a compiled descriptor set describes (what protoc writes with
 * --descriptor_set_out), and which of them are safe to repeat.
 *
 * Threads: pure, but for the heap. */
#ifndef RG_CLI_METHODS_H
#define RG_CLI_METHODS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/faults.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Beyond these a set is refused: a damaged one must not cost any amount of
 * memory. */
#define RG_METHODS_MAX 100000
#define RG_METHODS_MAX_NAME_BYTES 512 /* of a package, service or method */

struct rg_method {
  char *path; /* such as "shop.Ledger/Get" */
  size_t service_length;
  bool safe; /* its idempotency_level is NO_SIDE_EFFECTS or IDEMPOTENT */
};

/* The caller's memory. */
struct rg_methods {
  struct rg_method *items; /* as in the set */
  size_t count;
  size_t safe_count;
};

/* Reads the descriptor set of `length` bytes. False, with a fault, for what is
 * none, is damaged or describes no methods; `methods` is empty then. The path
 * of a fault is a method's, or empty: the whole set. `methods` is to be cleaned
 * up in any case. */
bool rg_methods_read(const void *bytes, size_t length,
                     struct rg_methods *methods, struct rg_faults *faults);

void rg_methods_clean_up(struct rg_methods *methods);

RG_C_END

#endif
