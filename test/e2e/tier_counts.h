/* SPDX-License-Identifier: Apache-2.0 */

/* What a tier saw: the counters behind Control.Read.
 *
 * Threads: safe. */
#ifndef RG_TEST_E2E_TIER_COUNTS_H
#define RG_TEST_E2E_TIER_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/rpc_server.h"

struct rg_tier_counts;

struct rg_tier_counts *rg_tier_counts_new(void);
void rg_tier_counts_destroy(struct rg_tier_counts *counts);

/* Counts a request; returns how many came before it. */
uint64_t rg_tier_counts_add(struct rg_tier_counts *counts,
                            const struct rg_rpc_incoming *incoming);

/* A request was cancelled; a kept request is answered at `now`, of which the
 * first counts. */
void rg_tier_counts_cancelled(struct rg_tier_counts *counts);
void rg_tier_counts_released(struct rg_tier_counts *counts, uint64_t now);

/* The counters as a packed Counts message with `breaker_state`, which the
 * caller frees; sets them to zero in the same step if asked to. */
uint8_t *rg_tier_counts_pack(struct rg_tier_counts *counts, bool reset,
                             uint32_t breaker_state, size_t *size);

#endif
