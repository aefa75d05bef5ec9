// SPDX-License-Identifier: Apache-2.0
#include "grpc/channel_policy.h"

#include <functional>
#include <string_view>

#include "core/num.h"

namespace retry_guard {

namespace {

constexpr uint64_t kLookEveryNs = 100 * RG_NS_PER_MS;

uint64_t Hash(absl::string_view text) {
  return std::hash<std::string_view>()({text.data(), text.size()});
}

// Raises `value` to `other`; false when it was not below.
bool Raise(std::atomic<uint64_t> *value, uint64_t other) {
  uint64_t now = value->load(std::memory_order_relaxed);
  while (now < other)
    if (value->compare_exchange_weak(now, other, std::memory_order_release))
      return true;
  return false;
}

}  // namespace

void ChannelPolicy::Note(uint64_t number,
                         const grpc_call_context_element *context, bool scout) {
  // A scout's text counts whatever it is: of two calls that note different
  // configs at once, the older one may have had the last word.
  if (Raise(&number_, number) || scout)
    noted_.store(Hash(ServiceConfigText(context)), std::memory_order_relaxed);
}

bool ChannelPolicy::NeedsScout(uint64_t now) {
  uint64_t next = next_look_.load(std::memory_order_relaxed);
  if (now < next ||
      !next_look_.compare_exchange_strong(next, now + kLookEveryNs))
    return false;
  GprText text = ServiceConfigText(elem_);
  return Hash(absl::NullSafeStringView(text.get())) !=
         noted_.load(std::memory_order_relaxed);
}

}  // namespace retry_guard
