/* SPDX-License-Identifier: Apache-2.0 */

/* A method's `retryPolicy` and the channel's `retryThrottling`, as gRPC 1.51
 * reads them.
 *
 * Threads: one owner of the report. */
#ifndef RG_CONFIG_NATIVE_RETRY_H
#define RG_CONFIG_NATIVE_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "config/native_value.h"
#include "core/backoff.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Tokens in thousandths. gRPC retries while more than half of the tokens are
 * there; a failure costs one, a success brings the ratio. */
struct rg_throttling {
  uint64_t max_milli;
  uint64_t ratio_milli;
};

/* Read `retryPolicy` or `retryThrottling`, which is there and not null. False,
 * with at least one error added, when gRPC refuses it. */
bool rg_native_read_retry(const struct rg_native *value,
                          struct rg_retry_policy *retry);
bool rg_native_read_throttling(const struct rg_native *value,
                               struct rg_throttling *throttling);

RG_C_END

#endif
