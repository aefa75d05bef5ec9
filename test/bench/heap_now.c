/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "bench/heap.h"

/* In rg_bench_heap. */
extern struct rg_heap rg_heap_counted(void) __attribute__((weak));

struct rg_heap rg_heap_now(void) {
  return rg_heap_counted != NULL ? rg_heap_counted() : (struct rg_heap){0, 0};
}
