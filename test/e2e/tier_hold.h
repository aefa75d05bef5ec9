/* SPDX-License-Identifier: Apache-2.0 */

/* Keeps requests until a given number of them is there, so that all can be
 * answered at the same instant.
 *
 * Threads: safe. */
#ifndef RG_TEST_E2E_TIER_HOLD_H
#define RG_TEST_E2E_TIER_HOLD_H

#include <stddef.h>
#include <stdint.h>

#include "support/rpc_server.h"

struct rg_tier_hold;

/* Answers request number `number`, which was kept. */
typedef void rg_tier_release(struct rg_rpc_incoming *incoming, uint64_t number,
                             void *data);

/* Keeps until `count` requests are there. */
struct rg_tier_hold *rg_tier_hold_new(size_t count, rg_tier_release *release,
                                      void *data);
void rg_tier_hold_destroy(struct rg_tier_hold *hold);

/* Keeps one more, or releases it at once after the end. */
void rg_tier_hold_add(struct rg_tier_hold *hold,
                      struct rg_rpc_incoming *incoming, uint64_t number);

/* Releases what is kept; nothing is kept from here on. */
void rg_tier_hold_end(struct rg_tier_hold *hold);

#endif
