// SPDX-License-Identifier: Apache-2.0

// Retry marks in gRPC metadata.
#ifndef RETRY_GUARD_GRPC_MARK_METADATA_H
#define RETRY_GUARD_GRPC_MARK_METADATA_H

#include "core/layer.h"
#include "grpc/compat.h"

namespace retry_guard {

// Where marks may be: in `retry-layer-bin`, and in `baggage` or not.
enum class Baggage { kIgnored, kUsed };

// Whether `metadata` holds any mark, decodable or not.
bool HasMark(const grpc_metadata_batch &metadata, Baggage baggage);

// What all the marks in `metadata` together say. `max_hops` bounds them.
rg_ancestry ReadMarks(const grpc_metadata_batch &metadata, Baggage baggage,
                      uint32_t max_hops);

// Removes every mark, and nothing else.
void RemoveMarks(grpc_metadata_batch *metadata, Baggage baggage);

// Adds an entry.
void AppendMetadata(grpc_metadata_batch *metadata, absl::string_view key,
                    const char *value, size_t length);

// Adds `mark`.
void WriteMark(const rg_mark &mark, Baggage baggage,
               grpc_metadata_batch *metadata);

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_MARK_METADATA_H
