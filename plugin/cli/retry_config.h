/* SPDX-License-Identifier: Apache-2.0 */

/* A service config that retries what is safe to repeat.
 *
 * Threads: pure, but for the heap. */
#ifndef RG_CLI_RETRY_CONFIG_H
#define RG_CLI_RETRY_CONFIG_H

#include <jansson.h>
#include <stdint.h>

#include "cli/methods.h"
#include "config/duration.h"
#include "core/backoff.h"
#include "core/cxx.h"

RG_C_BEGIN

/* gRPC keeps it as a float; beyond this it is a slip in any case. */
#define RG_MULTIPLIER_MAX 1000

/* gRPC's own part of a policy, `retryPolicy`; its code is UNAVAILABLE. */
struct rg_retry_settings {
  uint32_t max_attempts;
  struct rg_duration initial_backoff;
  struct rg_duration max_backoff;
  double backoff_multiplier; /* in (0, RG_MULTIPLIER_MAX] */
};

/* What is a good start for most methods; gRPC itself has no defaults. */
struct rg_retry_settings rg_retry_settings_usual(void);

/* The service config: `"retryGuard": {}`, and an entry with a retryPolicy for
 * the safe methods of each service, all in the order of `methods`. A new
 * reference; NULL without memory. */
json_t *rg_retry_config(const struct rg_methods *methods,
                        const struct rg_retry_settings *settings);

RG_C_END

#endif
