/* SPDX-License-Identifier: Apache-2.0 */

/* rg_bench_heap, a library to be preloaded: counts what the process asks the
 * heap for, and leaves the rest to libc. */
#include "bench/heap.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t allocations;
static _Atomic uint64_t bytes;

static void count(size_t size) {
  atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

struct rg_heap rg_heap_counted(void);

struct rg_heap rg_heap_counted(void) {
  return (struct rg_heap){atomic_load(&allocations), atomic_load(&bytes)};
}

void *malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  count(items * size);
  return __libc_calloc(items, size);
}

void *realloc(void *pointer, size_t size) {
  count(size);
  return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count(size);
  *result = __libc_memalign(alignment, size);
  return *result != NULL ? 0 : ENOMEM;
}
