/* SPDX-License-Identifier: Apache-2.0 */

/* What gRPC itself takes for a plugin that does what the design of Retry Guard
 * asks for, and thinks nothing: filters in the same places, which pass
 * everything on, the same entries in each attempt's metadata, and a timer for
 * each attempt. */
#ifndef RG_BENCH_CONTROL_H
#define RG_BENCH_CONTROL_H

#include "core/cxx.h"

RG_C_BEGIN

enum rg_bench_control {
  RG_BENCH_NO_CONTROL,
  RG_BENCH_FILTERS,   /* as without a policy */
  RG_BENCH_MARKS,     /* as with a policy, and a mark */
  RG_BENCH_EVERYTHING /* a mark, one in baggage, a key, and a timer */
};

/* Before gRPC is initialised. */
void rg_bench_control_register(enum rg_bench_control control);

/* What the name of a control stands for: filters, marks, everything. */
enum rg_bench_control rg_bench_control_named(const char *name);

RG_C_END

#endif
