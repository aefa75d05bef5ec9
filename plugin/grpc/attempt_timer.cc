// SPDX-License-Identifier: Apache-2.0
#include "grpc/attempt_timer.h"

namespace retry_guard {

AttemptTimer *AttemptTimer::Start(grpc_call_element *elem,
                                  grpc_call_stack *stack,
                                  grpc_core::CallCombiner *combiner,
                                  grpc_core::Arena *arena,
                                  grpc_core::Timestamp deadline) {
  auto *self = arena->New<AttemptTimer>(elem, stack, combiner);
  GRPC_CALL_STACK_REF(stack, "retry_guard_attempt_timer");
  GRPC_CLOSURE_INIT(&self->closure_, OnTimer, self, nullptr);
  grpc_timer_init(&self->timer_, deadline, &self->closure_);
  return self;
}

void AttemptTimer::Cancel() {
  cancelled_ = true;
  grpc_timer_cancel(&timer_);
}

void AttemptTimer::OnTimer(void *arg, grpc_error_handle error) {
  auto *self = static_cast<AttemptTimer *>(arg);
  if (!error.ok()) {
    GRPC_CALL_STACK_UNREF(self->stack_, "retry_guard_attempt_timer");
    return;
  }
  GRPC_CLOSURE_INIT(&self->closure_, EndAttempt, self, nullptr);
  GRPC_CALL_COMBINER_START(self->combiner_, &self->closure_, absl::OkStatus(),
                           "retry_guard: attempt timer fired");
}

void AttemptTimer::EndAttempt(void *arg, grpc_error_handle) {
  auto *self = static_cast<AttemptTimer *>(arg);
  GRPC_CLOSURE_INIT(&self->closure_, OnEnded, self, nullptr);
  // It fired, but the attempt ended while this waited for the combiner.
  if (self->cancelled_) {
    OnEnded(self, absl::OkStatus());
    return;
  }
  grpc_transport_stream_op_batch *batch =
      grpc_make_transport_stream_op(&self->closure_);
  batch->cancel_stream = true;
  batch->payload->cancel_stream.cancel_error = grpc_error_set_int(
      GRPC_ERROR_CREATE("retry_guard: attemptTimeout exceeded"),
      grpc_core::StatusIntProperty::kRpcStatus, GRPC_STATUS_DEADLINE_EXCEEDED);
  grpc_call_next_op(self->elem_, batch);
}

void AttemptTimer::OnEnded(void *arg, grpc_error_handle) {
  auto *self = static_cast<AttemptTimer *>(arg);
  GRPC_CALL_COMBINER_STOP(self->combiner_,
                          "retry_guard: attempt timer is done");
  GRPC_CALL_STACK_UNREF(self->stack_, "retry_guard_attempt_timer");
}

}  // namespace retry_guard
