/* SPDX-License-Identifier: Apache-2.0 */
#include "host/hop.h"

#include <stdlib.h>
#include <string.h>

#include "host/baggage.h"
#include "host/mark.h"
#include "host/process.h"

static _Thread_local RG_TLS_FAST struct retry_guard_hop *thread_hop;

static void heap_hold(struct retry_guard_hop *hop) {
  atomic_fetch_add_explicit(&hop->refs, 1, memory_order_relaxed);
}

static void heap_release(struct retry_guard_hop *hop) {
  if (atomic_fetch_sub_explicit(&hop->refs, 1, memory_order_acq_rel) == 1)
    free(hop);
}

static const struct rg_hop_lifetime heap = {heap_hold, heap_release};

struct retry_guard_hop *rg_hop_of_thread(void) {
  return thread_hop;
}

retry_guard_hop *retry_guard_hop_ref(retry_guard_hop *hop) {
  hop->lifetime->hold(hop);
  return hop;
}

void retry_guard_hop_unref(retry_guard_hop *hop) {
  if (hop != NULL) hop->lifetime->release(hop);
}

retry_guard_hop *retry_guard_scope_enter(retry_guard_hop *hop) {
  retry_guard_hop *previous = thread_hop;
  thread_hop = hop;
  return previous;
}

void retry_guard_scope_leave(retry_guard_hop *previous) {
  thread_hop = previous;
}

static uint32_t parse_attempts(const retry_guard_metadata *entry) {
  const char *digits = entry->value;
  uint64_t value = 0;
  for (size_t i = 0; i < entry->value_length; i++) {
    if (digits[i] < '0' || digits[i] > '9') return 0;
    value = value * 10 + (uint64_t)(digits[i] - '0');
    if (value > UINT32_MAX) return UINT32_MAX;
  }
  return (uint32_t)value;
}

static struct rg_ancestry judge_mark(const retry_guard_metadata *entry) {
  struct rg_incoming incoming = {.kind = RG_MARK_UNDECODABLE};
  if (rg_mark_decode(entry->value, entry->value_length, &incoming.mark))
    incoming.kind = RG_MARK_DECODED;
  return rg_layer_judge(&incoming, rg_process_max_hops);
}

static struct rg_ancestry judge_baggage(const retry_guard_metadata *entry) {
  struct rg_incoming incoming = {.kind = RG_MARK_NONE};
  incoming.kind =
      rg_baggage_read(entry->value, entry->value_length, &incoming.mark);
  return rg_layer_judge(&incoming, rg_process_max_hops);
}

/* What all entries together say; a mark says more than a number of attempts,
 * and gRPC sends both with an owner's retries. */
static struct rg_ancestry judge(const retry_guard_metadata *entries,
                                size_t count) {
  struct rg_ancestry marks = {.lineage = RG_LINEAGE_UNMARKED};
  struct rg_incoming unmarked = {.kind = RG_MARK_NONE};
  for (size_t i = 0; i < count; i++) {
    if (strcmp(entries[i].key, RG_MARK_KEY) == 0)
      marks = rg_layer_merge(marks, judge_mark(&entries[i]));
    else if (strcmp(entries[i].key, RG_BAGGAGE_KEY) == 0)
      marks = rg_layer_merge(marks, judge_baggage(&entries[i]));
    else if (strcmp(entries[i].key, "grpc-previous-rpc-attempts") == 0)
      unmarked.previous_attempts = parse_attempts(&entries[i]);
  }
  if (marks.lineage != RG_LINEAGE_UNMARKED) return marks;
  return rg_layer_judge(&unmarked, RG_DEFAULT_MAX_HOPS);
}

static bool are_entries(const retry_guard_metadata *entries, size_t count) {
  if (entries == NULL) return count == 0;
  for (size_t i = 0; i < count; i++)
    if (entries[i].key == NULL ||
        (entries[i].value == NULL && entries[i].value_length > 0))
      return false;
  return true;
}

retry_guard_status retry_guard_hop_from_metadata(
    const retry_guard_metadata *entries, size_t count, retry_guard_hop **hop) {
  if (hop == NULL || !are_entries(entries, count))
    return RETRY_GUARD_INVALID_ARGUMENT;
  *hop = NULL;
  struct rg_ancestry ancestry = judge(entries, count);
  if (ancestry.lineage == RG_LINEAGE_UNMARKED) return RETRY_GUARD_NOT_FOUND;
  retry_guard_hop *result = calloc(1, sizeof *result);
  if (result == NULL) return RETRY_GUARD_OUT_OF_MEMORY;
  result->lifetime = &heap;
  result->refs = 1;
  result->ancestry = ancestry;
  result->deadline = RG_DEADLINE_NONE;
  *hop = result;
  return RETRY_GUARD_OK;
}

retry_guard_status retry_guard_hop_to_metadata(const retry_guard_hop *hop,
                                               const char **key, void *buffer,
                                               size_t capacity,
                                               size_t *length) {
  if (hop == NULL || key == NULL || length == NULL ||
      (buffer == NULL && capacity > 0))
    return RETRY_GUARD_INVALID_ARGUMENT;
  static const struct rg_layer_policy forwarding = {.max_hops = UINT32_MAX};
  struct rg_mark mark;
  if (rg_layer_outgoing(&forwarding, &hop->ancestry, false, 1, &mark) !=
      RG_MARK_FORWARDED)
    return RETRY_GUARD_NOT_FOUND;
  uint8_t bytes[RG_MARK_MAX_BYTES];
  *key = RG_MARK_KEY;
  *length = rg_mark_encode(&mark, bytes);
  if (*length > capacity) return RETRY_GUARD_BUFFER_TOO_SMALL;
  memcpy(buffer, bytes, *length);
  return RETRY_GUARD_OK;
}
