// SPDX-License-Identifier: Apache-2.0

// What the calls of a channel learnt of its policy, for those that come after
// them: gRPC shows the service config only to calls that it lets through to
// name resolution, and the breaker is asked before that.
//
// Thread-safe.
#ifndef RETRY_GUARD_GRPC_CHANNEL_POLICY_H
#define RETRY_GUARD_GRPC_CHANNEL_POLICY_H

#include <atomic>

#include "grpc/compat.h"

namespace retry_guard {

class ChannelPolicy {
 public:
  // `elem`: the filter's own, which lives as long as this.
  explicit ChannelPolicy(grpc_channel_element *elem) : elem_(elem) {}

  // The largest number of a service config that a call was bound to.
  uint64_t number() const { return number_.load(std::memory_order_acquire); }

  // Whether the policy lets a breaker refuse calls, as the last call that was
  // bound knew.
  bool breaker_in_force() const {
    return breaker_in_force_.load(std::memory_order_acquire);
  }
  // Writes only a change, since all calls of the channel read it.
  void SetBreakerInForce(bool value) {
    if (breaker_in_force() != value)
      breaker_in_force_.store(value, std::memory_order_release);
  }

  // A call was bound to the service config `number`, which `context` has.
  // `scout`: it was sent for it by the function below.
  void Note(uint64_t number, const grpc_call_context_element *context,
            bool scout);

  // Whether the channel has another service config than the last one noted, so
  // that a call has to go and see before more are refused. Says so to few:
  // looking means a lock and a copy, and is done ten times a second at most.
  bool NeedsScout(uint64_t now);

 private:
  grpc_channel_element *const elem_;
  std::atomic<bool> breaker_in_force_{false};
  std::atomic<uint64_t> number_{0};
  std::atomic<uint64_t> noted_{0};  // the hash of its text
  std::atomic<uint64_t> next_look_{0};
};

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_CHANNEL_POLICY_H
