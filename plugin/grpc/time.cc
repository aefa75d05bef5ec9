// SPDX-License-Identifier: Apache-2.0
#include "grpc/time.h"

#include "core/deadline.h"
#include "core/num.h"

namespace retry_guard {

uint64_t FromTimestamp(grpc_core::Timestamp time, uint64_t now) {
  if (time == grpc_core::Timestamp::InfFuture()) return RG_DEADLINE_NONE;
  ReadClockAgain();
  int64_t left_ms = (time - grpc_core::Timestamp::Now()).millis();
  if (left_ms <= 0) return now;
  return rg_num_add(now,
                    rg_num_mul(static_cast<uint64_t>(left_ms), RG_NS_PER_MS));
}

grpc_core::Timestamp ToTimestamp(uint64_t time, uint64_t now) {
  if (time == RG_DEADLINE_NONE) return grpc_core::Timestamp::InfFuture();
  // Less than the whole range, so it fits gRPC's type.
  uint64_t left_ms = rg_num_sub(time, now) / RG_NS_PER_MS;
  return grpc_core::Timestamp::Now() +
         grpc_core::Duration::Milliseconds(static_cast<int64_t>(left_ms));
}

grpc_core::Timestamp ForTimeoutEntry(grpc_core::Timestamp time) {
  grpc_core::Timestamp now = grpc_core::Timestamp::Now();
  int64_t left_ms = (time - now).millis();
  int64_t unit = 1;
  while (left_ms / unit >= 1000) unit *= 10;
  return now + grpc_core::Duration::Milliseconds(left_ms / unit * unit);
}

}  // namespace retry_guard
