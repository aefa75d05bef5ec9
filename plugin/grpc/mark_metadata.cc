// SPDX-License-Identifier: Apache-2.0
#include "grpc/mark_metadata.h"

#include <string>

#include "host/mark.h"

namespace retry_guard {

namespace {

// gRPC's encoder interface, as a visitor: it calls Encode for each entry, and
// a lookup by name would run several values together.
class MarkCollector {
 public:
  explicit MarkCollector(uint32_t max_hops) : max_hops_(max_hops) {}

  template <typename Trait, typename Value>
  void Encode(Trait, const Value &) {}

  void Encode(const grpc_core::Slice &key, const grpc_core::Slice &value) {
    if (key.as_string_view() != RG_MARK_KEY) return;
    rg_incoming incoming = {};
    incoming.kind = rg_mark_decode(value.data(), value.size(), &incoming.mark)
                        ? RG_MARK_DECODED
                        : RG_MARK_UNDECODABLE;
    ancestry_ = rg_layer_merge(ancestry_, rg_layer_judge(&incoming, max_hops_));
  }

  const rg_ancestry &ancestry() const { return ancestry_; }

 private:
  uint32_t max_hops_;
  rg_ancestry ancestry_ = {};
};

void IgnoreParseError(absl::string_view, const grpc_core::Slice &) {}

}  // namespace

bool HasMark(const grpc_metadata_batch &metadata) {
  std::string backing;
  return metadata.GetStringValue(RG_MARK_KEY, &backing).has_value();
}

rg_ancestry ReadMarks(const grpc_metadata_batch &metadata, uint32_t max_hops) {
  MarkCollector collector(max_hops);
  metadata.Encode(&collector);
  return collector.ancestry();
}

void RemoveMarks(grpc_metadata_batch *metadata) {
  metadata->Remove(absl::string_view(RG_MARK_KEY));
}

void WriteMark(const rg_mark &mark, grpc_metadata_batch *metadata) {
  uint8_t bytes[RG_MARK_MAX_BYTES];
  size_t length = rg_mark_encode(&mark, bytes);
  metadata->Append(RG_MARK_KEY,
                   grpc_core::Slice::FromCopiedBuffer(
                       reinterpret_cast<const char *>(bytes), length),
                   IgnoreParseError);
}

}  // namespace retry_guard
