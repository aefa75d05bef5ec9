/* SPDX-License-Identifier: Apache-2.0 */

/* The operations of the core that calls make most, each in a loop, on one
 * object as all channels of a process to one target share it; and beside them
 * what the processor takes for the bare thing.
 *
 * Threads: any number may run any operation. */
#ifndef RG_TEST_BENCH_CORE_OPS_H
#define RG_TEST_BENCH_CORE_OPS_H

#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

struct rg_core_op {
  const char *name; /* and, with op_ before it, the function's */
  unsigned limit;   /* instructions that one may take; 0: none is set */
  void (*run)(uint64_t count);
};

extern const struct rg_core_op rg_core_ops[];
extern const size_t rg_core_op_count;

/* Makes what the operations share. Before any of them. */
void rg_core_ops_prepare(void);

RG_C_END

#endif
