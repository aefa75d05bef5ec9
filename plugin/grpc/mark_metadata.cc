// SPDX-License-Identifier: Apache-2.0
#include "grpc/mark_metadata.h"

#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "host/baggage.h"
#include "host/mark.h"
#include "host/process.h"

namespace retry_guard {

namespace {

rg_mark_kind ReadBare(absl::string_view value, rg_mark *mark) {
  return rg_mark_decode(value.data(), value.size(), mark) ? RG_MARK_DECODED
                                                          : RG_MARK_UNDECODABLE;
}

// RG_MARK_NONE also for what repeats `bare`, a mark outside of baggage or null.
rg_mark_kind ReadBaggage(absl::string_view value, absl::string_view bare,
                         rg_mark *mark) {
  if (bare.data() != nullptr &&
      rg_baggage_repeats(value.data(), value.size(), bare.data(), bare.size()))
    return RG_MARK_NONE;
  return rg_baggage_read(value.data(), value.size(), mark);
}

// What an entry says about marks, RG_MARK_NONE if nothing new; `bare` is kept
// from one entry to the next.
rg_mark_kind ReadEntry(absl::string_view key, const grpc_core::Slice &value,
                       Baggage baggage, absl::string_view *bare,
                       rg_mark *mark) {
  if (key == RG_MARK_KEY) return ReadBare(*bare = value.as_string_view(), mark);
  if (baggage == Baggage::kUsed && key == RG_BAGGAGE_KEY)
    return ReadBaggage(value.as_string_view(), *bare, mark);
  return RG_MARK_NONE;
}

// Short values have room in the slice itself. gRPC's own way there is three
// calls long.
grpc_core::Slice SliceOf(const char *value, size_t length) {
  grpc_slice slice;
  if (length > sizeof(slice.data.inlined.bytes))
    return grpc_core::Slice::FromCopiedBuffer(value, length);
  slice.refcount = nullptr;
  slice.data.inlined.length = static_cast<uint8_t>(length);
  std::memcpy(slice.data.inlined.bytes, value, length);
  return grpc_core::Slice(slice);
}

}  // namespace

absl::optional<absl::string_view> ValueOf(const UnknownEntries &entries,
                                          absl::string_view key,
                                          std::string *backing) {
  try {
    return entries.GetStringValue(key, backing);
  } catch (const std::bad_alloc &) {
    rg_process_counters.fail_open++;
    return absl::nullopt;
  }
}

bool HasEntry(const UnknownEntries &entries, absl::string_view key) {
  for (const auto &entry : entries)
    if (entry.first.as_string_view() == key) return true;
  return false;
}

void AppendEntry(absl::string_view key, const char *value, size_t length,
                 UnknownEntries *entries) {
  entries->Append(key, SliceOf(value, length));
}

namespace {

void SetBaggage(const char *value, size_t length, UnknownEntries *entries) {
  entries->Remove(RG_BAGGAGE_KEY);
  if (length > 0) AppendEntry(RG_BAGGAGE_KEY, value, length, entries);
}

void StripLargeBaggage(absl::string_view before, UnknownEntries *entries) {
  std::unique_ptr<char[]> text(new (std::nothrow) char[before.size()]);
  if (text == nullptr) {
    rg_process_counters.fail_open++;
    return;
  }
  before.copy(text.get(), before.size());
  size_t length = rg_baggage_strip(text.get(), before.size());
  SetBaggage(text.get(), length, entries);
}

// Puts `mark` (null: none) in the place of what marks there are in the baggage.
// One that is over the limits gets none, but loses those that it has.
void ReplaceInBaggage(const rg_mark *mark, UnknownEntries *entries) {
  std::string backing;
  auto text = ValueOf(*entries, RG_BAGGAGE_KEY, &backing);
  if (!text.has_value() && mark == nullptr) return;
  char out[RG_BAGGAGE_MAX_BYTES];
  size_t length = 0;
  absl::string_view before = text.value_or("");
  if (rg_baggage_write(before.data(), before.size(), mark, out, &length)) {
    SetBaggage(out, length, entries);
  } else if (mark == nullptr) {
    StripLargeBaggage(before, entries);
  }
}

// Where there is none yet.
void AppendBaggage(const uint8_t *mark, size_t length,
                   UnknownEntries *entries) {
  char member[RG_BAGGAGE_MEMBER_MAX];
  AppendEntry(RG_BAGGAGE_KEY, member, rg_baggage_member(mark, length, member),
              entries);
}

}  // namespace

bool ReadMarks(const UnknownEntries &entries, Baggage baggage,
               uint32_t max_hops, rg_ancestry *ancestry) {
  bool found = false;
  absl::string_view bare;
  for (const auto &[key, value] : entries) {
    rg_incoming incoming;
    incoming.previous_attempts = 0;
    incoming.kind =
        ReadEntry(key.as_string_view(), value, baggage, &bare, &incoming.mark);
    if (incoming.kind == RG_MARK_NONE) continue;
    rg_ancestry said = rg_layer_judge(&incoming, max_hops);
    *ancestry = found ? rg_layer_merge(*ancestry, said) : said;
    found = true;
  }
  return found;
}

void RemoveMarks(Baggage baggage, UnknownEntries *entries) {
  entries->Remove(RG_MARK_KEY);
  if (baggage == Baggage::kUsed) ReplaceInBaggage(nullptr, entries);
}

void WriteMark(const rg_mark &mark, Baggage baggage, UnknownEntries *entries) {
  uint8_t bytes[RG_MARK_MAX_BYTES];
  size_t length = rg_mark_encode(&mark, bytes);
  bool has_baggage =
      baggage == Baggage::kUsed && HasEntry(*entries, RG_BAGGAGE_KEY);
  AppendEntry(RG_MARK_KEY, reinterpret_cast<const char *>(bytes), length,
              entries);
  if (has_baggage)
    ReplaceInBaggage(&mark, entries);
  else if (baggage == Baggage::kUsed)
    AppendBaggage(bytes, length, entries);
}

}  // namespace retry_guard
