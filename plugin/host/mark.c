/* SPDX-License-Identifier: Apache-2.0 */
#include "host/mark.h"

#include <string.h>

#include "retry_guard/v1/layer_mark.pb-c.h"

/* protobuf-c allocates while it decodes. It gets this much of the stack; what
 * needs more is no mark of ours. */
#define DECODE_BYTES 1024

struct decode_arena {
  size_t used;
  _Alignas(16) unsigned char bytes[DECODE_BYTES];
};

static void *arena_alloc(void *data, size_t size) {
  struct decode_arena *arena = data;
  size_t rounded = (size + 15) & ~(size_t)15;
  if (rounded < size || rounded > sizeof arena->bytes - arena->used)
    return NULL;
  void *result = arena->bytes + arena->used;
  arena->used += rounded;
  return result;
}

static void arena_free(void *data, void *pointer) {
  (void)data;
  (void)pointer;
}

size_t rg_mark_encode(const struct rg_mark *mark, uint8_t *bytes) {
  char owner[RG_OWNER_MAX + 1] = {0};
  memcpy(owner, mark->owner, mark->owner_length);
  RetryGuard__V1__LayerMark message = RETRY_GUARD__V1__LAYER_MARK__INIT;
  message.owner = owner;
  message.hops = mark->hops;
  message.attempt = mark->attempt;
  return retry_guard__v1__layer_mark__pack(&message, bytes);
}

bool rg_mark_decode(const void *bytes, size_t length, struct rg_mark *mark) {
  struct decode_arena arena = {.used = 0};
  ProtobufCAllocator allocator = {arena_alloc, arena_free, &arena};
  if (length > DECODE_BYTES) return false;
  RetryGuard__V1__LayerMark *message =
      retry_guard__v1__layer_mark__unpack(&allocator, length, bytes);
  if (message == NULL) return false;
  size_t owner_length = strlen(message->owner);
  if (owner_length > RG_OWNER_MAX) return false;
  *mark = (struct rg_mark){.hops = message->hops,
                           .attempt = message->attempt,
                           .owner_length = (uint8_t)owner_length};
  memcpy(mark->owner, message->owner, owner_length);
  return true;
}
