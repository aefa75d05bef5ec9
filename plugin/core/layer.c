/* SPDX-License-Identifier: Apache-2.0 */
#include "core/layer.h"

#include <string.h>

struct rg_ancestry rg_layer_judge(const struct rg_incoming *incoming,
                                  uint32_t max_hops) {
  if (incoming->kind == RG_MARK_DECODED)
    return (struct rg_ancestry){
        .lineage = incoming->mark.hops < max_hops
                       ? RG_LINEAGE_MARKED
                       : RG_LINEAGE_MARKED_NO_FORWARD,
        .mark = incoming->mark,
    };
  struct rg_ancestry result = {.lineage = RG_LINEAGE_UNMARKED};
  if (incoming->kind == RG_MARK_UNDECODABLE) {
    result.lineage = RG_LINEAGE_MARKED_NO_FORWARD;
  } else if (incoming->previous_attempts > 0) {
    result.lineage = RG_LINEAGE_MARKED;
    result.mark.attempt = incoming->previous_attempts < UINT32_MAX
                              ? incoming->previous_attempts + 1
                              : UINT32_MAX;
  }
  return result;
}

struct rg_ancestry rg_layer_merge(struct rg_ancestry a, struct rg_ancestry b) {
  if (a.lineage != b.lineage) return a.lineage > b.lineage ? a : b;
  return a.mark.hops >= b.mark.hops ? a : b;
}

bool rg_layer_may_retry(const struct rg_layer_policy *policy,
                        enum rg_lineage lineage) {
  return policy->disabled || lineage == RG_LINEAGE_UNMARKED;
}

enum rg_mark_origin rg_layer_outgoing(const struct rg_layer_policy *policy,
                                      const struct rg_ancestry *ancestry,
                                      bool has_retry_policy, uint32_t attempt,
                                      struct rg_mark *mark) {
  if (policy->disabled || ancestry->lineage == RG_LINEAGE_MARKED_NO_FORWARD)
    return RG_MARK_NOT_SENT;
  if (ancestry->lineage == RG_LINEAGE_MARKED &&
      ancestry->mark.hops >= policy->max_hops)
    return RG_MARK_NOT_SENT;
  if (ancestry->lineage == RG_LINEAGE_MARKED) {
    *mark = ancestry->mark;
    mark->hops++;
    return RG_MARK_FORWARDED;
  }
  if (!has_retry_policy || policy->mode == RG_LAYER_INNERMOST)
    return RG_MARK_NOT_SENT;
  mark->hops = 0;
  mark->attempt = attempt;
  mark->owner_length = policy->name_length;
  /* All of it: a length known beforehand takes no call. */
  memcpy(mark->owner, policy->name, sizeof mark->owner);
  return RG_MARK_MADE;
}
