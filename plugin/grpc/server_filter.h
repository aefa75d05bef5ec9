// SPDX-License-Identifier: Apache-2.0

// The filter on the server side: reads the mark of an incoming call and offers
// the hop context to the calls made on its behalf.
#ifndef RETRY_GUARD_GRPC_SERVER_FILTER_H
#define RETRY_GUARD_GRPC_SERVER_FILTER_H

#include "grpc/compat.h"

namespace retry_guard {

extern const grpc_channel_filter kServerFilter;

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_SERVER_FILTER_H
