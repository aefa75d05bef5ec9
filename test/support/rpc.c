/* SPDX-License-Identifier: Apache-2.0 */
#include "support/rpc.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/support/time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

static const char *const status_names[] = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

#define STATUS_COUNT (sizeof(status_names) / sizeof(status_names[0]))

struct rg_rpc_entry rg_rpc_text(const char *key, const char *text) {
  return (struct rg_rpc_entry){key, text, strlen(text)};
}

uint64_t rg_rpc_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

gpr_timespec rg_rpc_after_ms(uint32_t ms) {
  if (ms == 0) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_millis(ms, GPR_TIMESPAN));
}

size_t rg_rpc_count(const grpc_metadata_array *array, const char *key) {
  size_t count = 0;
  for (size_t i = 0; i < array->count; i++)
    count += grpc_slice_str_cmp(array->metadata[i].key, key) == 0;
  return count;
}

bool rg_rpc_find_nth(const grpc_metadata_array *array, const char *key,
                     size_t index, struct rg_rpc_view *value) {
  for (size_t i = 0; i < array->count; i++) {
    const grpc_metadata *entry = &array->metadata[i];
    if (grpc_slice_str_cmp(entry->key, key) != 0 || index-- > 0) continue;
    value->data = GRPC_SLICE_START_PTR(entry->value);
    value->size = GRPC_SLICE_LENGTH(entry->value);
    return true;
  }
  return false;
}

bool rg_rpc_find(const grpc_metadata_array *array, const char *key,
                 struct rg_rpc_view *value) {
  return rg_rpc_find_nth(array, key, 0, value);
}

bool rg_rpc_has(const grpc_metadata_array *array, const char *key,
                const char *text) {
  struct rg_rpc_view value;
  for (size_t i = 0; rg_rpc_find_nth(array, key, i, &value); i++)
    if (value.size == strlen(text) && memcmp(value.data, text, value.size) == 0)
      return true;
  return false;
}

uint32_t rg_rpc_previous_attempts(const grpc_metadata_array *array) {
  struct rg_rpc_view value;
  if (!rg_rpc_find(array, "grpc-previous-rpc-attempts", &value)) return 0;
  uint32_t attempts = 0;
  for (size_t i = 0; i < value.size && attempts < 1000; i++) {
    if (value.data[i] < '0' || value.data[i] > '9') break;
    attempts = attempts * 10 + value.data[i] - '0';
  }
  return attempts;
}

const char *rg_rpc_status_name(grpc_status_code status) {
  size_t index = (size_t)status;
  return index < STATUS_COUNT ? status_names[index] : "?";
}

bool rg_rpc_status_parse(const char *name, size_t length,
                         grpc_status_code *status) {
  for (size_t i = 0; i < STATUS_COUNT; i++) {
    if (strlen(status_names[i]) != length ||
        memcmp(status_names[i], name, length) != 0)
      continue;
    *status = (grpc_status_code)i;
    return true;
  }
  return false;
}

void *rg_rpc_alloc(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory == NULL) {
    fputs("test support: out of memory\n", stderr);
    abort();
  }
  return memory;
}

void rg_rpc_check(grpc_call_error error, const char *what) {
  if (error == GRPC_CALL_OK) return;
  fprintf(stderr, "test support: gRPC refused to %s: %s\n", what,
          grpc_call_error_to_string(error));
  abort();
}

grpc_metadata *rg_rpc_entries_new(const struct rg_rpc_entry *entries,
                                  size_t count) {
  if (count == 0) return NULL;
  grpc_metadata *array = rg_rpc_alloc(count, sizeof(*array));
  for (size_t i = 0; i < count; i++) {
    array[i].key = grpc_slice_from_copied_string(entries[i].key);
    array[i].value =
        grpc_slice_from_copied_buffer(entries[i].value, entries[i].size);
  }
  return array;
}

void rg_rpc_entries_destroy(grpc_metadata *entries, size_t count) {
  for (size_t i = 0; i < count; i++) {
    grpc_slice_unref(entries[i].key);
    grpc_slice_unref(entries[i].value);
  }
  free(entries);
}

grpc_channel_args rg_rpc_args_join(const grpc_arg *own, size_t count,
                                   const grpc_channel_args *more) {
  size_t more_count = more == NULL ? 0 : more->num_args;
  grpc_arg *args = rg_rpc_alloc(count + more_count + 1, sizeof(*args));
  memcpy(args, own, count * sizeof(*args));
  for (size_t i = 0; i < more_count; i++) args[count + i] = more->args[i];
  return (grpc_channel_args){.num_args = count + more_count, .args = args};
}

grpc_byte_buffer *rg_rpc_buffer_new(const void *data, size_t size) {
  grpc_slice slice = grpc_slice_from_copied_buffer(data, size);
  grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
  grpc_slice_unref(slice);
  return buffer;
}

grpc_slice rg_rpc_buffer_read(grpc_byte_buffer *buffer) {
  grpc_byte_buffer_reader reader;
  if (buffer == NULL || !grpc_byte_buffer_reader_init(&reader, buffer))
    return grpc_empty_slice();
  grpc_slice bytes = grpc_byte_buffer_reader_readall(&reader);
  grpc_byte_buffer_reader_destroy(&reader);
  return bytes;
}
