// SPDX-License-Identifier: Apache-2.0

// Retry marks in gRPC metadata.
#ifndef RETRY_GUARD_GRPC_MARK_METADATA_H
#define RETRY_GUARD_GRPC_MARK_METADATA_H

#include "core/layer.h"
#include "grpc/compat.h"

namespace retry_guard {

// Whether `metadata` holds any mark, decodable or not.
bool HasMark(const grpc_metadata_batch &metadata);

// What all the marks in `metadata` together say. `max_hops` bounds them.
rg_ancestry ReadMarks(const grpc_metadata_batch &metadata, uint32_t max_hops);

// Removes every mark, and no other entry.
void RemoveMarks(grpc_metadata_batch *metadata);

// Makes `mark` the only one.
void WriteMark(const rg_mark &mark, grpc_metadata_batch *metadata);

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_MARK_METADATA_H
