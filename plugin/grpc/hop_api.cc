// SPDX-License-Identifier: Apache-2.0
#include <grpc/census.h>
#include <grpc/grpc.h>

#include "host/hop.h"
#include "host/hop_set.h"
#include "retry_guard/retry_guard.h"

retry_guard_status retry_guard_hop_from_server_call(grpc_call *server_call,
                                                    retry_guard_hop **hop) {
  if (server_call == nullptr || hop == nullptr)
    return RETRY_GUARD_INVALID_ARGUMENT;
  void *context = grpc_census_call_get_context(server_call);
  *hop = nullptr;
  if (!rg_hop_set_contains(context)) return RETRY_GUARD_NOT_FOUND;
  *hop = retry_guard_hop_ref(static_cast<retry_guard_hop *>(context));
  return RETRY_GUARD_OK;
}
