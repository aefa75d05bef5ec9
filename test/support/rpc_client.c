/* SPDX-License-Identifier: Apache-2.0 */
#include "support/rpc_client.h"

#include <grpc/grpc_security.h>
#include <stdlib.h>

#include "support/rpc_channel.h"
#include "support/rpc_queue.h"

static grpc_channel *create_channel(const char *target,
                                    const char *service_config,
                                    const grpc_channel_args *more) {
  const grpc_arg own[] = {
      {.type = GRPC_ARG_INTEGER,
       .key = GRPC_ARG_ENABLE_HTTP_PROXY,
       .value.integer = 0},
      {.type = GRPC_ARG_STRING,
       .key = GRPC_ARG_SERVICE_CONFIG,
       .value.string = (char *)service_config},
  };
  grpc_channel_args args =
      rg_rpc_args_join(own, service_config == NULL ? 1 : 2, more);
  grpc_channel_credentials *insecure = grpc_insecure_credentials_create();
  grpc_channel *channel = grpc_channel_create(target, insecure, &args);
  grpc_channel_credentials_release(insecure);
  free(args.args);
  return channel;
}

static struct rg_rpc_channel *new_channel(const char *target,
                                          const char *service_config,
                                          const grpc_channel_args *args) {
  grpc_init();
  struct rg_rpc_channel *channel = rg_rpc_alloc(1, sizeof(*channel));
  channel->channel = create_channel(target, service_config, args);
  pthread_mutex_init(&channel->mutex, NULL);
  pthread_cond_init(&channel->idle, NULL);
  return channel;
}

struct rg_rpc_channel *rg_rpc_channel_new(const char *target,
                                          const char *service_config,
                                          const grpc_channel_args *args) {
  struct rg_rpc_channel *channel = new_channel(target, service_config, args);
  channel->queue = grpc_completion_queue_create_for_next(NULL);
  if (pthread_create(&channel->thread, NULL, rg_rpc_run_queue,
                     channel->queue) != 0)
    abort();
  return channel;
}

struct rg_rpc_channel *rg_rpc_channel_new_beside(
    struct rg_rpc_channel *other, const char *target,
    const char *service_config, const grpc_channel_args *args) {
  struct rg_rpc_channel *channel = new_channel(target, service_config, args);
  channel->queue = other->queue;
  channel->is_guest = true;
  return channel;
}

grpc_channel *rg_rpc_channel_grpc(struct rg_rpc_channel *channel) {
  return channel->channel;
}

void rg_rpc_channel_enter(struct rg_rpc_channel *channel) {
  pthread_mutex_lock(&channel->mutex);
  channel->in_flight++;
  pthread_mutex_unlock(&channel->mutex);
}

void rg_rpc_channel_leave(struct rg_rpc_channel *channel) {
  pthread_mutex_lock(&channel->mutex);
  if (--channel->in_flight == 0) pthread_cond_broadcast(&channel->idle);
  pthread_mutex_unlock(&channel->mutex);
}

void rg_rpc_channel_wait(struct rg_rpc_channel *channel) {
  pthread_mutex_lock(&channel->mutex);
  while (channel->in_flight > 0)
    pthread_cond_wait(&channel->idle, &channel->mutex);
  pthread_mutex_unlock(&channel->mutex);
}

static void end_queue(struct rg_rpc_channel *channel) {
  grpc_completion_queue_shutdown(channel->queue);
  pthread_join(channel->thread, NULL);
  grpc_completion_queue_destroy(channel->queue);
}

void rg_rpc_channel_destroy(struct rg_rpc_channel *channel) {
  rg_rpc_channel_wait(channel);
  if (!channel->is_guest) end_queue(channel);
  grpc_channel_destroy(channel->channel);
  pthread_cond_destroy(&channel->idle);
  pthread_mutex_destroy(&channel->mutex);
  free(channel);
  grpc_shutdown();
}
