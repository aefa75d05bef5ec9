// SPDX-License-Identifier: Apache-2.0
#include "grpc/attempt_filter.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "grpc/call_filter.h"
#include "grpc/mark_metadata.h"
#include "grpc/service_config.h"
#include "host/clock.h"
#include "host/entropy.h"
#include "retry_guard/retry_guard.h"

namespace retry_guard {

namespace {

// What gRPC's retry filter takes as "do not retry".
constexpr int64_t kStopMs = -1;

// An operation of a batch whose completion the filter sees first.
struct Interception {
  grpc_closure ours;
  grpc_closure *theirs;

  void Insert(grpc_closure **closure) {
    theirs = *closure;
    *closure = &ours;
  }
};

struct AttemptData {
  GuardedCall *call;  // null: not guarded
  grpc_call_element *elem;
  grpc_call_stack *stack;
  grpc_call_context_element *context;
  grpc_core::CallCombiner *combiner;
  grpc_core::Timestamp deadline;
  uint32_t number;              // attempts of the call begun when this one was
  grpc_error_handle rejection;  // not OK: the attempt was refused here
  grpc_closure cancel;
  bool *trailers_only;
  absl::optional<grpc_core::SliceBuffer> *message;
  grpc_metadata_batch *trailing;
  Interception on_initial;
  Interception on_message;
  Interception on_trailing;
};

// Whether this is still the attempt that the call is about: gRPC may have
// abandoned it for another one.
bool IsCurrent(const AttemptData &attempt) {
  return attempt.number == attempt.call->call.attempts_begun;
}

// The server's answer has begun, so gRPC commits the call to this attempt.
void Commit(AttemptData *attempt) {
  if (IsCurrent(*attempt)) rg_call_commit(&attempt->call->call);
}

void OnInitial(void *arg, grpc_error_handle error) {
  auto *attempt = static_cast<AttemptData *>(arg);
  bool trailers_only =
      attempt->trailers_only != nullptr && *attempt->trailers_only;
  if (error.ok() && !trailers_only) Commit(attempt);
  grpc_core::Closure::Run(DEBUG_LOCATION, attempt->on_initial.theirs, error);
}

void OnMessage(void *arg, grpc_error_handle error) {
  auto *attempt = static_cast<AttemptData *>(arg);
  if (error.ok() && attempt->message->has_value()) Commit(attempt);
  grpc_core::Closure::Run(DEBUG_LOCATION, attempt->on_message.theirs, error);
}

rg_network NetworkOf(const grpc_metadata_batch &trailing) {
  auto state = trailing.get(grpc_core::GrpcStreamNetworkState());
  if (!state.has_value()) return RG_NETWORK_UNKNOWN;
  return *state == grpc_core::GrpcStreamNetworkState::kNotSentOnWire
             ? RG_NETWORK_NOT_SENT
             : RG_NETWORK_NOT_SEEN;
}

rg_pushback PushbackOf(const grpc_metadata_batch &trailing) {
  auto asked = trailing.get(grpc_core::GrpcRetryPushbackMsMetadata());
  if (!asked.has_value()) return {RG_PUSHBACK_ABSENT, 0};
  // gRPC turns what it cannot parse into minus infinity.
  if (asked->millis() < 0) return {RG_PUSHBACK_STOP, 0};
  return {RG_PUSHBACK_DELAY, static_cast<uint64_t>(asked->millis())};
}

// gRPC's timers count from the beginning of the millisecond that it is: without
// one more, a retry could start up to a millisecond too early.
grpc_core::Duration DelayOf(const rg_delay &delay) {
  constexpr uint64_t kLongest = std::numeric_limits<int64_t>::max();
  uint64_t ms = delay.ms > 0 && delay.ms < kLongest ? delay.ms + 1 : delay.ms;
  return grpc_core::Duration::Milliseconds(
      static_cast<int64_t>(std::min(ms, kLongest)));
}

// Carries a verdict out. The server's own "stop" stays as it came.
void CarryOut(const rg_verdict &verdict, AttemptData *attempt) {
  if (verdict.action == RG_ACTION_STOP && verdict.reason != RG_STOP_PUSHBACK)
    InjectPushback(attempt->call, attempt->trailing,
                   grpc_core::Duration::Milliseconds(kStopMs));
  if (verdict.action == RG_ACTION_RETRY && !verdict.delay.native) {
    InjectPushback(attempt->call, attempt->trailing, DelayOf(verdict.delay));
    ReadClockAgain();
  }
}

void OnTrailing(void *arg, grpc_error_handle error) {
  auto *attempt = static_cast<AttemptData *>(arg);
  if (IsCurrent(*attempt)) {
    attempt->call->injected.reset();  // an earlier attempt's, if any
    const grpc_metadata_batch &trailing = *attempt->trailing;
    rg_outcome outcome = {};
    outcome.status = StatusOf(error, trailing, attempt->deadline);
    outcome.network = NetworkOf(trailing);
    outcome.pushback = PushbackOf(trailing);
    CarryOut(rg_call_attempt_end(&attempt->call->call, &outcome, rg_clock_now(),
                                 rg_entropy_next()),
             attempt);
  }
  grpc_core::Closure::Run(DEBUG_LOCATION, attempt->on_trailing.theirs, error);
}

grpc_error_handle Rejection(const AttemptData &attempt, rg_stop reason) {
  auto stop = static_cast<retry_guard_stop>(reason);
  return grpc_error_set_int(
      GRPC_ERROR_CREATE(absl::StrCat("retry_guard: no retry to ",
                                     attempt.call->call.target->name, ": ",
                                     retry_guard_stop_string(stop))),
      grpc_core::StatusIntProperty::kRpcStatus, GRPC_STATUS_UNAVAILABLE);
}

void OnStreamCancelled(void *arg, grpc_error_handle) {
  auto *attempt = static_cast<AttemptData *>(arg);
  GRPC_CALL_COMBINER_STOP(attempt->combiner, "retry_guard_refused");
  GRPC_CALL_STACK_UNREF(attempt->stack, "retry_guard_refused");
}

void CancelStream(void *arg, grpc_error_handle) {
  auto *attempt = static_cast<AttemptData *>(arg);
  GRPC_CLOSURE_INIT(&attempt->cancel, OnStreamCancelled, attempt, nullptr);
  grpc_transport_stream_op_batch *batch =
      grpc_make_transport_stream_op(&attempt->cancel);
  batch->cancel_stream = true;
  batch->payload->cancel_stream.cancel_error = attempt->rejection;
  grpc_call_next_op(attempt->elem, batch);
}

// Refuses the attempt. Its stream, which exists below, is ended at once: nobody
// above knows that it is there, and it would hold on to the call for ever.
void Reject(AttemptData *attempt, rg_stop reason) {
  attempt->rejection = Rejection(*attempt, reason);
  GRPC_CALL_STACK_REF(attempt->stack, "retry_guard_refused");
  GRPC_CLOSURE_INIT(&attempt->cancel, CancelStream, attempt, nullptr);
  GRPC_CALL_COMBINER_START(attempt->combiner, &attempt->cancel,
                           absl::OkStatus(), "retry_guard_refused");
}

// Once per call, with its first attempt: before that gRPC has no service config
// for it.
void Bind(AttemptData *attempt, uint64_t now) {
  if (attempt->call == nullptr || attempt->call->call.method != nullptr) return;
  const rg_method_policy *policy = PolicyOf(attempt->context);
  if (policy != nullptr)
    rg_call_bind(&attempt->call->call, policy, now);
  else
    attempt->call = nullptr;
}

// A mark that the application put there itself, forwarding it by hand. It says
// what is to be sent, so the hop that is counted on the way out comes off.
void AdoptOwnMark(rg_call *call, const grpc_metadata_batch &metadata) {
  if (!HasMark(metadata)) return;
  uint32_t max_hops = call->method->policy.layer.max_hops;
  rg_ancestry own = ReadMarks(metadata, max_hops + 1);
  if (own.mark.hops > 0) own.mark.hops--;
  rg_call_add_ancestry(call, &own);
}

void Begin(AttemptData *attempt, grpc_metadata_batch *metadata) {
  uint64_t now = rg_clock_now();
  Bind(attempt, now);
  if (attempt->call == nullptr) return;
  rg_call *call = &attempt->call->call;
  if (!call->method->policy.layer.disabled) AdoptOwnMark(call, *metadata);
  uint32_t previous =
      metadata->get(grpc_core::GrpcPreviousRpcAttemptsMetadata()).value_or(0);
  rg_admission admission = rg_call_attempt_begin(call, previous, now);
  attempt->number = call->attempts_begun;
  if (!admission.proceed) {
    Reject(attempt, admission.reason);
    return;
  }
  if (!call->method->policy.layer.disabled) RemoveMarks(metadata);
  if (admission.mark_origin != RG_MARK_NOT_SENT)
    WriteMark(admission.mark, metadata);
}

// Fails a batch of an attempt that was refused here, and keeps gRPC from taking
// it for a failure of the server.
void Refuse(AttemptData *attempt, grpc_transport_stream_op_batch *batch) {
  if (batch->recv_trailing_metadata)
    InjectPushback(
        attempt->call,
        batch->payload->recv_trailing_metadata.recv_trailing_metadata,
        grpc_core::Duration::Milliseconds(kStopMs));
  grpc_transport_stream_op_batch_finish_with_failure(batch, attempt->rejection,
                                                     attempt->combiner);
}

void Intercept(AttemptData *attempt, grpc_transport_stream_op_batch *batch) {
  grpc_transport_stream_op_batch_payload *payload = batch->payload;
  bool committed = attempt->call->call.committed;
  if (batch->recv_initial_metadata && !committed) {
    attempt->trailers_only =
        payload->recv_initial_metadata.trailing_metadata_available;
    attempt->on_initial.Insert(
        &payload->recv_initial_metadata.recv_initial_metadata_ready);
  }
  if (batch->recv_message && !committed) {
    attempt->message = payload->recv_message.recv_message;
    attempt->on_message.Insert(&payload->recv_message.recv_message_ready);
  }
  if (batch->recv_trailing_metadata) {
    attempt->trailing = payload->recv_trailing_metadata.recv_trailing_metadata;
    attempt->on_trailing.Insert(
        &payload->recv_trailing_metadata.recv_trailing_metadata_ready);
  }
}

void StartBatch(grpc_call_element *elem,
                grpc_transport_stream_op_batch *batch) {
  auto *attempt = static_cast<AttemptData *>(elem->call_data);
  if (batch->send_initial_metadata && attempt->call != nullptr)
    Begin(attempt, batch->payload->send_initial_metadata.send_initial_metadata);
  if (!attempt->rejection.ok() && !batch->cancel_stream) {
    Refuse(attempt, batch);
    return;
  }
  if (attempt->call != nullptr) Intercept(attempt, batch);
  grpc_call_next_op(elem, batch);
}

grpc_error_handle InitCall(grpc_call_element *elem,
                           const grpc_call_element_args *args) {
  auto *attempt = new (elem->call_data) AttemptData();
  attempt->call = CallOfAttempt(args->context);
  attempt->elem = elem;
  attempt->stack = args->call_stack;
  attempt->context = args->context;
  attempt->combiner = args->call_combiner;
  attempt->deadline = args->deadline;
  GRPC_CLOSURE_INIT(&attempt->on_initial.ours, OnInitial, attempt, nullptr);
  GRPC_CLOSURE_INIT(&attempt->on_message.ours, OnMessage, attempt, nullptr);
  GRPC_CLOSURE_INIT(&attempt->on_trailing.ours, OnTrailing, attempt, nullptr);
  return absl::OkStatus();
}

void DestroyCall(grpc_call_element *elem, const grpc_call_final_info *,
                 grpc_closure *) {
  static_cast<AttemptData *>(elem->call_data)->~AttemptData();
}

grpc_error_handle InitChannel(grpc_channel_element *,
                              grpc_channel_element_args *) {
  return absl::OkStatus();
}

void DestroyChannel(grpc_channel_element *) {}

}  // namespace

const grpc_channel_filter kAttemptFilter = {
    StartBatch,
    nullptr,
    grpc_channel_next_op,
    sizeof(AttemptData),
    InitCall,
    grpc_call_stack_ignore_set_pollset_or_pollset_set,
    DestroyCall,
    0,
    InitChannel,
    grpc_channel_stack_no_post_init,
    DestroyChannel,
    grpc_channel_next_get_info,
    "retry_guard_attempt",
};

}  // namespace retry_guard
