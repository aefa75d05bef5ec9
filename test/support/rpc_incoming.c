/* SPDX-License-Identifier: Apache-2.0 */
#include "support/rpc_incoming.h"

#include <grpc/support/alloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/rpc_queue.h"

/* The parts of an answer that gRPC borrows until its batch is through. */
struct outgoing {
  grpc_status_code status;
  grpc_slice details;
  bool has_details;
  grpc_byte_buffer *message;
  grpc_metadata *trailers;
  size_t trailer_count;
};

struct incoming {
  struct rg_rpc_incoming shown; /* first: the public face */
  struct rg_rpc_host *host;
  const struct rg_rpc_method *method;
  grpc_call_details details;
  grpc_metadata_array metadata;
  char *name;
  grpc_byte_buffer *buffer;
  grpc_slice message;
  int cancelled;
  struct outgoing answer;
  bool committed;
  struct rg_timer timer;
  struct rg_rpc_step requested, read, closed, initial_sent, answered;
  /* One for the end of the call, one for its answer, one for early initial
   * metadata on its way. */
  atomic_int refs;
};

static void count_calls(struct rg_rpc_host *host, int change) {
  pthread_mutex_lock(&host->mutex);
  host->calls = (size_t)((int)host->calls + change);
  if (host->calls == 0) pthread_cond_signal(&host->idle);
  pthread_mutex_unlock(&host->mutex);
}

void rg_rpc_host_wait(struct rg_rpc_host *host) {
  pthread_mutex_lock(&host->mutex);
  while (host->calls > 0) pthread_cond_wait(&host->idle, &host->mutex);
  pthread_mutex_unlock(&host->mutex);
}

static void destroy_incoming(struct incoming *incoming) {
  struct rg_rpc_host *host = incoming->host;
  if (incoming->shown.call != NULL) grpc_call_unref(incoming->shown.call);
  if (incoming->buffer != NULL) grpc_byte_buffer_destroy(incoming->buffer);
  if (incoming->answer.message != NULL)
    grpc_byte_buffer_destroy(incoming->answer.message);
  if (incoming->answer.has_details) grpc_slice_unref(incoming->answer.details);
  rg_rpc_entries_destroy(incoming->answer.trailers,
                         incoming->answer.trailer_count);
  grpc_slice_unref(incoming->message);
  grpc_call_details_destroy(&incoming->details);
  grpc_metadata_array_destroy(&incoming->metadata);
  gpr_free(incoming->name);
  free(incoming);
  count_calls(host, -1);
}

static void unref(struct incoming *incoming) {
  if (atomic_fetch_sub(&incoming->refs, 1) == 1) destroy_incoming(incoming);
}

/* ---- Answering ---------------------------------------------------------- */

static void on_initial_sent(void *owner, bool ok) {
  struct incoming *incoming = owner;
  (void)ok;
  unref(incoming);
}

static void on_answered(void *owner, bool ok) {
  struct incoming *incoming = owner;
  (void)ok; /* a call that was cancelled meanwhile cannot be answered */
  unref(incoming);
}

static void commit(struct incoming *incoming) {
  grpc_op op = {.op = GRPC_OP_SEND_INITIAL_METADATA};
  incoming->committed = true;
  atomic_fetch_add(&incoming->refs, 1);
  rg_rpc_check(grpc_call_start_batch(incoming->shown.call, &op, 1,
                                     &incoming->initial_sent, NULL),
               "send initial metadata");
}

static void send_answer(void *data) {
  struct incoming *incoming = data;
  struct outgoing *answer = &incoming->answer;
  grpc_op ops[3] = {{.op = GRPC_OP_SEND_STATUS_FROM_SERVER}};
  size_t count = 1;
  ops[0].data.send_status_from_server.status = answer->status;
  ops[0].data.send_status_from_server.trailing_metadata = answer->trailers;
  ops[0].data.send_status_from_server.trailing_metadata_count =
      answer->trailer_count;
  if (answer->has_details)
    ops[0].data.send_status_from_server.status_details = &answer->details;
  if (!incoming->committed) ops[count++].op = GRPC_OP_SEND_INITIAL_METADATA;
  if (answer->message != NULL) {
    ops[count].op = GRPC_OP_SEND_MESSAGE;
    ops[count++].data.send_message.send_message = answer->message;
  }
  rg_rpc_check(grpc_call_start_batch(incoming->shown.call, ops, count,
                                     &incoming->answered, NULL),
               "send an answer");
}

static void copy_answer(struct outgoing *copy,
                        const struct rg_rpc_answer *answer) {
  copy->status = answer->status;
  copy->trailers = rg_rpc_entries_new(answer->trailers, answer->trailer_count);
  copy->trailer_count = answer->trailer_count;
  if (answer->details != NULL) {
    copy->details = grpc_slice_from_copied_string(answer->details);
    copy->has_details = true;
  }
  if (answer->status == GRPC_STATUS_OK)
    copy->message =
        rg_rpc_buffer_new(answer->message.data, answer->message.size);
}

void rg_rpc_reply(struct rg_rpc_incoming *shown,
                  const struct rg_rpc_answer *answer) {
  struct incoming *incoming = (struct incoming *)shown;
  copy_answer(&incoming->answer, answer);
  if (answer->early_initial_metadata) commit(incoming);
  if (answer->delay_ms == 0) {
    send_answer(incoming);
    return;
  }
  incoming->timer.due_ns =
      rg_rpc_now_ns() + answer->delay_ms * UINT64_C(1000000);
  incoming->timer.run = send_answer;
  incoming->timer.data = incoming;
  rg_timers_add(incoming->host->timers, &incoming->timer);
}

void rg_rpc_hang(struct rg_rpc_incoming *shown) {
  unref((struct incoming *)shown);
}

/* ---- Receiving ---------------------------------------------------------- */

static const struct rg_rpc_method *find_method(const struct rg_rpc_host *host,
                                               const char *name) {
  for (size_t i = 0; i < host->method_count; i++)
    if (strcmp(host->methods[i].name, name) == 0) return &host->methods[i];
  return NULL;
}

static void on_closed(void *owner, bool ok) {
  struct incoming *incoming = owner;
  (void)ok;
  const struct rg_rpc_method *method = incoming->method;
  if (method != NULL && method->ended != NULL)
    method->ended(incoming->cancelled != 0, method->data);
  unref(incoming);
}

static void on_read(void *owner, bool ok) {
  struct incoming *incoming = owner;
  if (!ok || incoming->buffer == NULL) {
    rg_rpc_hang(&incoming->shown); /* the caller gave up before its message */
    return;
  }
  if (incoming->method == NULL) {
    rg_rpc_reply(&incoming->shown,
                 &(struct rg_rpc_answer){.status = GRPC_STATUS_UNIMPLEMENTED});
    return;
  }
  incoming->message = rg_rpc_buffer_read(incoming->buffer);
  incoming->shown.message.data = GRPC_SLICE_START_PTR(incoming->message);
  incoming->shown.message.size = GRPC_SLICE_LENGTH(incoming->message);
  incoming->method->handler(&incoming->shown, incoming->method->data);
}

static void start_reading(struct incoming *incoming) {
  grpc_op close = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER};
  close.data.recv_close_on_server.cancelled = &incoming->cancelled;
  grpc_op read = {.op = GRPC_OP_RECV_MESSAGE};
  read.data.recv_message.recv_message = &incoming->buffer;
  rg_rpc_check(grpc_call_start_batch(incoming->shown.call, &close, 1,
                                     &incoming->closed, NULL),
               "wait for the end of a call");
  rg_rpc_check(grpc_call_start_batch(incoming->shown.call, &read, 1,
                                     &incoming->read, NULL),
               "read a message");
}

static void on_requested(void *owner, bool ok) {
  struct incoming *incoming = owner;
  if (!ok) { /* the server shuts down */
    destroy_incoming(incoming);
    return;
  }
  rg_rpc_request_call(incoming->host);
  incoming->name = grpc_slice_to_c_string(incoming->details.method);
  incoming->method = find_method(incoming->host, incoming->name);
  incoming->shown.method = incoming->name;
  incoming->shown.metadata = &incoming->metadata;
  incoming->shown.deadline = incoming->details.deadline;
  incoming->shown.arrived_ns = rg_rpc_now_ns();
  start_reading(incoming);
}

static struct incoming *new_incoming(struct rg_rpc_host *host) {
  struct incoming *incoming = rg_rpc_alloc(1, sizeof(*incoming));
  incoming->host = host;
  incoming->message = grpc_empty_slice();
  incoming->requested = (struct rg_rpc_step){on_requested, incoming};
  incoming->read = (struct rg_rpc_step){on_read, incoming};
  incoming->closed = (struct rg_rpc_step){on_closed, incoming};
  incoming->initial_sent = (struct rg_rpc_step){on_initial_sent, incoming};
  incoming->answered = (struct rg_rpc_step){on_answered, incoming};
  atomic_init(&incoming->refs, 2);
  grpc_call_details_init(&incoming->details);
  grpc_metadata_array_init(&incoming->metadata);
  return incoming;
}

void rg_rpc_request_call(struct rg_rpc_host *host) {
  count_calls(host, 1);
  struct incoming *incoming = new_incoming(host);
  rg_rpc_check(
      grpc_server_request_call(host->server, &incoming->shown.call,
                               &incoming->details, &incoming->metadata,
                               host->queue, host->queue, &incoming->requested),
      "request a call");
}
