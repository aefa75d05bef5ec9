/* SPDX-License-Identifier: Apache-2.0 */
#include "core/outcome.h"

bool rg_outcome_is_transparent(const struct rg_outcome *outcome,
                               bool not_seen_before) {
  if (outcome->committed) return false;
  return outcome->network == RG_NETWORK_NOT_SENT ||
         (outcome->network == RG_NETWORK_NOT_SEEN && !not_seen_before);
}
