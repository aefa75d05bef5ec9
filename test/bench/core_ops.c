/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/core_ops.h"

#include <pthread.h>

#include "core/num.h"
#include "core/verdict.h"
#include "host/mark.h"

/* What callgrind finds by its name. */
#define OP __attribute__((noinline)) static void

/* Makes the compiler believe that somebody looks at it. */
#define KEEP(pointer) __asm__ volatile("" : : "g"(pointer) : "memory")

/* Time goes on by a microsecond with each operation. */
#define BEGIN_NS (1000 * RG_NS_PER_S)
#define STEP_NS 1000

/* Each repetition begins at the same time again, so that all earnings come into
 * few slots: the least there is, or these would be full and take no more. */
static const struct rg_budget_policy budget_policy = {
    .kind = RG_BUDGET_TOKEN_BUCKET,
    .bucket = {.ratio_milli = 1,
               .burst_ns = 3 * RG_NS_PER_S,
               .initial_milli = 1000},
};

static const struct rg_breaker_policy breaker_policy = {
    .failure_codes = 1u << RG_STATUS_UNAVAILABLE,
    .failure_ratio_milli = 500,
    .min_requests = 20,
    .window_ns = 10 * RG_NS_PER_S,
    .cooldown_ns = 5 * RG_NS_PER_S,
    .probes = 1,
    .probe_timeout_ns = 5 * RG_NS_PER_S,
};

static const struct rg_retry_policy retry_policy = {
    .max_attempts = 5,
    .retryable_codes = 1u << RG_STATUS_UNAVAILABLE,
    .initial_backoff_ms = 100,
    .max_backoff_ms = 10000,
    .multiplier_micro = 2000000,
};

static const struct rg_backoff_policy backoff_policy = {.jitter =
                                                            RG_JITTER_FULL};
static const struct rg_layer_policy layer_policy = {.max_hops = 16};
static const struct rg_deadline_policy deadline_policy = {.disabled = false};

static struct rg_budget budget;      /* that earns, and is full */
static struct rg_budget rich_budget; /* that is there to be spent */
static struct rg_breaker breaker;
static RG_ALIGNAS(64) RG_ATOMIC(uint64_t) word;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* With four million tokens. */
static void fill_rich_budget(void) {
  struct rg_budget_policy policy = budget_policy;
  policy.bucket.initial_milli = 4000000000;
  rg_budget_init(&rich_budget, &policy, BEGIN_NS);
}

void rg_core_ops_prepare(void) {
  rg_budget_init(&budget, &budget_policy, BEGIN_NS);
  fill_rich_budget();
  for (int i = 0; i < 1000; i++) rg_budget_call_succeeded(&budget, BEGIN_NS);
  rg_breaker_init(&breaker, &breaker_policy);
}

/* ---- The guard's -------------------------------------------------------- */

OP op_credit(uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    rg_budget_call_succeeded(&budget, BEGIN_NS + i * STEP_NS);
}

OP op_take_and_refund(uint64_t count) {
  struct rg_token token;
  for (uint64_t i = 0; i < count; i++)
    if (rg_budget_take(&budget, BEGIN_NS + i * STEP_NS, &token))
      rg_budget_refund(&budget, token);
}

OP op_admit_and_settle(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    uint64_t now = BEGIN_NS + i * STEP_NS;
    struct rg_permit permit;
    if (rg_breaker_admit_closed(&breaker, &permit))
      rg_breaker_settle(&breaker, &permit, RG_RESULT_SUCCESS, now, i);
  }
}

/* A failed attempt that is retried: a delay and a token. */
OP op_verdict(uint64_t count) {
  struct rg_case c = {
      .retry = &retry_policy,
      .backoff = &backoff_policy,
      .layer = &layer_policy,
      .deadline = &deadline_policy,
      .breaker = &breaker,
      .budget = &rich_budget,
      .lineage = RG_LINEAGE_UNMARKED,
      .safe = true,
      .attempts = 1,
      .call_deadline = UINT64_MAX - 1,
  };
  struct rg_outcome outcome = {.status = RG_STATUS_UNAVAILABLE};
  if (rg_budget_level(&rich_budget, BEGIN_NS) < 1000000000) fill_rich_budget();
  for (uint64_t i = 0; i < count; i++) {
    struct rg_verdict verdict = rg_verdict_decide(
        &c, &outcome, BEGIN_NS + i * STEP_NS, i * UINT64_C(0x9e3779b97f4a7c15));
    KEEP(&verdict);
  }
}

static const struct rg_mark mark = {
    .hops = 1, .attempt = 1, .owner_length = 8, .owner = "checkout"};

OP op_mark_encode(uint64_t count) {
  uint8_t bytes[RG_MARK_MAX_BYTES];
  for (uint64_t i = 0; i < count; i++) {
    rg_mark_encode(&mark, bytes);
    KEEP(bytes);
  }
}

OP op_mark_decode(uint64_t count) {
  uint8_t bytes[RG_MARK_MAX_BYTES];
  size_t length = rg_mark_encode(&mark, bytes);
  struct rg_mark decoded;
  for (uint64_t i = 0; i < count; i++) {
    rg_mark_decode(bytes, length, &decoded);
    KEEP(&decoded);
  }
}

/* ---- The processor's ---------------------------------------------------- */

OP op_bare_add(uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    atomic_fetch_add_explicit(&word, 1, memory_order_relaxed);
}

OP op_bare_exchange(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    uint64_t seen = atomic_load(&word);
    while (!atomic_compare_exchange_weak(&word, &seen, seen + 1)) {
    }
  }
}

OP op_bare_mutex(uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    pthread_mutex_lock(&mutex);
    atomic_store_explicit(&word, i, memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
  }
}

const struct rg_core_op rg_core_ops[] = {
    {"credit", 42, op_credit},
    {"take_and_refund", 142, op_take_and_refund},
    {"admit_and_settle", 82, op_admit_and_settle},
    {"verdict", 203, op_verdict},
    {"mark_encode", 0, op_mark_encode},
    {"mark_decode", 0, op_mark_decode},
    {"bare_add", 0, op_bare_add},
    {"bare_exchange", 0, op_bare_exchange},
    {"bare_mutex", 0, op_bare_mutex},
};
const size_t rg_core_op_count = sizeof(rg_core_ops) / sizeof(rg_core_ops[0]);
