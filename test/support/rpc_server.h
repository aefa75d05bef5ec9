/* SPDX-License-Identifier: Apache-2.0 */

/* A unary gRPC server on loopback for tests, without encryption. Handlers run
 * on its worker threads and answer when they like: at once, later from any
 * thread, or never.
 *
 *   static void on_call(struct rg_rpc_incoming *incoming, void *data) {
 *     rg_rpc_reply(incoming, &(struct rg_rpc_answer){
 *                                 .status = GRPC_STATUS_UNAVAILABLE});
 *   }
 *   struct rg_rpc_method method = {.name = "/test.Echo/Call",
 *                                  .handler = on_call};
 *   struct rg_rpc_server *server = rg_rpc_server_new(
 *       &(struct rg_rpc_server_options){.methods = &method, .count = 1});
 *
 * Threads: safe, but for new and destroy, which are the owner's. */
#ifndef RG_TEST_SUPPORT_RPC_SERVER_H
#define RG_TEST_SUPPORT_RPC_SERVER_H

#include "support/rpc.h"

RG_C_BEGIN

/* One incoming call, valid until it is answered or left hanging. Everything is
 * owned by the server. */
struct rg_rpc_incoming {
  grpc_call *call; /* the parent of calls made on its behalf */
  const char *method;
  const grpc_metadata_array *metadata;
  struct rg_rpc_view message; /* decompressed */
  gpr_timespec deadline;
  uint64_t arrived_ns; /* CLOCK_MONOTONIC */
};

/* How to answer; all zero means OK with an empty message, at once. Everything
 * is copied. */
struct rg_rpc_answer {
  grpc_status_code status;
  const char *details;        /* NULL: none */
  struct rg_rpc_view message; /* sent only with status OK */
  const struct rg_rpc_entry *trailers;
  size_t trailer_count;
  /* Initial metadata goes out at once and by itself, which commits the call. */
  bool early_initial_metadata;
  uint32_t delay_ms;
};

/* Every call that a handler gets must be answered or left hanging, else the
 * server cannot be destroyed. */
typedef void rg_rpc_handler(struct rg_rpc_incoming *incoming, void *data);

/* Hears once of each call that it ended; `cancelled`: before the server's
 * answer was through. May run before the handler of the same call is done. */
typedef void rg_rpc_ended(bool cancelled, void *data);

struct rg_rpc_method {
  const char *name; /* "/package.Service/Method" */
  rg_rpc_handler *handler;
  rg_rpc_ended *ended; /* NULL: nobody listens */
  void *data;
};

struct rg_rpc_server_options {
  const struct rg_rpc_method *methods; /* borrowed until destroy */
  size_t count;
  unsigned threads;              /* 0: two */
  int port;                      /* 0: the kernel chooses */
  const grpc_channel_args *args; /* NULL: none */
};

struct rg_rpc_server;

/* Starts a server; methods it was not given are UNIMPLEMENTED. NULL when the
 * port is taken. */
struct rg_rpc_server *rg_rpc_server_new(
    const struct rg_rpc_server_options *options);

int rg_rpc_server_port(const struct rg_rpc_server *server);

/* "127.0.0.1:port", the server's. */
const char *rg_rpc_server_address(const struct rg_rpc_server *server);

/* Cancels what is going on, makes delayed answers due, waits until all calls
 * have ended and frees the server. Not from a handler. */
void rg_rpc_server_destroy(struct rg_rpc_server *server);

/* Answers. Any thread; once per call. */
void rg_rpc_reply(struct rg_rpc_incoming *incoming,
                  const struct rg_rpc_answer *answer);

/* Never answers: the call ends by its deadline, by the caller's cancellation
 * or with the server. Instead of an answer. */
void rg_rpc_hang(struct rg_rpc_incoming *incoming);

RG_C_END

#endif
