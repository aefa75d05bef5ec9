// SPDX-License-Identifier: Apache-2.0
#include "grpc/server_filter.h"

#include "grpc/mark_metadata.h"
#include "grpc/time.h"
#include "host/hop.h"
#include "host/hop_set.h"
#include "host/process.h"

namespace retry_guard {

namespace {

struct CallData {
  retry_guard_hop hop;
  grpc_call_context_element *context;
  bool published = false;
  grpc_metadata_batch *initial;
  grpc_closure *on_initial;
  grpc_closure initial_ready;
};

void Hold(retry_guard_hop *hop) {
  GRPC_CALL_STACK_REF(static_cast<grpc_call_stack *>(hop->owner),
                      "retry_guard_hop");
}

void Release(retry_guard_hop *hop) {
  // The last reference destroys the call, which schedules closures.
  grpc_core::ExecCtx exec_ctx;
  GRPC_CALL_STACK_UNREF(static_cast<grpc_call_stack *>(hop->owner),
                        "retry_guard_hop");
}

constexpr rg_hop_lifetime kWithServerCall = {Hold, Release};

// At an edge that believes no marks they are looked for everywhere, so that
// none gets past it in the application's hands.
Baggage BaggageInUse() {
  bool used = rg_process_uses_baggage.load(std::memory_order_relaxed) ||
              !rg_process_current()->accept_marks;
  return used ? Baggage::kUsed : Baggage::kIgnored;
}

// Whether there are marks that are believed, and what they say; counted.
bool JudgeMarks(grpc_metadata_batch *metadata, rg_ancestry *ancestry) {
  UnknownEntries *entries = UnknownEntriesOf(metadata);
  if (entries->empty()) return false;
  Baggage baggage = BaggageInUse();
  if (!ReadMarks(*entries, baggage,
                 rg_process_max_hops.load(std::memory_order_relaxed), ancestry))
    return false;
  if (!rg_process_current()->accept_marks) {
    RemoveMarks(baggage, entries);
    rg_process_counters.marks_stripped++;
    return false;
  }
  (ancestry->lineage == RG_LINEAGE_MARKED
       ? rg_process_counters.marks_accepted
       : rg_process_counters.marks_rejected)++;
  return true;
}

// What the incoming metadata says; counted.
void Judge(grpc_metadata_batch *metadata, rg_ancestry *ancestry) {
  if (JudgeMarks(metadata, ancestry)) return;
  ancestry->lineage = RG_LINEAGE_UNMARKED;
  auto previous = metadata->get(grpc_core::GrpcPreviousRpcAttemptsMetadata());
  if (previous.value_or(0) == 0) return;
  rg_incoming incoming = {};
  incoming.previous_attempts = *previous;
  rg_process_counters.foreign_retries++;
  *ancestry = rg_layer_judge(&incoming, RG_DEFAULT_MAX_HOPS);
}

uint64_t DeadlineOf(const grpc_metadata_batch &metadata) {
  auto deadline = metadata.get(grpc_core::GrpcTimeoutMetadata());
  if (!deadline.has_value()) return RG_DEADLINE_NONE;
  return FromTimestamp(*deadline);
}

void Publish(CallData *data) {
  grpc_call_context_element *slot = HopSlot(data->context);
  if (slot->value != nullptr || !rg_hop_set_add(&data->hop)) {
    rg_process_counters.fail_open++;
    return;
  }
  slot->value = &data->hop;
  data->published = true;
}

void OnInitial(void *arg, grpc_error_handle error) {
  auto *data = static_cast<CallData *>(arg);
  if (error.ok()) {
    Judge(data->initial, &data->hop.ancestry);
    data->hop.deadline = DeadlineOf(*data->initial);
    Publish(data);
  }
  HandOn(data->on_initial, std::move(error));
}

// An answer with an error tells the caller not to retry, where something failed
// downstream that it would only meet again. What the application says itself
// stays.
void TellCaller(const retry_guard_hop &hop, grpc_metadata_batch *trailing) {
  if (!hop.stop_caller.load(std::memory_order_relaxed) ||
      trailing->get(grpc_core::GrpcStatusMetadata())
              .value_or(GRPC_STATUS_UNKNOWN) == GRPC_STATUS_OK ||
      trailing->get(grpc_core::GrpcRetryPushbackMsMetadata()).has_value())
    return;
  trailing->Set(grpc_core::GrpcRetryPushbackMsMetadata(),
                grpc_core::Duration::Milliseconds(-1));
  rg_process_counters.callers_stopped++;
}

void StartBatch(grpc_call_element *elem,
                grpc_transport_stream_op_batch *batch) {
  auto *data = static_cast<CallData *>(elem->call_data);
  if (batch->recv_initial_metadata) {
    auto &receive = batch->payload->recv_initial_metadata;
    data->initial = receive.recv_initial_metadata;
    data->on_initial = receive.recv_initial_metadata_ready;
    receive.recv_initial_metadata_ready = &data->initial_ready;
  }
  if (batch->send_trailing_metadata)
    TellCaller(data->hop,
               batch->payload->send_trailing_metadata.send_trailing_metadata);
  grpc_call_next_op(elem, batch);
}

grpc_error_handle InitCall(grpc_call_element *elem,
                           const grpc_call_element_args *args) {
  // The hop is filled in as far as anyone looks; see OnInitial.
  auto *data = new (elem->call_data) CallData;
  data->hop.lifetime = &kWithServerCall;
  data->hop.owner = args->call_stack;
  data->hop.stop_caller.store(false, std::memory_order_relaxed);
  data->context = args->context;
  GRPC_CLOSURE_INIT(&data->initial_ready, OnInitial, data, nullptr);
  return absl::OkStatus();
}

void DestroyCall(grpc_call_element *elem, const grpc_call_final_info *,
                 grpc_closure *) {
  auto *data = static_cast<CallData *>(elem->call_data);
  if (data->published) rg_hop_set_remove(&data->hop);
  data->~CallData();
}

grpc_error_handle InitChannel(grpc_channel_element *,
                              grpc_channel_element_args *) {
  return absl::OkStatus();
}

void DestroyChannel(grpc_channel_element *) {}

}  // namespace

const grpc_channel_filter kServerFilter =
    MakeFilter({StartBatch, sizeof(CallData), InitCall, DestroyCall, 0,
                InitChannel, DestroyChannel, "retry_guard_server"});

}  // namespace retry_guard
