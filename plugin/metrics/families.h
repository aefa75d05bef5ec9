/* SPDX-License-Identifier: Apache-2.0 */

/* Which metrics there are, and what they are called. Those who read them rely
 * on names and labels: they are never changed, only added to.
 *
 * Threads: pure. */
#ifndef RG_METRICS_FAMILIES_H
#define RG_METRICS_FAMILIES_H

#include "core/cxx.h"
#include "metrics/page.h"
#include "metrics/snapshot.h"

RG_C_BEGIN

/* Writes every family with all samples of the snapshot. A family of targets
 * has no samples while there are none. */
void rg_families_write(struct rg_page *page,
                       const struct rg_snapshot *snapshot);

RG_C_END

#endif
