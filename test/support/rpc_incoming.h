/* SPDX-License-Identifier: Apache-2.0 */

/* One incoming call of the tests' server, from the request for it to its end;
 * the server itself (rpc_server.c) only feeds events in.
 *
 * Threads: safe. */
#ifndef RG_TEST_SUPPORT_RPC_INCOMING_H
#define RG_TEST_SUPPORT_RPC_INCOMING_H

#include "support/rpc_server.h"
#include "support/timer.h"

RG_C_BEGIN

/* What calls need of their server. */
struct rg_rpc_host {
  grpc_server *server;
  grpc_completion_queue *queue;
  struct rg_timers *timers;
  const struct rg_rpc_method *methods;
  size_t method_count;
};

/* Asks for one incoming call; each that comes asks for its successor. */
void rg_rpc_request_call(struct rg_rpc_host *host);

RG_C_END

#endif
