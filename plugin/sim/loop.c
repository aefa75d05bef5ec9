/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/loop.h"

#include "core/backoff.h"
#include "core/num.h"
#include "core/outcome.h"

uint64_t rg_loop_pause_ns(const struct rg_loop_spec *loop, uint32_t retry,
                          struct rg_dice *dice) {
  static const enum rg_jitter jitters[] = {
      [RG_LOOP_JITTER_EQUAL] = RG_JITTER_EQUAL,
      [RG_LOOP_JITTER_FULL] = RG_JITTER_FULL,
  };
  if (loop->pauses.initial_backoff_ms == 0) return 0;
  if (loop->jitter == RG_LOOP_JITTER_NONE)
    return rg_backoff_cap_ms(&loop->pauses, retry) * RG_NS_PER_MS;
  const struct rg_backoff_policy policy = {.jitter = jitters[loop->jitter]};
  const struct rg_pushback none = {.kind = RG_PUSHBACK_ABSENT};
  return rg_backoff_delay(&policy, &loop->pauses, retry, none,
                          rg_dice_bits(dice))
             .ms *
         RG_NS_PER_MS;
}
