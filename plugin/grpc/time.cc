// SPDX-License-Identifier: Apache-2.0
#include "grpc/time.h"

namespace retry_guard {

grpc_core::Timestamp ToTimestamp(uint64_t time) {
  if (time == RG_DEADLINE_NONE) return grpc_core::Timestamp::InfFuture();
  // Less than the whole range, so it fits gRPC's type.
  uint64_t ms = rg_num_sub(time, Epoch()) / RG_NS_PER_MS;
  return grpc_core::Timestamp::FromMillisecondsAfterProcessEpoch(
      static_cast<int64_t>(ms));
}

grpc_core::Timestamp ForTimeoutEntry(grpc_core::Timestamp time) {
  grpc_core::Timestamp now = grpc_core::Timestamp::Now();
  int64_t digits = (time - now).millis();
  int64_t unit = 1;
  for (; digits >= 1000; digits /= 10) unit *= 10;
  return now + grpc_core::Duration::Milliseconds(digits * unit);
}

}  // namespace retry_guard
