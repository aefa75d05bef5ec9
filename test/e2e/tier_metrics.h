/* SPDX-License-Identifier: Apache-2.0 */

/* The metrics endpoint of a tier.
 *
 * Threads: one owner, and one endpoint. */
#ifndef RG_TEST_E2E_TIER_METRICS_H
#define RG_TEST_E2E_TIER_METRICS_H

#include <stdbool.h>

/* Serves on `address`, and prints `metrics ADDRESS`; NULL: does neither. False:
 * it could not, and has said why. */
bool rg_tier_metrics_start(const char *address);

void rg_tier_metrics_stop(void);

#endif
