/* SPDX-License-Identifier: Apache-2.0 */
#include "core/outcome.h"

enum rg_result rg_outcome_result(const struct rg_outcome *outcome,
                                 uint32_t failure_codes) {
  if (outcome->local || outcome->network != RG_NETWORK_UNKNOWN)
    return RG_RESULT_NEUTRAL;
  bool failed =
      outcome->status <= 31 && (failure_codes >> outcome->status & 1) != 0;
  return failed ? RG_RESULT_FAILURE : RG_RESULT_SUCCESS;
}

bool rg_outcome_is_transparent(const struct rg_outcome *outcome,
                               bool not_seen_before) {
  if (outcome->committed) return false;
  return outcome->network == RG_NETWORK_NOT_SENT ||
         (outcome->network == RG_NETWORK_NOT_SEEN && !not_seen_before);
}
