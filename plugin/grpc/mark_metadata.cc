// SPDX-License-Identifier: Apache-2.0
#include "grpc/mark_metadata.h"

#include <memory>
#include <new>
#include <string>

#include "host/baggage.h"
#include "host/mark.h"
#include "host/process.h"

namespace retry_guard {

namespace {

rg_ancestry JudgeMark(const void *bytes, size_t length, uint32_t max_hops) {
  rg_incoming incoming = {};
  incoming.kind = rg_mark_decode(bytes, length, &incoming.mark)
                      ? RG_MARK_DECODED
                      : RG_MARK_UNDECODABLE;
  return rg_layer_judge(&incoming, max_hops);
}

// gRPC's encoder interface, as a visitor: it calls Encode for each entry, and
// a lookup by name would run several values together.
class MarkCollector {
 public:
  explicit MarkCollector(uint32_t max_hops) : max_hops_(max_hops) {}

  template <typename Trait, typename Value>
  void Encode(Trait, const Value &) {}

  void Encode(const grpc_core::Slice &key, const grpc_core::Slice &value) {
    if (key.as_string_view() != RG_MARK_KEY) return;
    ancestry_ = rg_layer_merge(
        ancestry_, JudgeMark(value.data(), value.size(), max_hops_));
  }

  const rg_ancestry &ancestry() const { return ancestry_; }

 private:
  uint32_t max_hops_;
  rg_ancestry ancestry_ = {};
};

void IgnoreParseError(absl::string_view, const grpc_core::Slice &) {}

}  // namespace

absl::optional<absl::string_view> ValueOf(const grpc_metadata_batch &metadata,
                                          absl::string_view key,
                                          std::string *backing) {
  try {
    return metadata.GetStringValue(key, backing);
  } catch (const std::bad_alloc &) {
    rg_process_counters.fail_open++;
    return absl::nullopt;
  }
}

namespace {

rg_mark_kind ReadBaggage(const grpc_metadata_batch &metadata, rg_mark *mark) {
  std::string backing;
  auto text = ValueOf(metadata, RG_BAGGAGE_KEY, &backing);
  if (!text.has_value()) return RG_MARK_NONE;
  return rg_baggage_read(text->data(), text->size(), mark);
}

void SetBaggage(const char *value, size_t length,
                grpc_metadata_batch *metadata) {
  metadata->Remove(absl::string_view(RG_BAGGAGE_KEY));
  if (length > 0) AppendMetadata(metadata, RG_BAGGAGE_KEY, value, length);
}

void StripLargeBaggage(absl::string_view before,
                       grpc_metadata_batch *metadata) {
  std::unique_ptr<char[]> text(new (std::nothrow) char[before.size()]);
  if (text == nullptr) {
    rg_process_counters.fail_open++;
    return;
  }
  before.copy(text.get(), before.size());
  size_t length = rg_baggage_strip(text.get(), before.size());
  SetBaggage(text.get(), length, metadata);
}

// Puts `mark` (null: none) in the place of what marks there are in the baggage.
// One that is over the limits gets none, but loses those that it has.
void ReplaceInBaggage(const rg_mark *mark, grpc_metadata_batch *metadata) {
  std::string backing;
  auto text = ValueOf(*metadata, RG_BAGGAGE_KEY, &backing);
  if (!text.has_value() && mark == nullptr) return;
  char out[RG_BAGGAGE_MAX_BYTES];
  size_t length = 0;
  absl::string_view before = text.value_or("");
  if (rg_baggage_write(before.data(), before.size(), mark, out, &length)) {
    SetBaggage(out, length, metadata);
  } else if (mark == nullptr) {
    StripLargeBaggage(before, metadata);
  }
}

}  // namespace

bool ReadMarks(const grpc_metadata_batch &metadata, Baggage baggage,
               uint32_t max_hops, rg_ancestry *ancestry) {
  std::string several;
  auto mark = ValueOf(metadata, RG_MARK_KEY, &several);
  rg_incoming incoming = {};
  if (baggage == Baggage::kUsed)
    incoming.kind = ReadBaggage(metadata, &incoming.mark);
  if (!mark.has_value() && incoming.kind == RG_MARK_NONE) return false;
  *ancestry = {};
  if (!several.empty()) {
    MarkCollector collector(max_hops);
    metadata.Encode(&collector);
    *ancestry = collector.ancestry();
  } else if (mark.has_value()) {
    *ancestry = JudgeMark(mark->data(), mark->size(), max_hops);
  }
  if (incoming.kind != RG_MARK_NONE)
    *ancestry = rg_layer_merge(*ancestry, rg_layer_judge(&incoming, max_hops));
  return true;
}

void RemoveMarks(grpc_metadata_batch *metadata, Baggage baggage) {
  metadata->Remove(absl::string_view(RG_MARK_KEY));
  if (baggage == Baggage::kUsed) ReplaceInBaggage(nullptr, metadata);
}

void AppendMetadata(grpc_metadata_batch *metadata, absl::string_view key,
                    const char *value, size_t length) {
  metadata->Append(key, grpc_core::Slice::FromCopiedBuffer(value, length),
                   IgnoreParseError);
}

void WriteMark(const rg_mark &mark, Baggage baggage,
               grpc_metadata_batch *metadata) {
  uint8_t bytes[RG_MARK_MAX_BYTES];
  size_t length = rg_mark_encode(&mark, bytes);
  AppendMetadata(metadata, RG_MARK_KEY, reinterpret_cast<const char *>(bytes),
                 length);
  if (baggage == Baggage::kUsed) ReplaceInBaggage(&mark, metadata);
}

}  // namespace retry_guard
