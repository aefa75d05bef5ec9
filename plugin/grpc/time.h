// SPDX-License-Identifier: Apache-2.0

// gRPC counts milliseconds from the start of the process, the guard nanoseconds
// of the monotonic clock. Both directions keep "no deadline" and saturate.
#ifndef RETRY_GUARD_GRPC_TIME_H
#define RETRY_GUARD_GRPC_TIME_H

#include "grpc/compat.h"

namespace retry_guard {

// To the guard's clock and back; none is RG_DEADLINE_NONE. The way to gRPC
// rounds down.
uint64_t FromTimestamp(grpc_core::Timestamp time);
grpc_core::Timestamp ToTimestamp(uint64_t time);

// `time`, or a little earlier: what `grpc-timeout` can carry. It has three
// digits, and gRPC rounds up, which would hand a server more than there is.
grpc_core::Timestamp ForTimeoutEntry(grpc_core::Timestamp time);

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_TIME_H
