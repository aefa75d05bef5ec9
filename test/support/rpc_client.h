/* SPDX-License-Identifier: Apache-2.0 */

/* A gRPC client for tests: unary calls on one channel, without encryption and
 * without looking at the environment's proxies. One thread of the channel
 * collects the results.
 *
 * Threads: safe, but for new and destroy, which are the owner's. */
#ifndef RG_TEST_SUPPORT_RPC_CLIENT_H
#define RG_TEST_SUPPORT_RPC_CLIENT_H

#include "support/rpc.h"

RG_C_BEGIN

/* What to call; all zero but `method` means a plain call with an empty
 * message. Everything is copied. */
struct rg_rpc_request {
  const char *method; /* "/package.Service/Method" */
  struct rg_rpc_view message;
  const struct rg_rpc_entry *metadata;
  size_t metadata_count;
  grpc_call *parent;   /* with GRPC_PROPAGATE_DEFAULTS; NULL: none */
  uint32_t timeout_ms; /* 0: no deadline of its own */
  bool compress;       /* with gzip */
  bool wait_for_ready;
};

/* How a call ended. */
struct rg_rpc_result {
  grpc_status_code status;
  const char *details;
  struct rg_rpc_view message; /* the reply's; empty unless OK */
  bool has_message;
  const grpc_metadata_array *initial;
  const grpc_metadata_array *trailing;
  uint64_t began_ns; /* CLOCK_MONOTONIC */
  uint64_t ended_ns;
};

/* Hears once of the end of a call, on the channel's thread; the result is
 * borrowed. It may start calls but not wait for any. */
typedef void rg_rpc_done(const struct rg_rpc_result *result, void *data);

struct rg_rpc_channel;

/* A channel to `target`, with a service config in JSON (NULL: none) and more
 * channel arguments (NULL: none). */
struct rg_rpc_channel *rg_rpc_channel_new(const char *target,
                                          const char *service_config,
                                          const grpc_channel_args *args);

/* The same, but the thread of `other`, which has to outlive it, collects the
 * results: for hundreds of channels. */
struct rg_rpc_channel *rg_rpc_channel_new_beside(struct rg_rpc_channel *other,
                                                 const char *target,
                                                 const char *service_config,
                                                 const grpc_channel_args *args);

/* gRPC's own, for what the helpers do not offer. */
grpc_channel *rg_rpc_channel_grpc(struct rg_rpc_channel *channel);

/* Blocks until no call is going on and all callbacks have returned. */
void rg_rpc_channel_wait(struct rg_rpc_channel *channel);

/* Waits as above and frees the channel. */
void rg_rpc_channel_destroy(struct rg_rpc_channel *channel);

/* Makes a call; any number may be in flight. If `call` is not NULL it gets a
 * reference to gRPC's call, to be used with grpc_call_cancel and given back
 * with grpc_call_unref. */
void rg_rpc_start(struct rg_rpc_channel *channel,
                  const struct rg_rpc_request *request, rg_rpc_done *done,
                  void *data, grpc_call **call);

/* Makes a call and blocks until it has ended. The caller frees the result. */
struct rg_rpc_result *rg_rpc_call(struct rg_rpc_channel *channel,
                                  const struct rg_rpc_request *request);
void rg_rpc_result_destroy(struct rg_rpc_result *result);

RG_C_END

#endif
