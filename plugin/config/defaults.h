/* SPDX-License-Identifier: Apache-2.0 */

/* Every default of the policy, in one place. policy.proto states them for
 * people; a test holds the two against each other. */
#ifndef RG_CONFIG_DEFAULTS_H
#define RG_CONFIG_DEFAULTS_H

#include "core/backoff.h"
#include "core/layer.h"
#include "core/num.h"

/* Retries stay a tenth of the calls that end OK; the example of gRPC's own
 * retryThrottling has the same ratio. */
#define RG_DEFAULT_TOKEN_RATIO_MILLI 100

/* The longest with which a fleet of 4, 40 or 400 clients gets over a pause with
 * a peak of no more than 1.3 times its calls, where the clients' first tokens
 * allow it: sim/README.md has the table. */
#define RG_DEFAULT_BURST_NS (3 * RG_NS_PER_S)

/* Enough that the first failure of a client that just started is retried; more
 * would be a gift of every client to a target that is down. */
#define RG_DEFAULT_INITIAL_TOKENS_MILLI 1000

/* No bound but `burst`. */
#define RG_DEFAULT_MAX_TOKENS_MILLI 0

/* percent, interval and minRetryRate are the words of the Kubernetes Gateway
 * API's retry budget, and so are 20 % in 10 s. */
#define RG_DEFAULT_WINDOW_PERCENT 20
#define RG_DEFAULT_WINDOW_INTERVAL_NS (10 * RG_NS_PER_S)

/* Its floor of 10/s is not: each client has it, and with 40 clients or more the
 * fleet of sim/README.md never recovers from it. */
#define RG_DEFAULT_MIN_RETRY_COUNT 1
#define RG_DEFAULT_MIN_RETRY_INTERVAL_NS (10 * RG_NS_PER_S)

/* Full jitter spreads a crowd of retries best, and costs the least delay. */
#define RG_DEFAULT_JITTER RG_JITTER_FULL
#define RG_DEFAULT_FLOOR_MS 0

/* More than half of at least 20 results in 10 s: enough to be sure, and soon
 * enough that a client of 2 calls/s notices. The cooldown is what a fleet gets
 * over pauses of 2 to 60 s soonest with, without doubling the probes of those
 * who call seldom, as 1 s does; again sim/README.md. A fifth of spread keeps a
 * fleet's probes apart. */
#define RG_DEFAULT_FAILURE_CODES                                  \
  (1u << 14 /* UNAVAILABLE */ | 1u << 4 /* DEADLINE_EXCEEDED */ | \
   1u << 8 /* RESOURCE_EXHAUSTED */ | 1u << 13 /* INTERNAL */ |   \
   1u << 2 /* UNKNOWN */)
#define RG_DEFAULT_FAILURE_RATIO_MILLI 500
#define RG_DEFAULT_BREAKER_WINDOW_NS (10 * RG_NS_PER_S)
#define RG_DEFAULT_MIN_REQUESTS 20
#define RG_DEFAULT_COOLDOWN_NS (2 * RG_NS_PER_S)
#define RG_DEFAULT_COOLDOWN_JITTER_MILLI 200
#define RG_DEFAULT_PROBES 1

/* Healthy is below a tenth, which is what the default budget allows; a fifth
 * for a minute is a storm that something lets through. */
#define RG_DEFAULT_AMPLIFICATION_ALARM_MILLI 200

#define RG_DEFAULT_KEY_HEADER "idempotency-key"

#define RG_DEFAULT_LAYER_MODE RG_LAYER_OUTERMOST

/* RG_DEFAULT_MAX_HOPS is the core's, which needs it without a policy too. */
#define RG_DEFAULT_LAYER_MAX_HOPS RG_DEFAULT_MAX_HOPS

#endif
