// SPDX-License-Identifier: Apache-2.0

// Puts the plugin into gRPC's configuration.
#ifndef RETRY_GUARD_GRPC_REGISTER_H
#define RETRY_GUARD_GRPC_REGISTER_H

#include "grpc/compat.h"

namespace retry_guard {

// Adds the filters and the service-config parser to `builder`. Reachable by
// itself for programs that replace gRPC's whole configuration, as gRPC's own
// tests do.
void FillBuilder(ConfigurationBuilder *builder);

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_REGISTER_H
