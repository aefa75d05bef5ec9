// SPDX-License-Identifier: Apache-2.0

// Retry marks in gRPC metadata.
#ifndef RETRY_GUARD_GRPC_MARK_METADATA_H
#define RETRY_GUARD_GRPC_MARK_METADATA_H

#include "core/layer.h"
#include "grpc/compat.h"

namespace retry_guard {

// Where marks may be: in `retry-layer-bin`, and in `baggage` or not.
enum class Baggage { kIgnored, kUsed };

// The value of the entry `key`; the values of several run together in
// `backing`, with commas. Nothing when there is none, or, counted, no memory to
// run them together: no exception goes on into gRPC.
absl::optional<absl::string_view> ValueOf(const UnknownEntries &entries,
                                          absl::string_view key,
                                          std::string *backing);

bool HasEntry(const UnknownEntries &entries, absl::string_view key);

// Adds an entry.
void AppendEntry(absl::string_view key, const char *value, size_t length,
                 UnknownEntries *entries);

// What all the marks among `entries` together say, into `ancestry`; false, and
// nothing is written, when there is none. `max_hops` bounds them.
bool ReadMarks(const UnknownEntries &entries, Baggage baggage,
               uint32_t max_hops, rg_ancestry *ancestry);

// Removes every mark, and nothing else.
void RemoveMarks(Baggage baggage, UnknownEntries *entries);

// Adds `mark`.
void WriteMark(const rg_mark &mark, Baggage baggage, UnknownEntries *entries);

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_MARK_METADATA_H
