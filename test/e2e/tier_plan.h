/* SPDX-License-Identifier: Apache-2.0 */

/* How the leaf of a call tree answers.
 *
 * Threads: safe. */
#ifndef RG_TEST_E2E_TIER_PLAN_H
#define RG_TEST_E2E_TIER_PLAN_H

#include "support/rpc_server.h"

/* Answers a request of Echo.Call as its plan says. */
void rg_tier_plan_follow(struct rg_rpc_incoming *incoming);

#endif
