/* SPDX-License-Identifier: Apache-2.0 */

/* An effective policy for people: every value as the service config would have
 * it, and where it comes from.
 *
 * Threads: pure. */
#ifndef RG_CONFIG_POLICY_VALUES_H
#define RG_CONFIG_POLICY_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "config/policy.h"
#include "core/cxx.h"

RG_C_BEGIN

#define RG_POLICY_VALUES_MAX 48
#define RG_POLICY_VALUE_SIZE 256

enum rg_value_source {
  RG_SOURCE_DEFAULT,
  RG_SOURCE_CHANNEL, /* the retryGuard at the top level */
  RG_SOURCE_METHOD,  /* that of the methodConfig entry */
};

struct rg_policy_value {
  const char *path; /* such as "budget.tokenBucket.tokenRatio"; static */
  char text[RG_POLICY_VALUE_SIZE];
  enum rg_value_source source;
};

/* Writes the values of rg_policy_resolve(channel, method) in the order of the
 * schema, less those of a budget algorithm that is not in use; returns how
 * many. Both blocks may be NULL. */
size_t rg_policy_values(const struct rg_policy_block *channel,
                        const struct rg_policy_block *method,
                        struct rg_policy_value values[RG_POLICY_VALUES_MAX]);

/* Writes the names of status codes, bit n of `codes`: "UNAVAILABLE, INTERNAL".
 */
void rg_policy_codes_write(uint32_t codes, char text[RG_POLICY_VALUE_SIZE]);

RG_C_END

#endif
