// SPDX-License-Identifier: Apache-2.0
#include "grpc/time.h"

#include <algorithm>

#include "core/deadline.h"
#include "core/num.h"

namespace retry_guard {

namespace {

// gRPC counts milliseconds of the guard's own clock, from a moment that is
// fixed once per process. So there is nothing to look up, and a time that goes
// to and fro stays the same.
uint64_t Epoch() {
  static const uint64_t epoch = [] {
    gpr_timespec time =
        grpc_core::Timestamp::ProcessEpoch().as_timespec(GPR_CLOCK_MONOTONIC);
    return static_cast<uint64_t>(time.tv_sec) * RG_NS_PER_S +
           static_cast<uint64_t>(time.tv_nsec);
  }();
  return epoch;
}

}  // namespace

uint64_t FromTimestamp(grpc_core::Timestamp time) {
  if (time == grpc_core::Timestamp::InfFuture()) return RG_DEADLINE_NONE;
  int64_t ms = std::max<int64_t>(time.milliseconds_after_process_epoch(), 0);
  return rg_num_add(Epoch(),
                    rg_num_mul(static_cast<uint64_t>(ms), RG_NS_PER_MS));
}

grpc_core::Timestamp ToTimestamp(uint64_t time) {
  if (time == RG_DEADLINE_NONE) return grpc_core::Timestamp::InfFuture();
  // Less than the whole range, so it fits gRPC's type.
  uint64_t ms = rg_num_sub(time, Epoch()) / RG_NS_PER_MS;
  return grpc_core::Timestamp::FromMillisecondsAfterProcessEpoch(
      static_cast<int64_t>(ms));
}

grpc_core::Timestamp ForTimeoutEntry(grpc_core::Timestamp time) {
  grpc_core::Timestamp now = grpc_core::Timestamp::Now();
  int64_t left_ms = (time - now).millis();
  int64_t unit = 1;
  while (left_ms / unit >= 1000) unit *= 10;
  return now + grpc_core::Duration::Milliseconds(left_ms / unit * unit);
}

}  // namespace retry_guard
