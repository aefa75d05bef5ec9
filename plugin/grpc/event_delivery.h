// SPDX-License-Identifier: Apache-2.0

// Takes events out of the filters, where they are raised, to the application's
// callback and gRPC's log.
#ifndef RETRY_GUARD_GRPC_EVENT_DELIVERY_H
#define RETRY_GUARD_GRPC_EVENT_DELIVERY_H

#include "retry_guard/retry_guard.h"

namespace retry_guard {

// Copies `event` and sees to it that it is told later. An rg_event_deliverer.
void DeliverEvent(const retry_guard_event *event);

}  // namespace retry_guard

#endif
