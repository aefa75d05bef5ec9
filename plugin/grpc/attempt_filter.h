// SPDX-License-Identifier: Apache-2.0

// The filter at the top of a subchannel: sees each attempt, below gRPC's
// retries. Marks it, reads how it ended, and tells the retry filter what was
// decided by the one lever there is: `grpc-retry-pushback-ms` in the trailing
// metadata, -1 to stop and n to retry after n ms.
#ifndef RETRY_GUARD_GRPC_ATTEMPT_FILTER_H
#define RETRY_GUARD_GRPC_ATTEMPT_FILTER_H

#include "grpc/compat.h"

namespace retry_guard {

extern const grpc_channel_filter kAttemptFilter;

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_ATTEMPT_FILTER_H
