// SPDX-License-Identifier: Apache-2.0

// Ends one attempt at a time of the guard's choosing, while the call's own
// deadline runs on: a cancel_stream batch with DEADLINE_EXCEEDED, sent down
// from the attempt filter. (The call combiner's Cancel would end the whole
// call, since all attempts share it.)
#ifndef RETRY_GUARD_GRPC_ATTEMPT_TIMER_H
#define RETRY_GUARD_GRPC_ATTEMPT_TIMER_H

#include "grpc/compat.h"

namespace retry_guard {

// Lives in the call's arena and is never destroyed, so it holds nothing that
// needs it; keeps the attempt's call stack alive until it has fired or heard of
// its cancellation.
class AttemptTimer {
 public:
  // Starts a timer for the attempt that `elem` belongs to.
  static AttemptTimer *Start(grpc_call_element *elem, grpc_call_stack *stack,
                             grpc_core::CallCombiner *combiner,
                             grpc_core::Arena *arena,
                             grpc_core::Timestamp deadline);

  // The attempt ended, or has got as far as it had to. Once, in the call
  // combiner.
  void Cancel();

  AttemptTimer(grpc_call_element *elem, grpc_call_stack *stack,
               grpc_core::CallCombiner *combiner)
      : elem_(elem), stack_(stack), combiner_(combiner) {}

 private:
  static void OnTimer(void *arg, grpc_error_handle error);
  static void EndAttempt(void *arg, grpc_error_handle error);
  static void OnEnded(void *arg, grpc_error_handle error);

  grpc_call_element *elem_;
  grpc_call_stack *stack_;
  grpc_core::CallCombiner *combiner_;
  bool cancelled_ = false;
  grpc_timer timer_;
  grpc_closure closure_;
};

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_ATTEMPT_TIMER_H
