// SPDX-License-Identifier: Apache-2.0

// gRPC's own C API, batch by batch, for what no unary call shows: streams, and
// calls that are given up half way.
#ifndef RG_TEST_GRPC_RAW_H
#define RG_TEST_GRPC_RAW_H

#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "grpc/server.h"
#include "grpc/wire.h"
#include "support/rpc_queue.h"

namespace rg_test {

// A completion queue and the thread that empties it.
class Queue {
 public:
  Queue() : thread_([this] { rg_rpc_run_queue(queue_); }) {}
  ~Queue() {
    grpc_completion_queue_shutdown(queue_);
    thread_.join();
    grpc_completion_queue_destroy(queue_);
    grpc_shutdown();
  }
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  grpc_completion_queue *get() { return queue_; }

 private:
  static grpc_completion_queue *Create() {
    grpc_init();
    return grpc_completion_queue_create_for_next(nullptr);
  }

  grpc_completion_queue *queue_ = Create();
  std::thread thread_;
};

// A tag, and what gRPC says when its operation is through; frees itself.
class Step {
 public:
  static void *New(std::future<bool> *done) {
    auto *step = new Step();
    *done = step->done_.get_future();
    return &step->step_;
  }

 private:
  static void Run(void *owner, bool ok) {
    auto *self = static_cast<Step *>(owner);
    self->done_.set_value(ok);
    delete self;
  }

  rg_rpc_step step_ = {Run, this};
  std::promise<bool> done_;
};

// A call, a client's or a server's, with the memory that its batches borrow.
class RawCall {
 public:
  RawCall() {
    grpc_metadata_array_init(&initial_);
    grpc_metadata_array_init(&trailing_);
  }
  // A client's.
  RawCall(grpc_channel *channel, Queue *queue, grpc_call *parent = nullptr,
          uint32_t mask = GRPC_PROPAGATE_DEFAULTS, uint32_t timeout_ms = 0)
      : RawCall() {
    grpc_slice method = grpc_slice_from_static_string(kMethod);
    call_ =
        grpc_channel_create_call(channel, parent, mask, queue->get(), method,
                                 nullptr, rg_rpc_after_ms(timeout_ms), nullptr);
  }
  ~RawCall() {
    if (call_ != nullptr) grpc_call_unref(call_);
    for (grpc_byte_buffer *buffer : sent_) grpc_byte_buffer_destroy(buffer);
    if (received_ != nullptr) grpc_byte_buffer_destroy(received_);
    grpc_metadata_array_destroy(&initial_);
    grpc_metadata_array_destroy(&trailing_);
    grpc_slice_unref(details_);
  }
  RawCall(const RawCall &) = delete;
  RawCall &operator=(const RawCall &) = delete;

  // The batches; each future tells gRPC's success.
  std::future<bool> SendInitial() {
    return Start({Op(GRPC_OP_SEND_INITIAL_METADATA)});
  }
  std::future<bool> ReceiveInitial() {
    grpc_op op = Op(GRPC_OP_RECV_INITIAL_METADATA);
    op.data.recv_initial_metadata.recv_initial_metadata = &initial_;
    return Start({op});
  }
  std::future<bool> Send(const std::string &text) {
    grpc_op op = Op(GRPC_OP_SEND_MESSAGE);
    sent_.push_back(rg_rpc_buffer_new(text.data(), text.size()));
    op.data.send_message.send_message = sent_.back();
    return Start({op});
  }
  std::future<bool> Receive() {
    if (received_ != nullptr) grpc_byte_buffer_destroy(received_);
    received_ = nullptr;
    grpc_op op = Op(GRPC_OP_RECV_MESSAGE);
    op.data.recv_message.recv_message = &received_;
    return Start({op});
  }
  std::future<bool> Close() {
    return Start({Op(GRPC_OP_SEND_CLOSE_FROM_CLIENT)});
  }
  std::future<bool> ReceiveStatus() {
    grpc_op op = Op(GRPC_OP_RECV_STATUS_ON_CLIENT);
    op.data.recv_status_on_client.trailing_metadata = &trailing_;
    op.data.recv_status_on_client.status = &status_;
    op.data.recv_status_on_client.status_details = &details_;
    return Start({op});
  }
  // A server's first, and its last.
  std::future<bool> ReceiveClose() {
    grpc_op op = Op(GRPC_OP_RECV_CLOSE_ON_SERVER);
    op.data.recv_close_on_server.cancelled = &cancelled_;
    return Start({op});
  }
  std::future<bool> SendStatus(grpc_status_code status, bool with_initial) {
    grpc_op op = Op(GRPC_OP_SEND_STATUS_FROM_SERVER);
    op.data.send_status_from_server.status = status;
    std::vector<grpc_op> ops = {op};
    if (with_initial) ops.push_back(Op(GRPC_OP_SEND_INITIAL_METADATA));
    return Start(ops);
  }

  void Cancel() { grpc_call_cancel(call_, nullptr); }

  // What came last; empty when there was no message.
  std::string message() const {
    if (received_ == nullptr) return "";
    grpc_slice bytes = rg_rpc_buffer_read(received_);
    std::string text(
        reinterpret_cast<const char *>(GRPC_SLICE_START_PTR(bytes)),
        GRPC_SLICE_LENGTH(bytes));
    grpc_slice_unref(bytes);
    return text;
  }
  bool has_message() const { return received_ != nullptr; }
  grpc_status_code status() const { return status_; }
  Entries trailing() const { return Entries(trailing_); }
  grpc_call *get() { return call_; }
  grpc_call **slot() { return &call_; }
  grpc_metadata_array *metadata() { return &initial_; }

 private:
  static grpc_op Op(grpc_op_type type) {
    grpc_op op{};
    op.op = type;
    return op;
  }

  std::future<bool> Start(const std::vector<grpc_op> &ops) {
    std::future<bool> done;
    rg_rpc_check(grpc_call_start_batch(call_, ops.data(), ops.size(),
                                       Step::New(&done), nullptr),
                 "start a batch");
    return done;
  }

  grpc_call *call_ = nullptr;
  grpc_metadata_array initial_;
  grpc_metadata_array trailing_;
  std::vector<grpc_byte_buffer *> sent_;
  grpc_byte_buffer *received_ = nullptr;
  grpc_status_code status_ = GRPC_STATUS_OK;
  grpc_slice details_ = grpc_empty_slice();
  int cancelled_ = 0;
};

// A server whose every step the test makes itself.
class RawServer {
 public:
  RawServer() : server_(grpc_server_create(nullptr, nullptr)) {
    grpc_server_register_completion_queue(server_, queue_.get(), nullptr);
    grpc_server_credentials *insecure =
        grpc_insecure_server_credentials_create();
    int port = 0;
    do port = grpc_server_add_http2_port(server_, "127.0.0.1:0", insecure);
    while (!IsFirstUse(port));
    grpc_server_credentials_release(insecure);
    address_ = "127.0.0.1:" + std::to_string(port);
    grpc_server_start(server_);
  }
  ~RawServer() {
    std::future<bool> down;
    grpc_server_shutdown_and_notify(server_, queue_.get(), Step::New(&down));
    grpc_server_cancel_all_calls(server_);
    down.get();
    grpc_server_destroy(server_);
  }
  RawServer(const RawServer &) = delete;
  RawServer &operator=(const RawServer &) = delete;

  // Blocks until a call has come.
  std::unique_ptr<RawCall> Accept() {
    auto call = std::make_unique<RawCall>();
    grpc_call_details details;
    grpc_call_details_init(&details);
    std::future<bool> came;
    rg_rpc_check(grpc_server_request_call(server_, call->slot(), &details,
                                          call->metadata(), queue_.get(),
                                          queue_.get(), Step::New(&came)),
                 "request a call");
    came.get();
    grpc_call_details_destroy(&details);
    return call;
  }

  const std::string &address() const { return address_; }

 private:
  Queue queue_;
  grpc_server *server_;
  std::string address_;
};

}  // namespace rg_test

#endif
