/* SPDX-License-Identifier: Apache-2.0 */

/* The keys that gRPC looks for in a service config. It ignores all others
 * without a word, so that a typo turns a feature off.
 *
 * Threads: one owner of the report. */
#ifndef RG_CONFIG_NATIVE_KEYS_H
#define RG_CONFIG_NATIVE_KEYS_H

#include "config/native_value.h"
#include "core/cxx.h"

RG_C_BEGIN

enum rg_native_place {
  RG_NATIVE_TOP,
  RG_NATIVE_METHOD, /* a methodConfig entry */
  RG_NATIVE_NAME,   /* an element of its `name` */
  RG_NATIVE_RETRY_POLICY,
  RG_NATIVE_THROTTLING,
  RG_NATIVE_HEALTH,
};

/* Warns of each member of `object` that gRPC does not look at, and says what
 * was probably meant. Comments, keys that begin with "//" or "_", are left
 * alone. */
void rg_native_check_keys(const struct rg_native *object,
                          enum rg_native_place place);

RG_C_END

#endif
