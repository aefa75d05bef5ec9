// SPDX-License-Identifier: Apache-2.0
#include "e2e/stress_caller.h"

#include <grpc/support/time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "support/rpc.h"

namespace rg_test {

namespace {

// Whoever waits this much longer than to its deadline waits for ever.
constexpr uint64_t kHangNs = 30000000000;

// A cancellation on its way, with a reference to its call; frees itself.
struct Cancellation {
  rg_timer timer;
  grpc_call *call;

  static void Run(void *data) {
    auto *self = static_cast<Cancellation *>(data);
    grpc_call_cancel(self->call, nullptr);
    grpc_call_unref(self->call);
    delete self;
  }
};

class ClientCall {
 public:
  ClientCall(grpc_channel *channel, grpc_completion_queue *queue,
             const CallPlan &plan)
      : channel_(channel), queue_(queue), kind_(plan.kind) {
    grpc_metadata_array_init(&initial_);
    grpc_metadata_array_init(&trailing_);
    deadline_ns_ = rg_rpc_now_ns() + plan.timeout_ns;
    gpr_timespec deadline =
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                     gpr_time_from_nanos(static_cast<int64_t>(plan.timeout_ns),
                                         GPR_TIMESPAN));
    call_ = grpc_channel_create_call(
        channel, nullptr, GRPC_PROPAGATE_DEFAULTS, queue,
        grpc_slice_from_static_string(MethodOf(kind_)), nullptr, deadline,
        nullptr);
  }
  ~ClientCall() {
    grpc_call_unref(call_);
    if (sent_ != nullptr) grpc_byte_buffer_destroy(sent_);
    if (received_ != nullptr) grpc_byte_buffer_destroy(received_);
    grpc_metadata_array_destroy(&initial_);
    grpc_metadata_array_destroy(&trailing_);
    grpc_slice_unref(details_);
  }
  ClientCall(const ClientCall &) = delete;
  ClientCall &operator=(const ClientCall &) = delete;

  grpc_call *get() { return call_; }
  uint64_t deadline_ns() const { return deadline_ns_; }
  uint64_t ended_ns() const { return ended_ns_; }
  grpc_status_code status() const { return status_; }

  // Unary calls in one batch, as C++ makes them. Streams send their first
  // message at once, and more when the server has begun to answer: what is sent
  // while gRPC ends a retry that had not caught up yet, gRPC 1.51 forgets, and
  // that operation is open for ever.
  void Begin() {
    grpc_op all[] = {Initial(), Message(), Close(),
                     Headers(), Receive(), Status()};
    if (kind_ == Kind::kUnary) {
      Start(all, 6, kStatus);
      return;
    }
    bool is_closed = kind_ == Kind::kServerStream;
    writes_ = is_closed ? kStreamMessages + 1 : 1;
    Start(all, is_closed ? 3 : 2, kWrite);
    Start(all + 3, 1, kHeaders);
    Start(all + 4, 1, kRead);
    Start(all + 5, 1, kStatus);
  }

  // Until everything that was started is through.
  void Finish() {
    uint64_t end_ns = deadline_ns_ + kHangNs;
    while (pending_ > 0) {
      uint64_t now_ns = rg_rpc_now_ns();
      auto left = static_cast<int64_t>(end_ns - std::min(end_ns, now_ns));
      grpc_event event = grpc_completion_queue_next(
          queue_,
          gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                       gpr_time_from_nanos(left, GPR_TIMESPAN)),
          nullptr);
      if (event.type != GRPC_OP_COMPLETE) Hang();
      pending_--;
      On(reinterpret_cast<intptr_t>(event.tag), event.success != 0);
    }
  }

 private:
  enum Tag : intptr_t { kStatus, kHeaders, kRead, kWrite };

  static grpc_op Initial() { return OpOf(GRPC_OP_SEND_INITIAL_METADATA); }
  static grpc_op Close() { return OpOf(GRPC_OP_SEND_CLOSE_FROM_CLIENT); }
  grpc_op Message() {
    if (sent_ == nullptr) sent_ = rg_rpc_buffer_new("question", 8);
    grpc_op op = OpOf(GRPC_OP_SEND_MESSAGE);
    op.data.send_message.send_message = sent_;
    return op;
  }
  grpc_op Headers() {
    grpc_op op = OpOf(GRPC_OP_RECV_INITIAL_METADATA);
    op.data.recv_initial_metadata.recv_initial_metadata = &initial_;
    return op;
  }
  grpc_op Receive() {
    grpc_op op = OpOf(GRPC_OP_RECV_MESSAGE);
    op.data.recv_message.recv_message = &received_;
    return op;
  }
  grpc_op Status() {
    grpc_op op = OpOf(GRPC_OP_RECV_STATUS_ON_CLIENT);
    op.data.recv_status_on_client.trailing_metadata = &trailing_;
    op.data.recv_status_on_client.status = &status_;
    op.data.recv_status_on_client.status_details = &details_;
    return op;
  }

  // Leaves the process as it is, for a debugger to look at.
  [[noreturn]] void Hang() const {
    char *target = grpc_channel_get_target(channel_);
    std::printf("FAILED: %s to %s hangs: status %s, %d operations open\n",
                MethodOf(kind_), target, ended_ns_ == 0 ? "unknown" : "known",
                pending_);
    std::fflush(stdout);
    std::abort();
  }

  void On(intptr_t tag, bool ok) {
    if (tag == kStatus) ended_ns_ = rg_rpc_now_ns();
    if (tag == kHeaders) may_write_ = ok;
    if (tag == kWrite) is_writing_ = false;
    if (tag == kRead && ok && received_ != nullptr) {
      grpc_byte_buffer_destroy(received_);
      received_ = nullptr;
      grpc_op receive[] = {Receive()};
      if (kind_ != Kind::kClientStream) Start(receive, 1, kRead);
    }
    if (may_write_ && !is_writing_ && ended_ns_ == 0) Write();
  }

  // The next message, or after the last one the end.
  void Write() {
    if (writes_ > kStreamMessages) return;
    grpc_op op[] = {writes_ < kStreamMessages ? Message() : Close()};
    writes_++;
    Start(op, 1, kWrite);
  }

  void Start(const grpc_op *ops, size_t count, Tag tag) {
    pending_++;
    is_writing_ |= tag == kWrite;
    rg_rpc_check(
        grpc_call_start_batch(call_, ops, count,
                              reinterpret_cast<void *>(intptr_t{tag}), nullptr),
        "start a client's batch");
  }

  grpc_channel *channel_;
  grpc_completion_queue *queue_;
  Kind kind_;
  grpc_call *call_;
  uint64_t deadline_ns_;
  uint64_t ended_ns_ = 0;
  grpc_metadata_array initial_;
  grpc_metadata_array trailing_;
  grpc_byte_buffer *sent_ = nullptr;
  grpc_byte_buffer *received_ = nullptr;
  grpc_status_code status_ = GRPC_STATUS_UNKNOWN;
  grpc_slice details_ = grpc_empty_slice();
  int writes_ = 0;  // the end is one, too
  bool may_write_ = false;
  bool is_writing_ = false;
  int pending_ = 0;
};

void CancelLater(rg_timers *timers, grpc_call *call, uint64_t after_ns) {
  auto *cancellation = new Cancellation{};
  grpc_call_ref(call);
  cancellation->call = call;
  cancellation->timer.due_ns = rg_rpc_now_ns() + after_ns;
  cancellation->timer.run = Cancellation::Run;
  cancellation->timer.data = cancellation;
  rg_timers_add(timers, &cancellation->timer);
}

}  // namespace

void Outcomes::Add(const Outcomes &more) {
  calls += more.calls;
  for (size_t i = 0; i < by_status.size(); i++)
    by_status[i] += more.by_status[i];
  late_ns.insert(late_ns.end(), more.late_ns.begin(), more.late_ns.end());
}

StressCaller::StressCaller(uint64_t seed, rg_timers *timers)
    : random_(seed),
      timers_(timers),
      queue_(grpc_completion_queue_create_for_next(nullptr)) {}

StressCaller::~StressCaller() {
  grpc_completion_queue_shutdown(queue_);
  while (grpc_completion_queue_next(queue_, gpr_inf_future(GPR_CLOCK_MONOTONIC),
                                    nullptr)
             .type != GRPC_QUEUE_SHUTDOWN) {
  }
  grpc_completion_queue_destroy(queue_);
}

CallPlan StressCaller::Plan(uint64_t unit_ns) {
  CallPlan plan;
  plan.kind = static_cast<Kind>(random_.Below(kKinds));
  plan.timeout_ns = (1 + random_.Below(6)) * unit_ns;
  plan.cancel_first = random_.OneIn(32);
  plan.cancel_later = !plan.cancel_first && random_.Below(31) < 7;
  plan.cancel_after_ns = random_.Below(plan.timeout_ns);
  return plan;
}

grpc_status_code StressCaller::Call(grpc_channel *channel, const CallPlan &plan,
                                    Outcomes *outcomes) {
  ClientCall call(channel, queue_, plan);
  if (plan.cancel_first) grpc_call_cancel(call.get(), nullptr);
  if (plan.cancel_later) CancelLater(timers_, call.get(), plan.cancel_after_ns);
  call.Begin();
  call.Finish();
  outcomes->calls++;
  outcomes->by_status[call.status()]++;
  if (call.ended_ns() > call.deadline_ns())
    outcomes->late_ns.push_back(call.ended_ns() - call.deadline_ns());
  return call.status();
}

}  // namespace rg_test
