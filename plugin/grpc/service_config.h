// SPDX-License-Identifier: Apache-2.0

// The `retryGuard` blocks of a service config, on their way from gRPC's JSON to
// the policy that a call is bound to. Validation is plugin/config's; faults go
// out through gRPC's own validation, so a bad block makes the config invalid as
// any other bad field does. Where memory is out, a block counts as absent.
#ifndef RETRY_GUARD_GRPC_SERVICE_CONFIG_H
#define RETRY_GUARD_GRPC_SERVICE_CONFIG_H

#include "grpc/compat.h"
#include "host/call.h"

namespace retry_guard {

// Whether a channel with these arguments may get a policy: from the service
// config that it was given, or from what resolves the name of its target.
bool MayGetPolicy(const grpc_core::ChannelArgs &args);

// False, and nothing is registered, when memory is out.
bool RegisterServiceConfigParser(ConfigurationBuilder *builder);

// The policy for the method of the call that `context` belongs to, which has a
// service config; null when the channel has none (or memory is out), and the
// guard then stays away.
// Lives as long as the call's service config. Thread-safe; the first call of a
// method works it out, later ones find it.
const rg_method_policy *PolicyOf(const grpc_call_context_element *context);

// The number of the service config that `policy`, got from PolicyOf, is from.
// `seen` is the largest that calls of the channel had been bound to when this
// one began. A smaller one gets a new number: it was in force before and is so
// again, as the channel's own is once the resolver has none. Thread-safe.
uint64_t PolicyNumber(const rg_method_policy &policy, uint64_t seen);

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_SERVICE_CONFIG_H
