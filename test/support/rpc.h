/* SPDX-License-Identifier: Apache-2.0 */

/* What the RPC server and client of the tests share: bytes, metadata, status
 * names and the clock. Everything stands on gRPC's public C API, as a program
 * in C would use it. Out of memory, or misuse of gRPC, ends the process.
 *
 * Threads: pure. */
#ifndef RG_TEST_SUPPORT_RPC_H
#define RG_TEST_SUPPORT_RPC_H

#include <grpc/grpc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

/* Borrowed bytes. */
struct rg_rpc_view {
  const uint8_t *data;
  size_t size;
};

/* A metadata entry to be sent; "-bin" values are raw. Borrowed. */
struct rg_rpc_entry {
  const char *key;
  const void *value;
  size_t size;
};

/* An entry whose value is text. */
struct rg_rpc_entry rg_rpc_text(const char *key, const char *text);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t rg_rpc_now_ns(void);

/* The point in time `ms` milliseconds from now; 0: the infinite future. */
gpr_timespec rg_rpc_after_ms(uint32_t ms);

/* ---- Received metadata -------------------------------------------------- */

/* How many entries are called `key`. */
size_t rg_rpc_count(const grpc_metadata_array *array, const char *key);

/* Finds entry number `index` of those called `key`; false when there is none.
 * The view lives as long as the array. */
bool rg_rpc_find_nth(const grpc_metadata_array *array, const char *key,
                     size_t index, struct rg_rpc_view *value);

/* Finds the first of them. */
bool rg_rpc_find(const grpc_metadata_array *array, const char *key,
                 struct rg_rpc_view *value);

/* Whether an entry `key` has the value `text`. */
bool rg_rpc_has(const grpc_metadata_array *array, const char *key,
                const char *text);

/* The value of `grpc-previous-rpc-attempts`; 0 when absent. */
uint32_t rg_rpc_previous_attempts(const grpc_metadata_array *array);

/* ---- Status ------------------------------------------------------------- */

/* "UNAVAILABLE"; "?" outside the enum. Static. */
const char *rg_rpc_status_name(grpc_status_code status);

/* The reverse, of `length` bytes of `name`; false for an unknown name. */
bool rg_rpc_status_parse(const char *name, size_t length,
                         grpc_status_code *status);

/* ---- For the server and the client -------------------------------------- */

/* malloc, zeroed, that ends the process instead of failing. */
void *rg_rpc_alloc(size_t count, size_t size);

/* Ends the process unless gRPC accepted the operation called `what`. */
void rg_rpc_check(grpc_call_error error, const char *what);

/* A new array of `count` entries, NULL for none; and its release. */
grpc_metadata *rg_rpc_entries_new(const struct rg_rpc_entry *entries,
                                  size_t count);
void rg_rpc_entries_destroy(grpc_metadata *entries, size_t count);

/* `count` arguments of the helpers' own, then the caller's (NULL: none), which
 * win. Free the result's `args`; what they point to stays borrowed. */
grpc_channel_args rg_rpc_args_join(const grpc_arg *own, size_t count,
                                   const grpc_channel_args *more);

/* A byte buffer with a copy of the bytes. */
grpc_byte_buffer *rg_rpc_buffer_new(const void *data, size_t size);

/* All bytes of `buffer`, decompressed, in one slice that the caller unrefs. An
 * empty slice for NULL. */
grpc_slice rg_rpc_buffer_read(grpc_byte_buffer *buffer);

RG_C_END

#endif
