// SPDX-License-Identifier: Apache-2.0

// The filter at the top of a client channel: sees each call of the application
// once, above gRPC's retries. Owns the call object and hands it to the attempt
// filters below.
#ifndef RETRY_GUARD_GRPC_CALL_FILTER_H
#define RETRY_GUARD_GRPC_CALL_FILTER_H

#include "grpc/channel_policy.h"
#include "grpc/compat.h"
#include "host/call.h"

namespace retry_guard {

extern const grpc_channel_filter kCallFilter;

// A call as the filters share it.
struct GuardedCall {
  rg_call call;
  grpc_core::Arena *arena;
  grpc_core::Timestamp deadline;
  ChannelPolicy *channel;
  uint64_t seen_number;  // the channel's, when the call began
  bool scout = false;    // goes and sees which policy the channel has
  // gRPC has the service config of the call, and no policy is in it.
  bool unguarded = false;
  bool cancelled = false;  // by the application
  // All is asked for at once, as only unary calls do: nothing comes after the
  // first message.
  bool is_unary = false;
  // The pushback that an attempt's trailing metadata got from the guard, and
  // what the server had put there.
  absl::optional<grpc_core::Duration> injected;
  absl::optional<grpc_core::Duration> replaced;
};

// The call of an attempt; null when it has none.
GuardedCall *CallOfAttempt(grpc_call_context_element *context);

// The policy of the call; null when there is none, or gRPC has no service
// config for it yet.
const rg_method_policy *FindPolicy(GuardedCall *call,
                                   const grpc_call_context_element *context);
inline const rg_method_policy *PolicyOfCall(
    GuardedCall *call, const grpc_call_context_element *context) {
  return call->call.method != nullptr ? call->call.method
                                      : FindPolicy(call, context);
}

// Binds the call to its policy, once. `initial` is the call's initial metadata,
// or null when it is gone.
void BindNow(GuardedCall *call, const rg_method_policy *method,
             const grpc_call_context_element *context,
             const grpc_metadata_batch *initial, uint64_t now);
inline void Bind(GuardedCall *call, const rg_method_policy *method,
                 const grpc_call_context_element *context,
                 const grpc_metadata_batch *initial, uint64_t now) {
  if (call->call.method == nullptr)
    BindNow(call, method, context, initial, now);
}

// What a call or an attempt that was refused ends with; by `breaker`, if a
// breaker refused it, and at `backend` (or null).
grpc_error_handle RefusalError(const rg_call &call,
                               const rg_admission &admission,
                               const rg_breaker *breaker,
                               const rg_backend *backend);

// Puts a pushback of `delay` into the trailing metadata that gRPC's retry
// filter is about to read. The application will not see it.
void InjectPushback(GuardedCall *call, grpc_metadata_batch *trailing,
                    grpc_core::Duration delay);

// The status with which a call or an attempt ended.
grpc_status_code StatusOf(const grpc_error_handle &error,
                          const grpc_metadata_batch &trailing,
                          grpc_core::Timestamp deadline);

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_CALL_FILTER_H
