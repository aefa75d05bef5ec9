/* SPDX-License-Identifier: Apache-2.0 */

/* The event loop of the RPC helpers: every tag of their completion queues is a
 * step.
 *
 * Threads: any number may run the same queue. */
#ifndef RG_TEST_SUPPORT_RPC_QUEUE_H
#define RG_TEST_SUPPORT_RPC_QUEUE_H

#include <grpc/grpc.h>
#include <stdbool.h>

#include "core/cxx.h"

RG_C_BEGIN

/* What to do when an operation is through; `ok`: gRPC's success. */
struct rg_rpc_step {
  void (*run)(void *owner, bool ok);
  void *owner;
};

/* Runs the steps of a grpc_completion_queue until it is shut down and empty.
 * Shaped as the start function of a thread. */
void *rg_rpc_run_queue(void *queue);

RG_C_END

#endif
