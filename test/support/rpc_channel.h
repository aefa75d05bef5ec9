/* SPDX-License-Identifier: Apache-2.0 */

/* The inside of the tests' client channel, shared by what makes channels
 * (rpc_client.c) and what makes calls (rpc_call.c). */
#ifndef RG_TEST_SUPPORT_RPC_CHANNEL_H
#define RG_TEST_SUPPORT_RPC_CHANNEL_H

#include <pthread.h>

#include "support/rpc_client.h"

RG_C_BEGIN

struct rg_rpc_channel {
  grpc_channel *channel;
  grpc_completion_queue *queue;
  bool is_guest; /* the queue and its thread are another's */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t idle;
  size_t in_flight;
};

/* A call begins; its callback has returned. */
void rg_rpc_channel_enter(struct rg_rpc_channel *channel);
void rg_rpc_channel_leave(struct rg_rpc_channel *channel);

RG_C_END

#endif
