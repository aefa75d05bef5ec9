/* SPDX-License-Identifier: Apache-2.0 */

/* Which methods a methodConfig entry is for: its `name`, read as gRPC 1.51
 * reads it, and looked up as gRPC looks it up.
 *
 * Threads: one owner while names are read; then immutable. */
#ifndef RG_CONFIG_NATIVE_NAMES_H
#define RG_CONFIG_NATIVE_NAMES_H

#include <jansson.h>
#include <stddef.h>

#include "config/native_value.h"
#include "core/cxx.h"

RG_C_BEGIN

#define RG_NATIVE_NO_ENTRY ((size_t)-1)

/* Entries by name. */
struct rg_native_names {
  json_t *paths;    /* "/service/method" or "/service/" to an entry's number */
  size_t otherwise; /* the entry for all other methods, or NO_ENTRY */
};

/* False when memory is out. */
bool rg_native_names_init(struct rg_native_names *names);
void rg_native_names_clean_up(struct rg_native_names *names);

/* Reads the `name` of `entry`, which has the number `number`. Errors and
 * warnings go to the report. */
void rg_native_names_read(struct rg_native_names *names,
                          const struct rg_native *entry, size_t number);

/* The number of the entry for `method` of `service`; the most specific one
 * counts. */
size_t rg_native_names_find(const struct rg_native_names *names,
                            const char *service, const char *method);

RG_C_END

#endif
