/* SPDX-License-Identifier: Apache-2.0 */

/* What this process has asked the heap for, by all its threads.
 *
 * Threads: safe. */
#ifndef RG_TEST_BENCH_HEAP_H
#define RG_TEST_BENCH_HEAP_H

#include <stdint.h>

struct rg_heap {
  uint64_t allocations;
  uint64_t bytes;
};

/* Zeros unless the library rg_bench_heap is preloaded. */
struct rg_heap rg_heap_now(void);

#endif
