/* SPDX-License-Identifier: Apache-2.0 */

/* One line for each decision, with what it rests on: for
 * GRPC_TRACE=retry_guard.
 *
 * Threads: the owner of the call. */
#ifndef RG_HOST_TRACE_H
#define RG_HOST_TRACE_H

#include <stdint.h>

#include "core/cxx.h"
#include "host/call.h"

RG_C_BEGIN

/* Bytes that suffice for a line with its NUL; a long target is cut. */
#define RG_TRACE_LINE_SIZE 1024

/* An attempt began, or was refused: call it after rg_call_attempt_begin. */
void rg_trace_admission(const struct rg_call *call,
                        const struct rg_attempt *attempt,
                        const struct rg_attempt_facts *facts,
                        const struct rg_admission *admission, uint64_t now,
                        char line[RG_TRACE_LINE_SIZE]);

/* An attempt ended: call it after rg_call_attempt_end. */
void rg_trace_verdict(const struct rg_call *call,
                      const struct rg_attempt *attempt,
                      const struct rg_outcome *outcome,
                      const struct rg_verdict *verdict, uint64_t now,
                      char line[RG_TRACE_LINE_SIZE]);

/* A call was refused before gRPC did anything for it, or let on. */
void rg_trace_call(const struct rg_call *call,
                   const struct rg_admission *admission,
                   char line[RG_TRACE_LINE_SIZE]);

RG_C_END

#endif
