// SPDX-License-Identifier: Apache-2.0
#include "grpc/attempt_filter.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "grpc/attempt_timer.h"
#include "grpc/call_filter.h"
#include "grpc/mark_metadata.h"
#include "grpc/time.h"
#include "grpc/trace.h"
#include "host/clock.h"
#include "host/entropy.h"
#include "host/retry_info.h"

namespace retry_guard {

namespace {

// What gRPC's retry filter takes as "do not retry".
constexpr int64_t kStopMs = -1;

// An operation of a batch whose completion the filter sees first.
struct Interception {
  grpc_closure ours;
  grpc_closure *theirs;

  void Insert(grpc_iomgr_cb_func first, void *arg, grpc_closure **closure) {
    GRPC_CLOSURE_INIT(&ours, first, arg, nullptr);
    theirs = *closure;
    *closure = &ours;
  }
};

struct ChannelData {
  std::string address;
  rg_backend backend;
};

// Nothing but what is initialized here is, until its use begins: most of it is
// of use to few attempts, and to none that is not guarded.
struct AttemptData {
  GuardedCall *call = nullptr;  // null: not guarded
  rg_attempt attempt;
  grpc_call_element *elem;
  const rg_backend *backend;
  grpc_call_context_element *context;
  grpc_call_stack *stack;
  grpc_core::CallCombiner *combiner;
  grpc_core::Timestamp deadline;
  AttemptTimer *timer = nullptr;
  uint64_t call_deadline;       // the guard's, or RG_DEADLINE_NONE
  grpc_error_handle rejection;  // not OK: the attempt was refused here
  grpc_closure cancel;
  bool timed_out = false;  // by gRPC's perAttemptRecvTimeout
  bool failed_locally = false;
  bool initial_comes = false;  // on_initial is in place
  bool *trailers_only;
  absl::optional<grpc_core::SliceBuffer> *message;
  grpc_metadata_batch *trailing;
  Interception on_initial;
  Interception on_message;
  Interception on_trailing;
};

// The server's answer has begun, so gRPC commits the call to this attempt.
void Commit(AttemptData *attempt) {
  if (rg_call_is_current(&attempt->call->call, &attempt->attempt))
    rg_call_commit(&attempt->call->call);
}

void CancelTimer(AttemptData *attempt) {
  if (attempt->timer != nullptr)
    std::exchange(attempt->timer, nullptr)->Cancel();
}

void OnInitial(void *arg, grpc_error_handle error) {
  auto *attempt = static_cast<AttemptData *>(arg);
  bool trailers_only =
      attempt->trailers_only != nullptr && *attempt->trailers_only;
  if (error.ok() && !trailers_only) Commit(attempt);
  HandOn(attempt->on_initial.theirs, std::move(error));
}

void StartTimer(AttemptData *attempt, grpc_core::Timestamp deadline) {
  attempt->timer =
      AttemptTimer::Start(attempt->elem, attempt->stack, attempt->combiner,
                          attempt->call->arena, deadline);
}

// The attempt has brought something: its timeout has done its work, and only
// the call's deadline is left.
void EndTimeout(AttemptData *attempt) {
  if (attempt->timer == nullptr) return;
  CancelTimer(attempt);
  if (attempt->call_deadline != RG_DEADLINE_NONE)
    StartTimer(attempt, ToTimestamp(attempt->call_deadline));
}

void OnMessage(void *arg, grpc_error_handle error) {
  auto *attempt = static_cast<AttemptData *>(arg);
  if (error.ok() && attempt->message->has_value()) {
    EndTimeout(attempt);
    Commit(attempt);
  }
  HandOn(attempt->on_message.theirs, std::move(error));
}

rg_network NetworkOf(const grpc_metadata_batch &trailing) {
  auto state = trailing.get(grpc_core::GrpcStreamNetworkState());
  if (!state.has_value()) return RG_NETWORK_UNKNOWN;
  return *state == grpc_core::GrpcStreamNetworkState::kNotSentOnWire
             ? RG_NETWORK_NOT_SENT
             : RG_NETWORK_NOT_SEEN;
}

rg_pushback PushbackOf(grpc_metadata_batch *trailing) {
  auto asked = trailing->get(grpc_core::GrpcRetryPushbackMsMetadata());
  if (asked.has_value()) {
    // gRPC turns what it cannot parse into minus infinity.
    if (asked->millis() < 0) return {RG_PUSHBACK_STOP, 0};
    return {RG_PUSHBACK_DELAY, static_cast<uint64_t>(asked->millis())};
  }
  std::string backing;
  auto details =
      ValueOf(*UnknownEntriesOf(trailing), "grpc-status-details-bin", &backing);
  if (!details.has_value()) return {RG_PUSHBACK_ABSENT, 0};
  return rg_retry_info_read(details->data(), details->size());
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

// An error besides the metadata comes from a filter of this process, such as a
// message that is too large. Filters that gRPC has rewritten put it into the
// metadata that the server sent, and say so there.
bool IsOfThisProcess(const grpc_error_handle &error,
                     const grpc_metadata_batch &trailing) {
  return !error.ok() ||
         (trailing.get(grpc_core::GrpcStatusFromWire()).has_value() &&
          trailing.get_pointer(grpc_core::GrpcStatusContext()) != nullptr);
}

rg_outcome OutcomeOf(const AttemptData &attempt,
                     const grpc_error_handle &error) {
  const grpc_metadata_batch &trailing = *attempt.trailing;
  rg_outcome outcome = {};
  outcome.status = attempt.timed_out
                       ? GRPC_STATUS_DEADLINE_EXCEEDED
                       : StatusOf(error, trailing, attempt.deadline);
  outcome.local = attempt.failed_locally ||
                  (outcome.status == GRPC_STATUS_RESOURCE_EXHAUSTED &&
                   IsOfThisProcess(error, trailing));
  outcome.network = NetworkOf(trailing);
  if (outcome.status != GRPC_STATUS_OK)
    outcome.pushback = PushbackOf(attempt.trailing);
  return outcome;
}

void OnTrailing(void *arg, grpc_error_handle error) {
  auto *attempt = static_cast<AttemptData *>(arg);
  CancelTimer(attempt);
  rg_outcome outcome = OutcomeOf(*attempt, error);
  // What an earlier attempt got is over. One that gRPC has given up may end
  // after its successor.
  if (attempt->call->injected.has_value() && !attempt->timed_out &&
      rg_call_is_current(&attempt->call->call, &attempt->attempt))
    attempt->call->injected.reset();
  uint64_t now = rg_clock_now();
  rg_verdict verdict =
      rg_call_attempt_end(&attempt->call->call, &attempt->attempt, &outcome,
                          now, rg_entropy_next());
  if (IsTracing())
    Trace(attempt->call->call, attempt->attempt, outcome, verdict, now);
  CarryOut(verdict, attempt);
  HandOn(attempt->on_trailing.theirs, std::move(error));
}

// Understands a cancel_stream batch from above. The application's says nothing
// of the server; a passed deadline counts against it, and so does gRPC's
// perAttemptRecvTimeout, which cancels the attempt and retries. Where nobody
// asked for the end of the attempt, nothing else will stop the timer.
void NoteCancel(AttemptData *attempt, const grpc_error_handle &error) {
  CancelTimer(attempt);
  grpc_status_code status = GRPC_STATUS_UNKNOWN;
  grpc_error_get_status(error, attempt->deadline, &status, nullptr, nullptr,
                        nullptr);
  if (attempt->call->cancelled)
    // The application is told before the stream has ended below: a probe's
    // place has to be free by then.
    rg_call_attempt_drop(&attempt->call->call, &attempt->attempt,
                         rg_clock_now());
  else if (status == GRPC_STATUS_RESOURCE_EXHAUSTED)
    attempt->failed_locally = true;
  else if (status == GRPC_STATUS_CANCELLED)
    attempt->timed_out = true;
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
void Reject(AttemptData *attempt, grpc_error_handle reason) {
  attempt->rejection = std::move(reason);
  GRPC_CALL_STACK_REF(attempt->stack, "retry_guard_refused");
  GRPC_CLOSURE_INIT(&attempt->cancel, CancelStream, attempt, nullptr);
  GRPC_CALL_COMBINER_START(attempt->combiner, &attempt->cancel,
                           absl::OkStatus(), "retry_guard_refused");
}

bool Enforces(const rg_call &call) {
  return call.method->policy.mode == RG_MODE_ENFORCE;
}

Baggage BaggageOf(const rg_call &call) {
  return call.method->policy.layer.baggage ? Baggage::kUsed : Baggage::kIgnored;
}

// Marks that the application put there itself, forwarding them by hand; false
// when there are none. They say what is to be sent, so the hop that is counted
// on the way out comes off.
bool AdoptOwnMarks(GuardedCall *call, grpc_metadata_batch *metadata) {
  const rg_layer_policy &layer = call->call.method->policy.layer;
  const UnknownEntries &entries = *UnknownEntriesOf(metadata);
  rg_ancestry own;
  if (entries.empty() || layer.disabled ||
      !ReadMarks(entries, BaggageOf(call->call), layer.max_hops + 1, &own))
    return false;
  if (own.mark.hops > 0) own.mark.hops--;
  auto *merged =
      call->arena->New<rg_ancestry>(rg_layer_merge(*call->call.ancestry, own));
  rg_call_set_ancestry(&call->call, merged);
  return true;
}

rg_attempt_facts FactsOf(const AttemptData &attempt,
                         grpc_metadata_batch *metadata) {
  rg_attempt_facts facts = {};
  facts.previous_attempts =
      metadata->get(grpc_core::GrpcPreviousRpcAttemptsMetadata()).value_or(0);
  facts.backend = attempt.backend;
  const rg_idempotency_policy &policy =
      attempt.call->call.method->policy.idempotency;
  facts.has_own_key = policy.mode != RG_IDEMPOTENCY_ANY &&
                      HasEntry(*UnknownEntriesOf(metadata), policy.key_header);
  return facts;
}

void WriteKey(const rg_call &call, UnknownEntries *entries) {
  char key[RG_KEY_LENGTH + 1];
  rg_call_key(&call, key);
  AppendEntry(call.method->policy.idempotency.key_header, key, RG_KEY_LENGTH,
              entries);
}

// Everything that the admission says about the attempt's metadata.
void WriteEntries(const rg_admission &admission, const rg_call &call,
                  bool has_own_marks, UnknownEntries *entries) {
  if (has_own_marks) RemoveMarks(BaggageOf(call), entries);
  if (admission.mark_origin != RG_MARK_NOT_SENT)
    WriteMark(admission.mark, BaggageOf(call), entries);
  if (admission.send_key) WriteKey(call, entries);
}

// Bounds the attempt here, and lets the server know. Of a stream it hears no
// attempt's timeout: it would end a stream that is well under way.
void Bound(const rg_admission &admission, AttemptData *attempt,
           grpc_metadata_batch *metadata) {
  attempt->call_deadline = admission.call_deadline;
  if (admission.deadline == RG_DEADLINE_NONE) return;
  grpc_core::Timestamp deadline = ToTimestamp(admission.deadline);
  StartTimer(attempt, deadline);
  if (!attempt->call->is_unary) {
    if (admission.call_deadline == RG_DEADLINE_NONE) return;
    deadline = ToTimestamp(admission.call_deadline);
  }
  metadata->Set(grpc_core::GrpcTimeoutMetadata(), ForTimeoutEntry(deadline));
}

void Begin(AttemptData *attempt, grpc_metadata_batch *metadata) {
  const rg_method_policy *method =
      PolicyOfCall(attempt->call, attempt->context);
  if (method == nullptr) {
    attempt->call = nullptr;
    return;
  }
  uint64_t now = rg_clock_now();
  Bind(attempt->call, method, attempt->context, metadata, now);
  rg_call *call = &attempt->call->call;
  bool has_own_marks = AdoptOwnMarks(attempt->call, metadata);
  rg_attempt_facts facts = FactsOf(*attempt, metadata);
  uint64_t random[2] = {0, 0};
  if (call->method->policy.idempotency.mode == RG_IDEMPOTENCY_GENERATE)
    for (uint64_t &bits : random) bits = rg_entropy_next();
  rg_admission admission;
  rg_call_attempt_begin(call, &attempt->attempt, &facts, now, random,
                        &admission);
  if (IsTracing()) Trace(*call, attempt->attempt, facts, admission, now);
  if (admission.refusal != RG_REFUSED_NOT) {
    Reject(attempt, RefusalError(*call, admission, attempt->attempt.breaker,
                                 attempt->backend));
    return;
  }
  if (Enforces(*call))
    WriteEntries(admission, *call, has_own_marks, UnknownEntriesOf(metadata));
  Bound(admission, attempt, metadata);
}

// Fails a batch of an attempt that was refused here, and keeps gRPC from taking
// it for a failure of the server. The attempt before this one left the name of
// its peer, which is in the memory of a connection that may be gone; this one
// has no peer to put there.
void Refuse(AttemptData *attempt, grpc_transport_stream_op_batch *batch) {
  if (batch->send_initial_metadata) ForgetPeer(batch);
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
    attempt->initial_comes = true;
    attempt->on_initial.Insert(
        OnInitial, attempt,
        &payload->recv_initial_metadata.recv_initial_metadata_ready);
  }
  // A message commits the call too, but comes after the initial metadata. The
  // first one ends the attempt's timeout.
  if (batch->recv_message &&
      ((!committed && !attempt->initial_comes) || attempt->timer != nullptr)) {
    attempt->message = payload->recv_message.recv_message;
    attempt->on_message.Insert(OnMessage, attempt,
                               &payload->recv_message.recv_message_ready);
  }
  if (batch->recv_trailing_metadata) {
    attempt->trailing = payload->recv_trailing_metadata.recv_trailing_metadata;
    attempt->on_trailing.Insert(
        OnTrailing, attempt,
        &payload->recv_trailing_metadata.recv_trailing_metadata_ready);
  }
}

void StartBatch(grpc_call_element *elem,
                grpc_transport_stream_op_batch *batch) {
  auto *attempt = static_cast<AttemptData *>(elem->call_data);
  if (batch->send_initial_metadata && attempt->call != nullptr)
    Begin(attempt, batch->payload->send_initial_metadata.send_initial_metadata);
  if (attempt->call == nullptr) {
    grpc_call_next_op(elem, batch);
    return;
  }
  if (batch->cancel_stream)
    NoteCancel(attempt, batch->payload->cancel_stream.cancel_error);
  if (!attempt->rejection.ok() && !batch->cancel_stream) {
    Refuse(attempt, batch);
    return;
  }
  Intercept(attempt, batch);
  grpc_call_next_op(elem, batch);
}

grpc_error_handle InitCall(grpc_call_element *elem,
                           const grpc_call_element_args *args) {
  auto *attempt = new (elem->call_data) AttemptData;
  attempt->call = CallOfAttempt(args->context);
  if (attempt->call == nullptr) return absl::OkStatus();
  attempt->attempt = {};
  attempt->backend = &static_cast<ChannelData *>(elem->channel_data)->backend;
  attempt->elem = elem;
  attempt->stack = args->call_stack;
  attempt->context = args->context;
  attempt->combiner = args->call_combiner;
  attempt->deadline = args->deadline;
  return absl::OkStatus();
}

void DestroyCall(grpc_call_element *elem, const grpc_call_final_info *,
                 grpc_closure *) {
  auto *attempt = static_cast<AttemptData *>(elem->call_data);
  if (attempt->call != nullptr && rg_attempt_is_open(&attempt->attempt))
    rg_call_attempt_drop(&attempt->call->call, &attempt->attempt,
                         rg_clock_now());
  attempt->~AttemptData();
}

grpc_error_handle InitChannel(grpc_channel_element *elem,
                              grpc_channel_element_args *args) {
  auto *channel = new (elem->channel_data) ChannelData();
  channel->address = std::string(PeerOf(*args));
  const std::string &address = channel->address;
  uint64_t hash = address.empty()
                      ? 0  // not known
                      : rg_breakers_hash(address.data(), address.size());
  channel->backend = {hash, address.data(), address.size()};
  return absl::OkStatus();
}

void DestroyChannel(grpc_channel_element *elem) {
  static_cast<ChannelData *>(elem->channel_data)->~ChannelData();
}

}  // namespace

const grpc_channel_filter kAttemptFilter = MakeFilter(
    {StartBatch, sizeof(AttemptData), InitCall, DestroyCall,
     sizeof(ChannelData), InitChannel, DestroyChannel, "retry_guard_attempt"});

}  // namespace retry_guard
