// SPDX-License-Identifier: Apache-2.0
#include "grpc/trace.h"

#include "host/trace.h"

namespace retry_guard {

grpc_core::TraceFlag retry_guard_trace(false, "retry_guard");

namespace {

void Log(const char *line) { LogLine(Severity::kInfo, line); }

}  // namespace

void Trace(const rg_call &call, const rg_admission &admission) {
  char line[RG_TRACE_LINE_SIZE];
  rg_trace_call(&call, &admission, line);
  Log(line);
}

void Trace(const rg_call &call, const rg_attempt &attempt,
           const rg_attempt_facts &facts, const rg_admission &admission,
           uint64_t now) {
  char line[RG_TRACE_LINE_SIZE];
  rg_trace_admission(&call, &attempt, &facts, &admission, now, line);
  Log(line);
}

void Trace(const rg_call &call, const rg_attempt &attempt,
           const rg_outcome &outcome, const rg_verdict &verdict, uint64_t now) {
  char line[RG_TRACE_LINE_SIZE];
  rg_trace_verdict(&call, &attempt, &outcome, &verdict, now, line);
  Log(line);
}

}  // namespace retry_guard
