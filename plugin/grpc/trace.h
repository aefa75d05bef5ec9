// SPDX-License-Identifier: Apache-2.0

// GRPC_TRACE=retry_guard: a line in gRPC's log for each decision, at severity
// INFO.
#ifndef RETRY_GUARD_GRPC_TRACE_H
#define RETRY_GUARD_GRPC_TRACE_H

#include "grpc/compat.h"
#include "host/call.h"

namespace retry_guard {

extern grpc_core::TraceFlag retry_guard_trace;

// (gRPC's macro for this takes something else in newer versions.)
inline bool IsTracing() { return GPR_UNLIKELY(retry_guard_trace.enabled()); }

// As host/trace.h; only called while tracing.
void Trace(const rg_call &call, const rg_admission &admission);
void Trace(const rg_call &call, const rg_attempt &attempt,
           const rg_attempt_facts &facts, const rg_admission &admission,
           uint64_t now);
void Trace(const rg_call &call, const rg_attempt &attempt,
           const rg_outcome &outcome, const rg_verdict &verdict, uint64_t now);

}  // namespace retry_guard

#endif
