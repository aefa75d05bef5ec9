/* SPDX-License-Identifier: Apache-2.0 */
#include <grpc/compression.h>
#include <grpc/support/alloc.h>
#include <stdlib.h>
#include <string.h>

#include "support/rpc_channel.h"
#include "support/rpc_client.h"
#include "support/rpc_queue.h"

/* A call from its start until its result is no longer needed. */
struct pending {
  struct rg_rpc_result result; /* first: the public face */
  struct rg_rpc_channel *channel;
  grpc_call *call;
  struct rg_rpc_step ended;
  rg_rpc_done *done;
  void *data;
  bool keep; /* the result outlives the callback */
  grpc_metadata *metadata;
  size_t metadata_count;
  grpc_byte_buffer *sent;
  grpc_byte_buffer *received;
  grpc_slice message;
  grpc_slice details;
  char *details_text;
  grpc_metadata_array initial;
  grpc_metadata_array trailing;
};

static void destroy_pending(struct pending *pending) {
  grpc_call_unref(pending->call);
  rg_rpc_entries_destroy(pending->metadata, pending->metadata_count);
  grpc_byte_buffer_destroy(pending->sent);
  if (pending->received != NULL) grpc_byte_buffer_destroy(pending->received);
  grpc_slice_unref(pending->message);
  grpc_slice_unref(pending->details);
  gpr_free(pending->details_text);
  grpc_metadata_array_destroy(&pending->initial);
  grpc_metadata_array_destroy(&pending->trailing);
  free(pending);
}

static void fill_result(struct pending *pending) {
  struct rg_rpc_result *result = &pending->result;
  result->ended_ns = rg_rpc_now_ns();
  pending->details_text = grpc_slice_to_c_string(pending->details);
  result->details = pending->details_text;
  pending->message = rg_rpc_buffer_read(pending->received);
  result->message.data = GRPC_SLICE_START_PTR(pending->message);
  result->message.size = GRPC_SLICE_LENGTH(pending->message);
  result->has_message = pending->received != NULL;
  result->initial = &pending->initial;
  result->trailing = &pending->trailing;
}

static void on_ended(void *owner, bool ok) {
  (void)ok; /* the status tells */
  struct pending *pending = owner;
  struct rg_rpc_channel *channel = pending->channel;
  bool keep = pending->keep; /* else the callback's waiter frees it */
  fill_result(pending);
  pending->done(&pending->result, pending->data);
  if (!keep) destroy_pending(pending);
  rg_rpc_channel_leave(channel);
}

static grpc_call *create_call(struct rg_rpc_channel *channel,
                              const struct rg_rpc_request *request) {
  grpc_slice method = grpc_slice_from_copied_string(request->method);
  grpc_call *call = grpc_channel_create_call(
      channel->channel, request->parent, GRPC_PROPAGATE_DEFAULTS,
      channel->queue, method, NULL, rg_rpc_after_ms(request->timeout_ms), NULL);
  grpc_slice_unref(method);
  return call;
}

/* The request's metadata, and gRPC's own entry that asks for compression. */
static void copy_metadata(struct pending *pending,
                          const struct rg_rpc_request *request) {
  size_t count = request->metadata_count;
  struct rg_rpc_entry *all = rg_rpc_alloc(count + 1, sizeof(*all));
  if (count > 0) memcpy(all, request->metadata, count * sizeof(*all));
  if (request->compress)
    all[count++] =
        rg_rpc_text(GRPC_COMPRESSION_REQUEST_ALGORITHM_MD_KEY, "gzip");
  pending->metadata = rg_rpc_entries_new(all, count);
  pending->metadata_count = count;
  free(all);
}

static struct pending *new_pending(struct rg_rpc_channel *channel,
                                   const struct rg_rpc_request *request) {
  struct pending *pending = rg_rpc_alloc(1, sizeof(*pending));
  pending->channel = channel;
  pending->call = create_call(channel, request);
  pending->ended = (struct rg_rpc_step){on_ended, pending};
  copy_metadata(pending, request);
  pending->sent =
      rg_rpc_buffer_new(request->message.data, request->message.size);
  pending->message = grpc_empty_slice();
  pending->details = grpc_empty_slice();
  grpc_metadata_array_init(&pending->initial);
  grpc_metadata_array_init(&pending->trailing);
  return pending;
}

static void start_batch(struct pending *pending, bool wait_for_ready) {
  grpc_op ops[] = {
      {.op = GRPC_OP_SEND_INITIAL_METADATA},
      {.op = GRPC_OP_SEND_MESSAGE},
      {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
      {.op = GRPC_OP_RECV_INITIAL_METADATA},
      {.op = GRPC_OP_RECV_MESSAGE},
      {.op = GRPC_OP_RECV_STATUS_ON_CLIENT},
  };
  if (wait_for_ready) ops[0].flags = GRPC_INITIAL_METADATA_WAIT_FOR_READY;
  ops[0].data.send_initial_metadata.metadata = pending->metadata;
  ops[0].data.send_initial_metadata.count = pending->metadata_count;
  ops[1].data.send_message.send_message = pending->sent;
  ops[3].data.recv_initial_metadata.recv_initial_metadata = &pending->initial;
  ops[4].data.recv_message.recv_message = &pending->received;
  ops[5].data.recv_status_on_client.trailing_metadata = &pending->trailing;
  ops[5].data.recv_status_on_client.status = &pending->result.status;
  ops[5].data.recv_status_on_client.status_details = &pending->details;
  rg_rpc_check(
      grpc_call_start_batch(pending->call, ops, sizeof(ops) / sizeof(ops[0]),
                            &pending->ended, NULL),
      "start a call");
}

static void launch(struct pending *pending,
                   const struct rg_rpc_request *request) {
  rg_rpc_channel_enter(pending->channel);
  pending->result.began_ns = rg_rpc_now_ns();
  start_batch(pending, request->wait_for_ready);
}

void rg_rpc_start(struct rg_rpc_channel *channel,
                  const struct rg_rpc_request *request, rg_rpc_done *done,
                  void *data, grpc_call **call) {
  struct pending *pending = new_pending(channel, request);
  pending->done = done;
  pending->data = data;
  if (call != NULL) {
    grpc_call_ref(pending->call);
    *call = pending->call;
  }
  launch(pending, request);
}

/* ---- Calls that block --------------------------------------------------- */

struct signal {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool done;
};

static void raise_signal(const struct rg_rpc_result *result, void *data) {
  (void)result;
  struct signal *signal = data;
  pthread_mutex_lock(&signal->mutex);
  signal->done = true;
  pthread_cond_signal(&signal->changed);
  pthread_mutex_unlock(&signal->mutex);
}

static void await_signal(struct signal *signal) {
  pthread_mutex_lock(&signal->mutex);
  while (!signal->done) pthread_cond_wait(&signal->changed, &signal->mutex);
  pthread_mutex_unlock(&signal->mutex);
  pthread_cond_destroy(&signal->changed);
  pthread_mutex_destroy(&signal->mutex);
}

struct rg_rpc_result *rg_rpc_call(struct rg_rpc_channel *channel,
                                  const struct rg_rpc_request *request) {
  struct signal signal = {.done = false};
  pthread_mutex_init(&signal.mutex, NULL);
  pthread_cond_init(&signal.changed, NULL);
  struct pending *pending = new_pending(channel, request);
  pending->done = raise_signal;
  pending->data = &signal;
  pending->keep = true;
  launch(pending, request);
  await_signal(&signal);
  return &pending->result;
}

void rg_rpc_result_destroy(struct rg_rpc_result *result) {
  destroy_pending((struct pending *)result);
}
