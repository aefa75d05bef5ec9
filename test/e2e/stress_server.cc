// SPDX-License-Identifier: Apache-2.0
#include "e2e/stress_server.h"

#include <grpc/grpc_security.h>
#include <grpc/support/time.h>

#include <future>

#include "support/rpc.h"

namespace rg_test {

namespace {

constexpr int kThreads = 2;
constexpr int kCallsAhead = 64;
constexpr char kPushbackMs[] = "1";

}  // namespace

const char *MethodOf(Kind kind) {
  switch (kind) {
    case Kind::kUnary:
      return "/retry_guard.test.Stress/Unary";
    case Kind::kClientStream:
      return "/retry_guard.test.Stress/ClientStream";
    case Kind::kServerStream:
      return "/retry_guard.test.Stress/ServerStream";
    default:
      return "/retry_guard.test.Stress/BothStream";
  }
}

// One call, from when it is asked for until its last operation is through.
class StressIncoming {
 public:
  StressIncoming(StressServer *server, grpc_completion_queue *queue)
      : server_(server), queue_(queue) {
    server_->Count(1);
    grpc_call_details_init(&details_);
    grpc_metadata_array_init(&metadata_);
    rg_rpc_check(
        grpc_server_request_call(server->server_, &call_, &details_, &metadata_,
                                 queue, queue, &requested_),
        "request a call");
  }

 private:
  static StressIncoming *Self(void *owner) {
    return static_cast<StressIncoming *>(owner);
  }

  ~StressIncoming() {
    if (call_ != nullptr) grpc_call_unref(call_);
    if (received_ != nullptr) grpc_byte_buffer_destroy(received_);
    if (sent_ != nullptr) grpc_byte_buffer_destroy(sent_);
    grpc_call_details_destroy(&details_);
    grpc_metadata_array_destroy(&metadata_);
    server_->Count(-1);
  }

  static void OnRequested(void *owner, bool ok) {
    StressIncoming *self = Self(owner);
    if (!ok) {  // the server shuts down
      delete self;
      return;
    }
    self->server_->Request(self->queue_);
    self->is_stream_ = grpc_slice_str_cmp(self->details_.method,
                                          MethodOf(Kind::kServerStream)) == 0 ||
                       grpc_slice_str_cmp(self->details_.method,
                                          MethodOf(Kind::kBothStream)) == 0;
    self->Begin(self->server_->Choose());
  }

  void Begin(StressServer::Answer answer) {
    grpc_op close = OpOf(GRPC_OP_RECV_CLOSE_ON_SERVER);
    close.data.recv_close_on_server.cancelled = &cancelled_;
    Start(&close, 1, &ended_);
    switch (answer) {
      case StressServer::Answer::kOk:
        SendInitial();
        Read();
        break;
      case StressServer::Answer::kEarly:
        SendInitial();
        Finish(GRPC_STATUS_UNAVAILABLE);
        break;
      case StressServer::Answer::kUnavailable:
        Finish(GRPC_STATUS_UNAVAILABLE);
        break;
      case StressServer::Answer::kExhausted:
        Finish(GRPC_STATUS_RESOURCE_EXHAUSTED);
        break;
      case StressServer::Answer::kNever:
        break;
    }
  }

  void SendInitial() {
    grpc_op op = OpOf(GRPC_OP_SEND_INITIAL_METADATA);
    has_sent_initial_ = true;
    Start(&op, 1, &ended_);
  }

  void Read() {
    grpc_op op = OpOf(GRPC_OP_RECV_MESSAGE);
    op.data.recv_message.recv_message = &received_;
    Start(&op, 1, &read_);
  }

  // All that the client sends, then the answers.
  static void OnRead(void *owner, bool ok) {
    StressIncoming *self = Self(owner);
    if (ok && self->received_ != nullptr) {
      grpc_byte_buffer_destroy(self->received_);
      self->received_ = nullptr;
      self->Read();
    } else if (ok) {
      self->Write();
    }
    self->Unref();
  }

  void Write() {
    grpc_op op = OpOf(GRPC_OP_SEND_MESSAGE);
    sent_ = rg_rpc_buffer_new("reply", 5);
    op.data.send_message.send_message = sent_;
    Start(&op, 1, &written_);
    writes_++;
  }

  static void OnWritten(void *owner, bool ok) {
    StressIncoming *self = Self(owner);
    grpc_byte_buffer_destroy(self->sent_);
    self->sent_ = nullptr;
    if (ok && self->is_stream_ && self->writes_ < kStreamMessages)
      self->Write();
    else if (ok)
      self->Finish(GRPC_STATUS_OK);
    self->Unref();
  }

  void Finish(grpc_status_code status) {
    grpc_op ops[2] = {OpOf(GRPC_OP_SEND_STATUS_FROM_SERVER),
                      OpOf(GRPC_OP_SEND_INITIAL_METADATA)};
    grpc_metadata pushback{};
    pushback.key = grpc_slice_from_static_string("grpc-retry-pushback-ms");
    pushback.value = grpc_slice_from_static_string(kPushbackMs);
    trailer_ = pushback;
    ops[0].data.send_status_from_server.status = status;
    if (status == GRPC_STATUS_UNAVAILABLE) {
      ops[0].data.send_status_from_server.trailing_metadata = &trailer_;
      ops[0].data.send_status_from_server.trailing_metadata_count = 1;
    }
    Start(ops, has_sent_initial_ ? 1 : 2, &ended_);
  }

  static void OnEnded(void *owner, bool) { Self(owner)->Unref(); }

  void Start(const grpc_op *ops, size_t count, rg_rpc_step *step) {
    pending_++;
    rg_rpc_check(grpc_call_start_batch(call_, ops, count, step, nullptr),
                 "start a server's batch");
  }

  void Unref() {
    if (--pending_ == 0) delete this;
  }

  StressServer *server_;
  grpc_completion_queue *queue_;
  grpc_call *call_ = nullptr;
  grpc_call_details details_;
  grpc_metadata_array metadata_;
  grpc_byte_buffer *received_ = nullptr;
  grpc_byte_buffer *sent_ = nullptr;
  grpc_metadata trailer_{};
  bool is_stream_ = false;
  bool has_sent_initial_ = false;
  int writes_ = 0;
  int cancelled_ = 0;
  int pending_ = 0;
  rg_rpc_step requested_ = {OnRequested, this};
  rg_rpc_step read_ = {OnRead, this};
  rg_rpc_step written_ = {OnWritten, this};
  rg_rpc_step ended_ = {OnEnded, this};
};

StressServer::Answer StressServer::Choose() {
  Mood mood = mood_.load(std::memory_order_relaxed);
  if (mood == Mood::kFlawless) return Answer::kOk;
  if (mood == Mood::kDown) return Answer::kUnavailable;
  uint64_t dice;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    dice = random_.Below(100);
  }
  if (mood == Mood::kGood) dice = 90 + dice / 10;
  if (dice < 10 || (mood == Mood::kGood && dice < 96)) return Answer::kOk;
  if (dice < 97) return Answer::kUnavailable;
  if (dice < 98) return Answer::kEarly;
  return dice < 99 ? Answer::kExhausted : Answer::kNever;
}

void StressServer::Request(grpc_completion_queue *queue) {
  new StressIncoming(this, queue);  // deletes itself
}

void StressServer::Count(int change) {
  std::lock_guard<std::mutex> lock(mutex_);
  calls_ += change;
  changed_.notify_all();
}

StressServer::StressServer() {
  grpc_init();
  grpc_arg age[2] = {};
  age[0].type = age[1].type = GRPC_ARG_INTEGER;
  age[0].key = const_cast<char *>(GRPC_ARG_MAX_CONNECTION_AGE_MS);
  age[0].value.integer = 300;
  age[1].key = const_cast<char *>(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS);
  age[1].value.integer = 100;
  grpc_channel_args args = {2, age};
  server_ = grpc_server_create(&args, nullptr);
  grpc_server_credentials *insecure = grpc_insecure_server_credentials_create();
  port_ = grpc_server_add_http2_port(server_, "127.0.0.1:0", insecure);
  grpc_server_credentials_release(insecure);
  for (int i = 0; i < kThreads; i++) {
    queues_.push_back(grpc_completion_queue_create_for_next(nullptr));
    grpc_server_register_completion_queue(server_, queues_.back(), nullptr);
  }
  grpc_server_start(server_);
  for (grpc_completion_queue *queue : queues_) {
    for (int i = 0; i < kCallsAhead; i++) Request(queue);
    threads_.emplace_back([queue] { rg_rpc_run_queue(queue); });
  }
}

StressServer::~StressServer() {
  std::promise<void> down;
  rg_rpc_step step = {[](void *owner, bool) {
                        static_cast<std::promise<void> *>(owner)->set_value();
                      },
                      &down};
  grpc_server_shutdown_and_notify(server_, queues_[0], &step);
  grpc_server_cancel_all_calls(server_);
  down.get_future().wait();
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return calls_ == 0; });
  }
  grpc_server_destroy(server_);
  for (grpc_completion_queue *queue : queues_)
    grpc_completion_queue_shutdown(queue);
  for (std::thread &thread : threads_) thread.join();
  for (grpc_completion_queue *queue : queues_)
    grpc_completion_queue_destroy(queue);
  grpc_shutdown();
}

}  // namespace rg_test
