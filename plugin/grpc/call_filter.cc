// SPDX-License-Identifier: Apache-2.0
#include "grpc/call_filter.h"

#include <algorithm>
#include <string>

#include "host/clock.h"
#include "host/hop.h"
#include "host/hop_set.h"
#include "host/process.h"

namespace retry_guard {

namespace {

// gRPC's default for GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE (retry_filter.cc).
constexpr int kDefaultRetryBufferBytes = 256 << 10;

struct ChannelData {
  rg_target *target;
  bool retries_enabled;
  size_t retry_buffer_bytes;
};

struct CallData {
  GuardedCall guarded;
  grpc_core::Timestamp deadline;
  size_t buffered_bytes;
  grpc_metadata_batch *trailing;
  grpc_closure *on_trailing;
  grpc_closure trailing_ready;
};

// Marks our use of the call slot; the object goes with the call's arena.
void SlotIsOurs(void *) {}

// The hop context that applies to a new call: its parent's, or its thread's.
const rg_ancestry *AncestryFor(grpc_call_context_element *context) {
  void *parent = HopSlot(context)->value;
  if (rg_hop_set_contains(parent))
    return &static_cast<retry_guard_hop *>(parent)->ancestry;
  retry_guard_hop *hop = rg_hop_of_thread();
  return hop != nullptr ? &hop->ancestry : nullptr;
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

void OnTrailing(void *arg, grpc_error_handle error) {
  auto *data = static_cast<CallData *>(arg);
  rg_call *call = &data->guarded.call;
  if (call->method != nullptr) {
    RemoveInjected(&data->guarded, data->trailing);
    rg_call_end(call, StatusOf(error, *data->trailing, data->deadline),
                rg_clock_now());
  }
  grpc_core::Closure::Run(DEBUG_LOCATION, data->on_trailing, error);
}

// Keeps the account that gRPC's retry filter keeps of what it would have to
// send again; over the limit it gives the retry up.
void CountBuffered(const ChannelData &channel, CallData *data,
                   grpc_transport_stream_op_batch *batch) {
  if (batch->send_initial_metadata)
    data->buffered_bytes += batch->payload->send_initial_metadata
                                .send_initial_metadata->TransportSize();
  if (batch->send_message)
    data->buffered_bytes += batch->payload->send_message.send_message->Length();
  if (data->buffered_bytes > channel.retry_buffer_bytes)
    rg_call_commit(&data->guarded.call);
}

void StartBatch(grpc_call_element *elem,
                grpc_transport_stream_op_batch *batch) {
  auto *data = static_cast<CallData *>(elem->call_data);
  if (batch->cancel_stream) rg_call_commit(&data->guarded.call);
  CountBuffered(*static_cast<ChannelData *>(elem->channel_data), data, batch);
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
  auto *data = new (elem->call_data) CallData();
  data->deadline = args->deadline;
  rg_call_begin(&data->guarded.call, channel->target,
                AncestryFor(args->context), channel->retries_enabled);
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
  rg_call_end(&data->guarded.call, static_cast<uint32_t>(info->final_status),
              rg_clock_now());
  data->~CallData();
}

grpc_error_handle InitChannel(grpc_channel_element *elem,
                              grpc_channel_element_args *args) {
  auto channel_args = grpc_core::ChannelArgs::FromC(args->channel_args);
  std::string uri(channel_args.GetString(GRPC_ARG_SERVER_URI).value_or(""));
  auto *channel = new (elem->channel_data) ChannelData();
  channel->target = rg_target_acquire(uri.c_str());
  channel->retries_enabled =
      channel_args.GetBool(GRPC_ARG_ENABLE_RETRIES).value_or(true);
  channel->retry_buffer_bytes = static_cast<size_t>(
      std::max(channel_args.GetInt(GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE)
                   .value_or(kDefaultRetryBufferBytes),
               0));
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

const grpc_channel_filter kCallFilter = {
    StartBatch,
    nullptr,
    grpc_channel_next_op,
    sizeof(CallData),
    InitCall,
    grpc_call_stack_ignore_set_pollset_or_pollset_set,
    DestroyCall,
    sizeof(ChannelData),
    InitChannel,
    grpc_channel_stack_no_post_init,
    DestroyChannel,
    grpc_channel_next_get_info,
    "retry_guard_call",
};

}  // namespace retry_guard
