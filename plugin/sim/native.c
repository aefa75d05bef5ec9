/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/native.h"

#include "core/num.h"
#include "core/outcome.h"

#define MICRO 1000000
#define MILLI 1000
#define JITTER 0.2

void rg_native_throttle_init(struct rg_native_throttle *throttle,
                             const struct rg_throttling *policy) {
  *throttle = (struct rg_native_throttle){
      .policy = *policy,
      .milli = policy->max_milli,
  };
}

static void note_success(struct rg_native_throttle *throttle) {
  uint64_t milli = rg_num_add(throttle->milli, throttle->policy.ratio_milli);
  if (milli > throttle->policy.max_milli) milli = throttle->policy.max_milli;
  throttle->milli = milli;
}

/* Whether retries are throttled now. */
static bool note_failure(struct rg_native_throttle *throttle) {
  if (throttle->policy.max_milli == 0) return false;
  throttle->milli = rg_num_sub(throttle->milli, MILLI);
  return throttle->milli <= throttle->policy.max_milli / 2;
}

static uint64_t next_backoff_ns(struct rg_native_retries *retries,
                                const struct rg_retry_policy *retry,
                                struct rg_dice *dice) {
  if (retries->backoff_ms == 0) {
    retries->backoff_ms = retry->initial_backoff_ms;
    return retries->backoff_ms * RG_NS_PER_MS;
  }
  uint64_t grown =
      rg_num_mul_div(retries->backoff_ms, retry->multiplier_micro, MICRO);
  retries->backoff_ms =
      grown < retry->max_backoff_ms ? grown : retry->max_backoff_ms;
  double jitter = JITTER * (2 * rg_dice_share(dice) - 1);
  return (uint64_t)((double)(retries->backoff_ms * RG_NS_PER_MS) *
                    (1 + jitter));
}

static bool is_retryable(const struct rg_retry_policy *retry, uint32_t status) {
  return (retry->retryable_codes >> status & 1) != 0;
}

bool rg_native_attempt_ended(struct rg_native_retries *retries,
                             struct rg_native_throttle *throttle,
                             const struct rg_retry_policy *retry,
                             uint32_t status, struct rg_pushback pushback,
                             struct rg_dice *dice, uint64_t *delay_ns) {
  if (retry == NULL) return false;
  retries->attempts++;
  if (status == RG_STATUS_OK) note_success(throttle);
  if (status == RG_STATUS_OK || !is_retryable(retry, status)) return false;
  if (note_failure(throttle)) return false;
  if (retries->attempts >= retry->max_attempts) return false;
  if (pushback.kind == RG_PUSHBACK_STOP) return false;
  if (pushback.kind == RG_PUSHBACK_DELAY) {
    retries->backoff_ms = 0;
    *delay_ns = rg_num_mul(pushback.delay_ms, RG_NS_PER_MS);
  } else {
    *delay_ns = next_backoff_ns(retries, retry, dice);
  }
  return true;
}
