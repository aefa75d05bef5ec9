/* SPDX-License-Identifier: Apache-2.0 */
#include "e2e/tier_counts.h"

#include <grpc/support/time.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/echo.pb-c.h"

#define ATTEMPTS 8
#define LIST_MAX 65536

struct rg_tier_counts {
  pthread_mutex_t mutex;
  /* The message itself, on arrays of a fixed size. */
  RetryGuard__Test__Counts message;
  uint64_t by_attempt[ATTEMPTS];
  uint64_t arrivals_ns[LIST_MAX];
  uint64_t retry_arrivals_ns[LIST_MAX];
  ProtobufCBinaryData marks[LIST_MAX];
};

static void reset_counts(struct rg_tier_counts *counts) {
  for (size_t i = 0; i < counts->message.n_marks; i++)
    free(counts->marks[i].data);
  memset(counts->by_attempt, 0, sizeof(counts->by_attempt));
  retry_guard__test__counts__init(&counts->message);
  counts->message.by_attempt = counts->by_attempt;
  counts->message.n_by_attempt = ATTEMPTS;
  counts->message.arrivals_ns = counts->arrivals_ns;
  counts->message.retry_arrivals_ns = counts->retry_arrivals_ns;
  counts->message.marks = counts->marks;
}

struct rg_tier_counts *rg_tier_counts_new(void) {
  struct rg_tier_counts *counts = rg_rpc_alloc(1, sizeof(*counts));
  pthread_mutex_init(&counts->mutex, NULL);
  reset_counts(counts);
  return counts;
}

void rg_tier_counts_destroy(struct rg_tier_counts *counts) {
  reset_counts(counts);
  pthread_mutex_destroy(&counts->mutex);
  free(counts);
}

static void keep_mark(struct rg_tier_counts *counts, struct rg_rpc_view mark) {
  if (counts->message.n_marks == LIST_MAX) return;
  ProtobufCBinaryData *kept = &counts->marks[counts->message.n_marks++];
  kept->len = mark.size;
  kept->data = rg_rpc_alloc(1, mark.size + 1);
  memcpy(kept->data, mark.data, mark.size);
}

static void keep_marks(struct rg_tier_counts *counts,
                       const grpc_metadata_array *metadata) {
  struct rg_rpc_view mark;
  size_t count = 0;
  while (rg_rpc_find_nth(metadata, "retry-layer-bin", count, &mark)) {
    keep_mark(counts, mark);
    count++;
  }
  counts->message.marked += count > 0;
}

static void keep_attempt(struct rg_tier_counts *counts, uint32_t previous,
                         uint64_t arrived_ns) {
  counts->by_attempt[previous < ATTEMPTS ? previous : ATTEMPTS - 1]++;
  if (counts->message.n_arrivals_ns < LIST_MAX)
    counts->arrivals_ns[counts->message.n_arrivals_ns++] = arrived_ns;
  if (previous == 0 || counts->message.n_retry_arrivals_ns == LIST_MAX) return;
  counts->retry_arrivals_ns[counts->message.n_retry_arrivals_ns++] = arrived_ns;
}

static void keep_timeout(struct rg_tier_counts *counts, gpr_timespec deadline) {
  gpr_timespec left =
      gpr_time_sub(gpr_convert_clock_type(deadline, GPR_CLOCK_MONOTONIC),
                   gpr_now(GPR_CLOCK_MONOTONIC));
  int32_t ms = gpr_time_to_millis(
      gpr_time_min(gpr_time_max(left, gpr_time_0(GPR_TIMESPAN)),
                   gpr_time_from_hours(24, GPR_TIMESPAN)));
  if ((uint64_t)ms > counts->message.longest_timeout_ms)
    counts->message.longest_timeout_ms = (uint64_t)ms;
}

uint64_t rg_tier_counts_add(struct rg_tier_counts *counts,
                            const struct rg_rpc_incoming *incoming) {
  pthread_mutex_lock(&counts->mutex);
  uint64_t before = counts->message.requests++;
  keep_attempt(counts, rg_rpc_previous_attempts(incoming->metadata),
               incoming->arrived_ns);
  keep_marks(counts, incoming->metadata);
  keep_timeout(counts, incoming->deadline);
  pthread_mutex_unlock(&counts->mutex);
  return before;
}

void rg_tier_counts_cancelled(struct rg_tier_counts *counts) {
  pthread_mutex_lock(&counts->mutex);
  counts->message.cancelled++;
  pthread_mutex_unlock(&counts->mutex);
}

void rg_tier_counts_released(struct rg_tier_counts *counts, uint64_t now) {
  pthread_mutex_lock(&counts->mutex);
  if (counts->message.released_ns == 0) counts->message.released_ns = now;
  pthread_mutex_unlock(&counts->mutex);
}

uint8_t *rg_tier_counts_pack(struct rg_tier_counts *counts, bool reset,
                             uint32_t breaker_state, size_t *size) {
  pthread_mutex_lock(&counts->mutex);
  counts->message.breaker_state = breaker_state;
  const RetryGuard__Test__Counts *message = &counts->message;
  uint8_t *packed =
      rg_rpc_alloc(1, retry_guard__test__counts__get_packed_size(message) + 1);
  *size = retry_guard__test__counts__pack(message, packed);
  if (reset) reset_counts(counts);
  pthread_mutex_unlock(&counts->mutex);
  return packed;
}
