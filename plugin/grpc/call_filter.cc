// SPDX-License-Identifier: Apache-2.0
#include "grpc/call_filter.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/num.h"
#include "grpc/service_config.h"
#include "grpc/time.h"
#include "grpc/trace.h"
#include "host/call_breaker.h"
#include "host/clock.h"
#include "host/entropy.h"
#include "host/hop.h"
#include "host/hop_set.h"
#include "host/process.h"

namespace retry_guard {

namespace {

// gRPC's default for GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE (retry_filter.cc).
constexpr int kDefaultRetryBufferBytes = 256 << 10;

// More metadata than any server takes.
constexpr size_t kMetadataBytesMax = 64 << 10;

struct ChannelData {
  explicit ChannelData(grpc_channel_element *elem) : policy(elem) {}

  rg_target *target;
  bool retries_enabled;
  size_t retry_buffer_bytes;
  grpc_compression_algorithm compression;
  ChannelPolicy policy;
};

struct CallData {
  GuardedCall guarded;
  grpc_call_context_element *context;
  grpc_core::CallCombiner *combiner;
  retry_guard_hop *held_hop = nullptr;  // the thread's, with a reference
  grpc_error_handle rejection;          // not OK: the call was refused here
  size_t buffered_bytes = 0;
  bool compresses = false;
  grpc_metadata_batch *trailing;
  grpc_closure *on_trailing;
  grpc_closure trailing_ready;
};

// Marks our use of the call slot; the object goes with the call's arena.
void SlotIsOurs(void *) {}

// The hop context of the parent call, which the child keeps alive.
retry_guard_hop *HopOfParent(grpc_call_context_element *context) {
  void *parent = HopSlot(context)->value;
  return rg_hop_set_contains(parent) ? static_cast<retry_guard_hop *>(parent)
                                     : nullptr;
}

void RemoveInjected(GuardedCall *call, grpc_metadata_batch *trailing) {
  if (!call->injected.has_value() ||
      trailing->get(grpc_core::GrpcRetryPushbackMsMetadata()) != call->injected)
    return;
  if (call->replaced.has_value())
    trailing->Set(grpc_core::GrpcRetryPushbackMsMetadata(), *call->replaced);
  else
    trailing->Remove(grpc_core::GrpcRetryPushbackMsMetadata());
}

// Ends a call that no attempt has ended by going well. One that never got an
// attempt learns its policy here.
RG_SELDOM void End(CallData *data, const grpc_error_handle &error) {
  GuardedCall *guarded = &data->guarded;
  const rg_method_policy *method = PolicyOfCall(guarded, data->context);
  if (method == nullptr) return;
  uint64_t now = rg_clock_now();
  Bind(guarded, method, data->context, nullptr, now);
  RemoveInjected(guarded, data->trailing);
  rg_call_end(&guarded->call,
              StatusOf(error, *data->trailing, guarded->deadline), now,
              rg_entropy_next());
}

void OnTrailing(void *arg, grpc_error_handle error) {
  auto *data = static_cast<CallData *>(arg);
  if (!data->guarded.call.ended) End(data, error);
  HandOn(data->on_trailing, std::move(error));
}

// Adding metadata up is dear. It is worth it for a message that is near the
// limit anyway, and where the messages are still to come.
bool MetadataMatters(const ChannelData &channel,
                     const grpc_transport_stream_op_batch &batch) {
  return !batch.send_message ||
         batch.payload->send_message.send_message->Length() +
                 kMetadataBytesMax >
             channel.retry_buffer_bytes;
}

// Keeps the account that gRPC's retry filter keeps of what it would have to
// send again; over the limit it gives the retry up.
void CountBuffered(const ChannelData &channel, CallData *data,
                   grpc_transport_stream_op_batch *batch) {
  if (batch->send_initial_metadata && MetadataMatters(channel, *batch))
    data->buffered_bytes += batch->payload->send_initial_metadata
                                .send_initial_metadata->TransportSize();
  if (batch->send_message)
    data->buffered_bytes += batch->payload->send_message.send_message->Length();
  if (data->buffered_bytes > channel.retry_buffer_bytes)
    rg_call_commit(&data->guarded.call);
}

// Looks for what gRPC's compression filter will do further down: the call's own
// algorithm or else the channel's, unless a message asks to be left alone.
void NoteCompression(const ChannelData &channel, CallData *data,
                     grpc_transport_stream_op_batch *batch) {
  if (batch->send_initial_metadata)
    data->compresses =
        batch->payload->send_initial_metadata.send_initial_metadata
            ->get(grpc_core::GrpcInternalEncodingRequest())
            .value_or(channel.compression) != GRPC_COMPRESS_NONE;
  if (batch->send_message && data->compresses &&
      (batch->payload->send_message.flags & GRPC_WRITE_NO_COMPRESS) == 0)
    rg_call_compress(&data->guarded.call);
}

// Once; for as long as the call lives, which its metadata does not.
void NameCall(GuardedCall *call, const grpc_metadata_batch &initial) {
  const grpc_core::Slice *path =
      initial.get_pointer(grpc_core::HttpPathMetadata());
  if (path == nullptr || call->call.key.path != nullptr) return;
  auto *copy = static_cast<char *>(call->arena->Alloc(path->size()));
  std::memcpy(copy, path->data(), path->size());
  rg_call_name(&call->call, copy, path->size());
}

bool IsNamedScope(uint32_t scope) {
  return scope == RG_BREAKER_PER_SERVICE || scope == RG_BREAKER_PER_METHOD;
}

// Where there is not one breaker for the target, which is closed. A scout is
// left to its attempt, which knows the policy and asks again.
RG_SELDOM void AskBreaker(ChannelData *channel, CallData *data,
                          const grpc_metadata_batch &initial) {
  GuardedCall *guarded = &data->guarded;
  uint64_t now = rg_clock_now();
  if (IsNamedScope(channel->target->breakers.scope.load()))
    NameCall(guarded, initial);
  if (rg_call_admit_closed_in_scope(&guarded->call, now)) return;
  guarded->scout =
      rg_call_is_barred(&guarded->call, now) && channel->policy.NeedsScout(now);
  if (guarded->scout) return;
  rg_admission admission;
  rg_call_admit(&guarded->call, now, &admission);
  if (IsTracing()) Trace(guarded->call, admission);
  if (admission.refusal != RG_REFUSED_NOT)
    data->rejection =
        RefusalError(guarded->call, admission, guarded->call.breaker, nullptr);
}

// Refuses the call before gRPC does anything for it, where a breaker is open.
void Admit(ChannelData *channel, CallData *data,
           const grpc_metadata_batch &initial) {
  if (channel->policy.breaker_in_force() &&
      !rg_call_admit_closed(&data->guarded.call))
    AskBreaker(channel, data, initial);
}

void StartBatch(grpc_call_element *elem,
                grpc_transport_stream_op_batch *batch) {
  auto *data = static_cast<CallData *>(elem->call_data);
  auto *channel = static_cast<ChannelData *>(elem->channel_data);
  if (batch->cancel_stream) {
    rg_call_commit(&data->guarded.call);
    data->guarded.cancelled = true;
  }
  if (batch->send_initial_metadata)
    data->guarded.is_unary = batch->send_trailing_metadata &&
                             batch->recv_message &&
                             batch->recv_trailing_metadata;
  if (batch->send_initial_metadata)
    Admit(channel, data,
          *batch->payload->send_initial_metadata.send_initial_metadata);
  // gRPC cancels what has failed. That goes on down: it ends the timer of the
  // call's deadline, which otherwise would keep the call until then.
  if (!data->rejection.ok() && !batch->cancel_stream) {
    grpc_transport_stream_op_batch_finish_with_failure(batch, data->rejection,
                                                       data->combiner);
    return;
  }
  CountBuffered(*channel, data, batch);
  NoteCompression(*channel, data, batch);
  if (batch->recv_trailing_metadata) {
    auto &receive = batch->payload->recv_trailing_metadata;
    data->trailing = receive.recv_trailing_metadata;
    data->on_trailing = receive.recv_trailing_metadata_ready;
    receive.recv_trailing_metadata_ready = &data->trailing_ready;
  }
  grpc_call_next_op(elem, batch);
}

grpc_error_handle InitCall(grpc_call_element *elem,
                           const grpc_call_element_args *args) {
  auto *channel = static_cast<ChannelData *>(elem->channel_data);
  auto *data = new (elem->call_data) CallData;
  data->context = args->context;
  data->combiner = args->call_combiner;
  data->guarded.arena = args->arena;
  data->guarded.deadline = args->deadline;
  data->guarded.channel = &channel->policy;
  data->guarded.seen_number = channel->policy.number();
  retry_guard_hop *hop = HopOfParent(args->context);
  if (hop == nullptr && rg_hop_of_thread() != nullptr)
    hop = data->held_hop = retry_guard_hop_ref(rg_hop_of_thread());
  rg_call_begin(&data->guarded.call, channel->target, hop,
                channel->retries_enabled);
  GRPC_CLOSURE_INIT(&data->trailing_ready, OnTrailing, data, nullptr);
  grpc_call_context_element *slot = CallSlot(args->context);
  if (channel->target == nullptr || slot->value != nullptr)
    rg_process_counters.fail_open++;
  else
    *slot = {&data->guarded, SlotIsOurs};
  return absl::OkStatus();
}

void DestroyCall(grpc_call_element *elem, const grpc_call_final_info *info,
                 grpc_closure *) {
  auto *data = static_cast<CallData *>(elem->call_data);
  if (rg_call_is_open(&data->guarded.call))
    rg_call_end(&data->guarded.call, static_cast<uint32_t>(info->final_status),
                rg_clock_now(), rg_entropy_next());
  retry_guard_hop_unref(data->held_hop);
  data->~CallData();
}

grpc_error_handle InitChannel(grpc_channel_element *elem,
                              grpc_channel_element_args *args) {
  grpc_core::ChannelArgs channel_args = ArgsOf(*args);
  auto *channel = new (elem->channel_data) ChannelData(elem);
  channel->target = rg_target_acquire(
      channel_args.GetOwnedString(GRPC_ARG_SERVER_URI).value_or("").c_str());
  channel->retries_enabled =
      channel_args.GetBool(GRPC_ARG_ENABLE_RETRIES).value_or(true);
  channel->retry_buffer_bytes = static_cast<size_t>(
      std::max(channel_args.GetInt(GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE)
                   .value_or(kDefaultRetryBufferBytes),
               0));
  channel->compression = CompressionOf(*args);
  return absl::OkStatus();
}

void DestroyChannel(grpc_channel_element *elem) {
  auto *channel = static_cast<ChannelData *>(elem->channel_data);
  rg_target_release(channel->target);
  channel->~ChannelData();
}

}  // namespace

GuardedCall *CallOfAttempt(grpc_call_context_element *context) {
  grpc_call_context_element *slot = CallSlot(context);
  if (slot->destroy != SlotIsOurs) return nullptr;
  return static_cast<GuardedCall *>(slot->value);
}

namespace {

// Notes a service config that the channel's calls have not been bound to last,
// and puts it in force if it is so for the second time.
RG_SELDOM void Renew(GuardedCall *call,
                     const grpc_call_context_element *context,
                     const rg_method_policy &method, uint64_t now) {
  uint64_t number = PolicyNumber(method, call->seen_number);
  if (number != method.number)
    rg_target_adopt(call->call.target, number, &method.policy, now);
  call->channel->Note(number, context, call->scout);
}

}  // namespace

const rg_method_policy *FindPolicy(GuardedCall *call,
                                   const grpc_call_context_element *context) {
  if (call->unguarded || !HasServiceConfig(context)) return nullptr;
  const rg_method_policy *method =
      call->call.target != nullptr ? PolicyOf(context) : nullptr;
  if (method == nullptr) {
    call->unguarded = true;
    call->channel->SetBreakerInForce(false);
  }
  return method;
}

void BindNow(GuardedCall *call, const rg_method_policy *method,
             const grpc_call_context_element *context,
             const grpc_metadata_batch *initial, uint64_t now) {
  const rg_policy &policy = method->policy;
  if (initial != nullptr && IsNamedScope(policy.breaker.scope))
    NameCall(call, *initial);
  if (method->number != call->seen_number || call->scout)
    Renew(call, context, *method, now);
  rg_call_bind(&call->call, method, FromTimestamp(call->deadline), now);
  call->channel->SetBreakerInForce(policy.mode == RG_MODE_ENFORCE &&
                                   !policy.breaker.disabled);
}

namespace {

// Which breaker of the target it is: ", /shop.Ledger/Add,", or nothing.
std::string ScopeOf(const rg_call &call, const rg_breaker *breaker,
                    const rg_backend *backend) {
  char name[RG_BREAKER_NAME_SIZE];
  rg_breaker_key key = call.key;
  key.backend = backend;
  rg_breakers_name(&call.target->breakers, breaker, &key, name);
  return name[0] != '\0' ? absl::StrCat(", ", name, ",") : std::string();
}

}  // namespace

// Plain statuses: gRPC's own errors note the line and the time of their making,
// at a third of what such a call costs.
grpc_error_handle RefusalError(const rg_call &call,
                               const rg_admission &admission,
                               const rg_breaker *breaker,
                               const rg_backend *backend) {
  const char *target = call.target->name;
  switch (admission.refusal) {
    case RG_REFUSED_REMAINING:
      return absl::DeadlineExceededError(absl::StrCat(
          "retry_guard: too little of the deadline is left for ", target));
    case RG_REFUSED_RETRY:
      return absl::UnavailableError(
          absl::StrCat("retry_guard: no retry to ", target, ": ",
                       retry_guard_stop_string(
                           static_cast<retry_guard_stop>(admission.stop))));
    default:
      return absl::UnavailableError(
          absl::StrCat("retry_guard: the circuit breaker for ", target,
                       ScopeOf(call, breaker, backend), " is open, for ",
                       admission.left_ns / RG_NS_PER_MS, " ms more"));
  }
}

void InjectPushback(GuardedCall *call, grpc_metadata_batch *trailing,
                    grpc_core::Duration delay) {
  call->replaced = trailing->get(grpc_core::GrpcRetryPushbackMsMetadata());
  call->injected = delay;
  trailing->Set(grpc_core::GrpcRetryPushbackMsMetadata(), delay);
}

grpc_status_code StatusOf(const grpc_error_handle &error,
                          const grpc_metadata_batch &trailing,
                          grpc_core::Timestamp deadline) {
  if (error.ok())
    return trailing.get(grpc_core::GrpcStatusMetadata())
        .value_or(GRPC_STATUS_UNKNOWN);
  grpc_status_code status = GRPC_STATUS_UNKNOWN;
  grpc_error_get_status(error, deadline, &status, nullptr, nullptr, nullptr);
  return status;
}

const grpc_channel_filter kCallFilter = MakeFilter(
    {StartBatch, sizeof(CallData), InitCall, DestroyCall, sizeof(ChannelData),
     InitChannel, DestroyChannel, "retry_guard_call"});

}  // namespace retry_guard
