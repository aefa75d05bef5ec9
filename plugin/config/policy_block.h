/* SPDX-License-Identifier: Apache-2.0 */

/* What a parsed block is inside the config room.
 *
 * Threads: as policy.h. */
#ifndef RG_CONFIG_POLICY_BLOCK_H
#define RG_CONFIG_POLICY_BLOCK_H

#include <jansson.h>

#include "config/json_path.h"
#include "config/policy.h"
#include "core/cxx.h"
#include "retry_guard/v1/policy.pb-c.h"

RG_C_BEGIN

struct rg_policy_block {
  RetryGuard__V1__Policy *message; /* validated */
};

/* As rg_policy_block_parse, of a JSON value that is at `path` of a larger
 * text. */
struct rg_policy_block *rg_policy_block_read(const json_t *value,
                                             enum rg_policy_scope scope,
                                             const struct rg_json_path *path,
                                             struct rg_faults *faults);

RG_C_END

#endif
