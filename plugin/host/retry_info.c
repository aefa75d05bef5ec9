/* SPDX-License-Identifier: Apache-2.0 */
#include "host/retry_info.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/num.h"
#include "host/process.h"
#include "retry_guard/v1/retry_info.pb-c.h"

/* gRPC's own bound on metadata is 8 KiB unless it is raised. */
#define BYTES_MAX (64 * 1024)

/* Of google.protobuf.Duration: about 10,000 years. */
#define SECONDS_MAX INT64_C(315576000000)
#define NANOS_MAX 999999999

static const struct rg_pushback absent = {.kind = RG_PUSHBACK_ABSENT};

/* "type.googleapis.com/google.rpc.RetryInfo"; what stands before the last
 * slash is free. */
static bool is_retry_info(const char *type_url) {
  const char *slash = strrchr(type_url, '/');
  return strcmp(slash != NULL ? slash + 1 : type_url, "google.rpc.RetryInfo") ==
         0;
}

static struct rg_pushback from_delay(const RetryGuard__V1__RetryDelay *delay) {
  if (delay == NULL) return absent;
  if (delay->seconds < 0 || delay->seconds > SECONDS_MAX || delay->nanos < 0 ||
      delay->nanos > NANOS_MAX)
    return absent;
  uint64_t sub_ms = ((uint64_t)delay->nanos + RG_NS_PER_MS - 1) / RG_NS_PER_MS;
  return (struct rg_pushback){
      .kind = RG_PUSHBACK_DELAY,
      .delay_ms = (uint64_t)delay->seconds * 1000 + sub_ms,
  };
}

/* protobuf-c tells malformed bytes and a lack of memory apart for nobody. */
static void *allocate(void *data, size_t size) {
  (void)data;
  void *memory = malloc(size);
  if (memory == NULL) rg_process_counters.fail_open++;
  return memory;
}

static void release(void *data, void *memory) {
  (void)data;
  free(memory);
}

static ProtobufCAllocator heap = {allocate, release, NULL};

static struct rg_pushback from_detail(const RetryGuard__V1__AnyDetail *detail) {
  RetryGuard__V1__RetryInfo *info = retry_guard__v1__retry_info__unpack(
      &heap, detail->value.len, detail->value.data);
  if (info == NULL) return absent;
  struct rg_pushback pushback = from_delay(info->retry_delay);
  retry_guard__v1__retry_info__free_unpacked(info, &heap);
  return pushback;
}

struct rg_pushback rg_retry_info_read(const void *bytes, size_t length) {
  if (length > BYTES_MAX) return absent;
  RetryGuard__V1__StatusDetails *status =
      retry_guard__v1__status_details__unpack(&heap, length, bytes);
  if (status == NULL) return absent;
  struct rg_pushback pushback = absent;
  for (size_t i = 0;
       pushback.kind == RG_PUSHBACK_ABSENT && i < status->n_details; i++)
    if (is_retry_info(status->details[i]->type_url))
      pushback = from_detail(status->details[i]);
  retry_guard__v1__status_details__free_unpacked(status, &heap);
  return pushback;
}
