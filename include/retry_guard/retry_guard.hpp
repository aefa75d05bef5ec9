// SPDX-License-Identifier: Apache-2.0

// Retry Guard for C++17: the C API of retry_guard.h with ownership in types.
// Adds nothing of its own; units, errors and thread-safety are as stated there.
// Needs only the standard library; where a gRPC type is wanted, any type with
// the members of gRPC's will do.
#ifndef RETRY_GUARD_RETRY_GUARD_HPP
#define RETRY_GUARD_RETRY_GUARD_HPP

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "retry_guard/retry_guard.h"

namespace retry_guard {

// The defaults, to be changed and passed to Register.
inline retry_guard_options DefaultOptions() {
  retry_guard_options options;
  retry_guard_options_init(&options);
  return options;
}

// Registers the plugin; see retry_guard_register.
inline retry_guard_status Register(
    const retry_guard_options &options = DefaultOptions()) {
  return retry_guard_register(&options);
}

// The sentence for a status.
inline std::string_view ToString(retry_guard_status status) {
  return retry_guard_status_string(status);
}

// A hop context, or none. Copies share the same context.
class Hop {
 public:
  Hop() = default;
  Hop(const Hop &other)
      : hop_(other ? retry_guard_hop_ref(other.hop_) : nullptr) {}
  Hop(Hop &&other) noexcept : hop_(std::exchange(other.hop_, nullptr)) {}
  Hop &operator=(Hop other) noexcept {
    std::swap(hop_, other.hop_);
    return *this;
  }
  ~Hop() { retry_guard_hop_unref(hop_); }

  // The context of a server call; empty when it has none.
  static Hop FromServerCall(grpc_call *call) {
    Hop hop;
    retry_guard_hop_from_server_call(call, &hop.hop_);
    return hop;
  }

  // The same for grpc::ServerContext and grpc::CallbackServerContext.
  template <typename ServerContext>
  static Hop FromServerContext(ServerContext &context) {
    return FromServerCall(context.c_call());
  }

  // The value of the metadata entry for a call one hop below, and in `key` its
  // name; nothing when there is none to forward.
  std::optional<std::string> ToMetadata(const char **key) const {
    char buffer[128];
    size_t length = 0;
    if (hop_ == nullptr ||
        retry_guard_hop_to_metadata(hop_, key, buffer, sizeof buffer,
                                    &length) != RETRY_GUARD_OK)
      return std::nullopt;
    return std::string(buffer, length);
  }

  explicit operator bool() const { return hop_ != nullptr; }
  retry_guard_hop *get() const { return hop_; }

 private:
  retry_guard_hop *hop_ = nullptr;
};

// Binds a hop context to the calling thread for as long as it lives; see
// retry_guard_scope_enter. Scopes end in the reverse order of their beginning.
class Scope {
 public:
  explicit Scope(Hop hop)
      : hop_(std::move(hop)), previous_(retry_guard_scope_enter(hop_.get())) {}
  ~Scope() { retry_guard_scope_leave(previous_); }
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

 private:
  Hop hop_;
  retry_guard_hop *previous_;
};

// The counters of a target; nothing when it is not known.
inline std::optional<retry_guard_stats> Stats(const std::string &target) {
  retry_guard_stats stats = {};
  stats.size = sizeof stats;
  if (retry_guard_stats_get(target.c_str(), &stats) != RETRY_GUARD_OK)
    return std::nullopt;
  return stats;
}

}  // namespace retry_guard

#endif  // RETRY_GUARD_RETRY_GUARD_HPP
