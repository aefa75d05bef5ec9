/* SPDX-License-Identifier: Apache-2.0 */

/* The addresses of the hop contexts that live inside server calls.
 *
 * gRPC hands a server call's GRPC_CONTEXT_TRACING pointer to its child calls,
 * and other plugins use that slot too. A pointer found there is ours if its
 * address is in this set; a foreign one is never dereferenced.
 *
 * Fixed size, no locks: an address hashes to one row of eight places. A row
 * that is full refuses, and that call's context is then not handed on.
 *
 * Threads: safe. An address must not be removed while somebody may still look
 * it up, which the child's hold on its parent sees to. */
#ifndef RG_HOST_HOP_SET_H
#define RG_HOST_HOP_SET_H

#include <stdbool.h>

#include "core/cxx.h"

RG_C_BEGIN

/* False when there was no place. */
bool rg_hop_set_add(const void *hop);
void rg_hop_set_remove(const void *hop);
bool rg_hop_set_contains(const void *hop);

RG_C_END

#endif
