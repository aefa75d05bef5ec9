/* SPDX-License-Identifier: Apache-2.0 */
#include "support/rpc_server.h"

#include <grpc/grpc_security.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/rpc_incoming.h"
#include "support/rpc_queue.h"

/* How many calls are accepted, and so timed, while all workers are busy. */
#define CALLS_AHEAD 64
#define MAX_THREADS 16

struct rg_rpc_server {
  struct rg_rpc_host host;
  int port;
  char address[32];
  pthread_t threads[MAX_THREADS];
  unsigned thread_count;
  struct rg_rpc_step shutdown;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool down;
};

static void on_shutdown(void *owner, bool ok) {
  (void)ok;
  struct rg_rpc_server *server = owner;
  pthread_mutex_lock(&server->mutex);
  server->down = true;
  pthread_cond_signal(&server->changed);
  pthread_mutex_unlock(&server->mutex);
}

static bool listen_on(struct rg_rpc_server *server, int port) {
  snprintf(server->address, sizeof(server->address), "127.0.0.1:%d", port);
  grpc_server_credentials *insecure = grpc_insecure_server_credentials_create();
  server->port = grpc_server_add_http2_port(server->host.server,
                                            server->address, insecure);
  grpc_server_credentials_release(insecure);
  snprintf(server->address, sizeof(server->address), "127.0.0.1:%d",
           server->port);
  return server->port > 0;
}

static void start_threads(struct rg_rpc_server *server, unsigned count) {
  if (count == 0) count = 2;
  server->thread_count = count < MAX_THREADS ? count : MAX_THREADS;
  for (unsigned i = 0; i < server->thread_count; i++)
    if (pthread_create(&server->threads[i], NULL, rg_rpc_run_queue,
                       server->host.queue) != 0)
      abort();
}

static grpc_server *create_server(const grpc_channel_args *more) {
  /* Else two servers could share a port without noticing. */
  const grpc_arg own = {.type = GRPC_ARG_INTEGER,
                        .key = GRPC_ARG_ALLOW_REUSEPORT,
                        .value.integer = 0};
  grpc_channel_args args = rg_rpc_args_join(&own, 1, more);
  grpc_server *server = grpc_server_create(&args, NULL);
  free(args.args);
  return server;
}

static void create(struct rg_rpc_server *server,
                   const struct rg_rpc_server_options *options) {
  server->shutdown = (struct rg_rpc_step){on_shutdown, server};
  pthread_mutex_init(&server->mutex, NULL);
  pthread_cond_init(&server->changed, NULL);
  server->host = (struct rg_rpc_host){
      .server = create_server(options->args),
      .queue = grpc_completion_queue_create_for_next(NULL),
      .timers = rg_timers_new(),
      .methods = options->methods,
      .method_count = options->count,
  };
  pthread_mutex_init(&server->host.mutex, NULL);
  pthread_cond_init(&server->host.idle, NULL);
  grpc_server_register_completion_queue(server->host.server, server->host.queue,
                                        NULL);
}

struct rg_rpc_server *rg_rpc_server_new(
    const struct rg_rpc_server_options *options) {
  grpc_init();
  struct rg_rpc_server *server = rg_rpc_alloc(1, sizeof(*server));
  create(server, options);
  bool listening = listen_on(server, options->port);
  start_threads(server, options->threads);
  if (!listening) {
    rg_rpc_server_destroy(server);
    return NULL;
  }
  grpc_server_start(server->host.server);
  for (int i = 0; i < CALLS_AHEAD; i++) rg_rpc_request_call(&server->host);
  return server;
}

int rg_rpc_server_port(const struct rg_rpc_server *server) {
  return server->port;
}

const char *rg_rpc_server_address(const struct rg_rpc_server *server) {
  return server->address;
}

static void shut_down(struct rg_rpc_server *server) {
  grpc_server_shutdown_and_notify(server->host.server, server->host.queue,
                                  &server->shutdown);
  grpc_server_cancel_all_calls(server->host.server);
  rg_timers_rush(server->host.timers);
  pthread_mutex_lock(&server->mutex);
  while (!server->down) pthread_cond_wait(&server->changed, &server->mutex);
  pthread_mutex_unlock(&server->mutex);
  rg_rpc_host_wait(&server->host);
}

void rg_rpc_server_destroy(struct rg_rpc_server *server) {
  shut_down(server);
  grpc_server_destroy(server->host.server);
  grpc_completion_queue_shutdown(server->host.queue);
  for (unsigned i = 0; i < server->thread_count; i++)
    pthread_join(server->threads[i], NULL);
  grpc_completion_queue_destroy(server->host.queue);
  rg_timers_destroy(server->host.timers);
  pthread_cond_destroy(&server->host.idle);
  pthread_mutex_destroy(&server->host.mutex);
  pthread_cond_destroy(&server->changed);
  pthread_mutex_destroy(&server->mutex);
  free(server);
  grpc_shutdown();
}
