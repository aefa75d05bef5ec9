/* SPDX-License-Identifier: Apache-2.0 */

/* What a parsed block is inside the config room.
 *
 * Threads: as policy.h. */
#ifndef RG_CONFIG_POLICY_BLOCK_H
#define RG_CONFIG_POLICY_BLOCK_H

#include "config/policy.h"
#include "core/cxx.h"
#include "retry_guard/v1/policy.pb-c.h"

RG_C_BEGIN

struct rg_policy_block {
  RetryGuard__V1__Policy *message; /* validated */
};

RG_C_END

#endif
