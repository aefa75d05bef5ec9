// SPDX-License-Identifier: Apache-2.0

// gRPC counts milliseconds from the start of the process, the guard nanoseconds
// of the monotonic clock. Both directions keep "no deadline" and saturate.
#ifndef RETRY_GUARD_GRPC_TIME_H
#define RETRY_GUARD_GRPC_TIME_H

#include <algorithm>

#include "core/deadline.h"
#include "core/num.h"
#include "grpc/compat.h"

namespace retry_guard {

// gRPC counts milliseconds of the guard's own clock, from a moment that is
// fixed once per process. So there is nothing to look up, and a time that goes
// to and fro stays the same.
inline uint64_t Epoch() {
  static const uint64_t epoch = [] {
    gpr_timespec time =
        grpc_core::Timestamp::ProcessEpoch().as_timespec(GPR_CLOCK_MONOTONIC);
    return static_cast<uint64_t>(time.tv_sec) * RG_NS_PER_S +
           static_cast<uint64_t>(time.tv_nsec);
  }();
  return epoch;
}

// To the guard's clock and back; none is RG_DEADLINE_NONE. The way to gRPC
// rounds down.
inline uint64_t FromTimestamp(grpc_core::Timestamp time) {
  if (time == grpc_core::Timestamp::InfFuture()) return RG_DEADLINE_NONE;
  int64_t ms = std::max<int64_t>(time.milliseconds_after_process_epoch(), 0);
  return rg_num_add(Epoch(),
                    rg_num_mul(static_cast<uint64_t>(ms), RG_NS_PER_MS));
}
grpc_core::Timestamp ToTimestamp(uint64_t time);

// `time`, or a little earlier: what `grpc-timeout` can carry. It has three
// digits, and gRPC rounds up, which would hand a server more than there is.
grpc_core::Timestamp ForTimeoutEntry(grpc_core::Timestamp time);

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_TIME_H
