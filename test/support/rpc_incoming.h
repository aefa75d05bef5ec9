/* SPDX-License-Identifier: Apache-2.0 */

/* One incoming call of the tests' server, from the request for it to its end;
 * the server itself (rpc_server.c) only feeds events in.
 *
 * Threads: safe. */
#ifndef RG_TEST_SUPPORT_RPC_INCOMING_H
#define RG_TEST_SUPPORT_RPC_INCOMING_H

#include <pthread.h>

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
  /* Calls asked for or going on: while there are any, batches may start, so
   * neither the server nor the queue may go. */
  pthread_mutex_t mutex;
  pthread_cond_t idle;
  size_t calls;
};

/* Waits until there are no calls, on a server that is shut down. */
void rg_rpc_host_wait(struct rg_rpc_host *host);

/* Asks for one incoming call; each that comes asks for its successor. */
void rg_rpc_request_call(struct rg_rpc_host *host);

RG_C_END

#endif
