/* SPDX-License-Identifier: Apache-2.0 */

/* How an attempt ended, in gRPC's terms.
 *
 * Threads: pure. */
#ifndef RG_CORE_OUTCOME_H
#define RG_CORE_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "core/backoff.h"
#include "core/breaker.h"
#include "core/cxx.h"

RG_C_BEGIN

#define RG_STATUS_OK 0
#define RG_STATUS_CANCELLED 1
#define RG_STATUS_DEADLINE_EXCEEDED 4
#define RG_STATUS_RESOURCE_EXHAUSTED 8
#define RG_STATUS_UNAVAILABLE 14

/* How far the attempt's stream got, where gRPC knows. */
enum rg_network {
  RG_NETWORK_UNKNOWN,  /* it may have reached the server */
  RG_NETWORK_NOT_SENT, /* never left this process */
  RG_NETWORK_NOT_SEEN, /* sent; the server says it did not look at it */
};

struct rg_outcome {
  uint32_t status; /* a gRPC status code */
  bool committed;  /* gRPC cannot repeat the call any more */
  bool local;      /* made in this process: says nothing of the server */
  enum rg_network network;
  struct rg_pushback pushback;
};

/* Whether gRPC repeats the attempt transparently, outside retryPolicy: always
 * when it was not sent, once per call when it was not seen. */
bool rg_outcome_is_transparent(const struct rg_outcome *outcome,
                               bool not_seen_before);

/* What the attempt says about the server: failure for a status in
 * `failure_codes` (bit n: status code n), success for any other, neutral when
 * it says nothing: cancelled by the client, refused by this process, or never
 * seen by the server. */
enum rg_result rg_outcome_result(const struct rg_outcome *outcome,
                                 uint32_t failure_codes);

RG_C_END

#endif
