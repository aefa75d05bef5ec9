/* SPDX-License-Identifier: Apache-2.0 */

/* config/policy.h: any text is either a block, for the channel or a method,
 * that resolves to values in their ranges, or it has faults that can be read.
 */
#include "config/policy.h"

#include <string.h>

#include "core/num.h"
#include "fuzz/fuzz.h"
#include "fuzz/text.h"

/* ---- Faults ------------------------------------------------------------- */

static void check_faults(const struct rg_faults *faults) {
  RG_FUZZ_CHECK(faults->count <= RG_FAULTS_MAX);
  RG_FUZZ_CHECK(!faults->out_of_memory);
  for (size_t i = 0; i < faults->count; i++) {
    rg_fuzz_check_text(faults->items[i].path);
    rg_fuzz_check_text(faults->items[i].message);
    RG_FUZZ_CHECK(strncmp(faults->items[i].path, "retryGuard", 10) == 0);
  }
}

/* ---- Effective values, by the ranges that policy.proto states ------------ */

static bool in(uint64_t value, uint64_t low, uint64_t high) {
  return value >= low && value <= high;
}

#define TENTH_S (100 * RG_NS_PER_MS)
#define MINUTE (60 * RG_NS_PER_S)
#define HOUR (3600 * RG_NS_PER_S)

static void check_budget(const struct rg_budget_policy *budget) {
  RG_FUZZ_CHECK(budget->kind <= RG_BUDGET_WINDOW);
  RG_FUZZ_CHECK(in(budget->bucket.ratio_milli, 1, 1000));
  RG_FUZZ_CHECK(in(budget->bucket.burst_ns, TENTH_S, HOUR));
  RG_FUZZ_CHECK(in(budget->bucket.initial_milli, 0, 1000000));
  RG_FUZZ_CHECK(in(budget->bucket.max_milli, 0, 1000000000));
  RG_FUZZ_CHECK(budget->window.percent <= 100);
  RG_FUZZ_CHECK(in(budget->window.interval_ns, TENTH_S, HOUR));
  /* The most in a tenth of a second, an hour long. */
  RG_FUZZ_CHECK(budget->window.min_retries_milli <=
                UINT64_C(1000000) * 1000 * 36000);
}

static void check_breaker(const struct rg_breaker_policy *breaker) {
  RG_FUZZ_CHECK(breaker->scope <= RG_BREAKER_PER_BACKEND);
  RG_FUZZ_CHECK(breaker->failure_codes != 0);
  RG_FUZZ_CHECK((breaker->failure_codes & ~UINT32_C(0x1FFFE)) == 0);
  RG_FUZZ_CHECK(breaker->failure_ratio_milli <= 1000);
  RG_FUZZ_CHECK(in(breaker->min_requests, 1, 1000000));
  RG_FUZZ_CHECK(breaker->consecutive_failures <= 1000000);
  RG_FUZZ_CHECK(in(breaker->window_ns, TENTH_S, HOUR));
  RG_FUZZ_CHECK(in(breaker->cooldown_ns, TENTH_S, HOUR));
  RG_FUZZ_CHECK(breaker->max_cooldown_ns == 0 ||
                in(breaker->max_cooldown_ns, TENTH_S, HOUR));
  RG_FUZZ_CHECK(breaker->cooldown_jitter_milli <= 1000);
  RG_FUZZ_CHECK(in(breaker->probes, 1, RG_BREAKER_PROBES_MAX));
  RG_FUZZ_CHECK(in(breaker->probe_timeout_ns, TENTH_S, HOUR));
}

static void check_deadline(const struct rg_deadline_policy *deadline) {
  RG_FUZZ_CHECK(deadline->hop_margin_ns <= MINUTE);
  RG_FUZZ_CHECK(deadline->min_attempt_ns <= MINUTE);
  RG_FUZZ_CHECK(deadline->attempt_timeout_ns == 0 ||
                in(deadline->attempt_timeout_ns, RG_NS_PER_MS, HOUR));
  RG_FUZZ_CHECK(deadline->min_remaining_ns <= HOUR);
}

static void check_layer(const struct rg_layer_policy *layer) {
  RG_FUZZ_CHECK(layer->mode <= RG_LAYER_INNERMOST);
  RG_FUZZ_CHECK(in(layer->max_hops, 1, 255));
  RG_FUZZ_CHECK(layer->name_length <= RG_OWNER_MAX);
}

static void check_idempotency(const struct rg_idempotency_policy *policy) {
  RG_FUZZ_CHECK(policy->mode <= RG_IDEMPOTENCY_GENERATE);
  RG_FUZZ_CHECK(policy->key_header[0] != '\0');
  RG_FUZZ_CHECK(memchr(policy->key_header, '\0', sizeof policy->key_header) !=
                NULL);
}

static void check_policy(const struct rg_policy *policy) {
  RG_FUZZ_CHECK(policy->mode <= RG_MODE_OFF);
  RG_FUZZ_CHECK(policy->backoff.jitter <= RG_JITTER_NATIVE);
  RG_FUZZ_CHECK(policy->backoff.floor_ms <= 60000);
  check_budget(&policy->budget);
  check_breaker(&policy->breaker);
  check_deadline(&policy->deadline);
  check_layer(&policy->layer);
  check_idempotency(&policy->idempotency);
}

static void check_resolved(const struct rg_policy_block *channel,
                           const struct rg_policy_block *method) {
  struct rg_policy policy;
  memset(&policy, 0xA5, sizeof policy);
  rg_policy_resolve(channel, method, &policy);
  check_policy(&policy);
}

/* ---- Texts -------------------------------------------------------------- */

static struct rg_policy_block *parse(const uint8_t *data, size_t size,
                                     enum rg_policy_scope scope) {
  struct rg_faults faults;
  rg_faults_init(&faults);
  struct rg_policy_block *block = rg_policy_block_parse(
      (const char *)data, size, scope, "retryGuard", &faults);
  RG_FUZZ_CHECK((block == NULL) != rg_faults_empty(&faults));
  check_faults(&faults);
  rg_faults_clean_up(&faults);
  return block;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct rg_policy_block *channel = parse(data, size, RG_POLICY_CHANNEL);
  struct rg_policy_block *method = parse(data, size, RG_POLICY_METHOD);
  /* A channel may say all that a method may. */
  RG_FUZZ_CHECK(channel != NULL || method == NULL);
  check_resolved(channel, NULL);
  check_resolved(NULL, method);
  check_resolved(channel, method);
  rg_policy_block_destroy(channel);
  rg_policy_block_destroy(method);
  return 0;
}
