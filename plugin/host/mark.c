/* SPDX-License-Identifier: Apache-2.0 */
#include "host/mark.h"

#include <string.h>

#include "retry_guard/v1/layer_mark.pb-c.h"

/* ---- By hand, for the marks that we write: one for each attempt -------- */

/* A field's number and wire type. */
#define TAG_OWNER (1 << 3 | 2)
#define TAG_HOPS (2 << 3)
#define TAG_ATTEMPT (3 << 3)

/* proto3 leaves a 0 out. */
static uint8_t *put_number(uint8_t *out, uint8_t tag, uint32_t value) {
  if (value == 0) return out;
  *out++ = tag;
  for (; value > 127; value >>= 7) *out++ = (uint8_t)(value | 128);
  *out++ = (uint8_t)value;
  return out;
}

size_t rg_mark_encode(const struct rg_mark *mark, uint8_t *bytes) {
  uint8_t *out = bytes;
  if (mark->owner_length > 0) {
    *out++ = TAG_OWNER;
    *out++ = mark->owner_length;
    /* All of it: a length known beforehand takes neither call nor loop. */
    memcpy(out, mark->owner, sizeof mark->owner);
    out += mark->owner_length;
  }
  out = put_number(out, TAG_HOPS, mark->hops);
  out = put_number(out, TAG_ATTEMPT, mark->attempt);
  return (size_t)(out - bytes);
}

#define ONES UINT64_C(0x0101010101010101)

static bool has_nul(uint64_t word) {
  return ((word - ONES) & ~word & ONES << 7) != 0;
}

/* Copies a name; false where there is a NUL in it. Names are short: memchr and
 * memcpy took twice as long. */
static bool copy_name(char *out, const uint8_t *in, size_t length) {
  uint64_t word;
  for (; length >= sizeof word; length -= sizeof word) {
    memcpy(&word, in, sizeof word);
    if (has_nul(word)) return false;
    memcpy(out, &word, sizeof word);
    in += sizeof word, out += sizeof word;
  }
  for (; length > 0; length--, in++, out++)
    if ((*out = (char)*in) == '\0') return false;
  return true;
}

/* Reads the field with `tag`, if it comes next and its number has one byte;
 * returns where to go on. */
static const uint8_t *get_number(const uint8_t *in, const uint8_t *end,
                                 uint8_t tag, uint32_t *value) {
  if (end - in < 2 || in[0] != tag || in[1] > 127) return in;
  *value = in[1];
  return in + 2;
}

/* False for whatever is not as plain as most marks are, but may be one. */
static bool decode_plain(const uint8_t *in, size_t length,
                         struct rg_mark *mark) {
  const uint8_t *end = in + length;
  mark->hops = 0;
  mark->attempt = 0;
  mark->owner_length = 0;
  if (length >= 2 && in[0] == TAG_OWNER) {
    size_t owner_length = in[1];
    if (owner_length > RG_OWNER_MAX || owner_length > length - 2 ||
        !copy_name(mark->owner, in + 2, owner_length))
      return false;
    mark->owner_length = (uint8_t)owner_length;
    in += 2 + owner_length;
  }
  in = get_number(in, end, TAG_HOPS, &mark->hops);
  return get_number(in, end, TAG_ATTEMPT, &mark->attempt) == end;
}

/* ---- By protobuf-c, for what others may make of them -------------------- */

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

static bool decode_message(const void *bytes, size_t length,
                           struct rg_mark *mark) {
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

bool rg_mark_decode(const void *bytes, size_t length, struct rg_mark *mark) {
  return decode_plain(bytes, length, mark) ||
         decode_message(bytes, length, mark);
}
