// SPDX-License-Identifier: Apache-2.0
#include "bench/control.h"

#include <climits>
#include <cstring>

#include "grpc/compat.h"
#include "src/core/lib/iomgr/timer.h"

namespace {

rg_bench_control control;

// ---- Filters that pass everything on

grpc_error_handle InitCall(grpc_call_element *,
                           const grpc_call_element_args *) {
  return absl::OkStatus();
}

void DestroyCall(grpc_call_element *, const grpc_call_final_info *,
                 grpc_closure *) {}

grpc_error_handle InitChannel(grpc_channel_element *,
                              grpc_channel_element_args *) {
  return absl::OkStatus();
}

void DestroyChannel(grpc_channel_element *) {}

constexpr grpc_channel_filter kBare =
    retry_guard::MakeFilter({grpc_call_next_op, 0, InitCall, DestroyCall, 0,
                             InitChannel, DestroyChannel, "bare"});

// ---- An attempt's entries and its timer

struct Attempt {
  grpc_call_stack *stack;
  grpc_timer timer;
  grpc_closure on_timer;
  grpc_closure on_trailing;
  grpc_closure *theirs;
};

void Append(absl::string_view key, absl::string_view value,
            grpc_metadata_batch *metadata) {
  retry_guard::UnknownEntriesOf(metadata)->Append(
      key, grpc_core::Slice::FromCopiedString(value));
}

// Of the size that the guard's have in the same case.
void AppendEntries(grpc_metadata_batch *metadata) {
  if (control == RG_BENCH_MARKS)
    Append("retry-layer-bin", "\x18\x01", metadata);
  if (control != RG_BENCH_EVERYTHING) return;
  Append("retry-layer-bin",
         "\x0a\x04"
         "edge\x10\x02\x18\x01",
         metadata);
  Append("baggage", "retry-layer=CgRlZGdlEAIYAQ", metadata);
  Append("idempotency-key", "0f7bb1a4-3d0e-4c43-9c4a-2f6d3a5e7b81", metadata);
}

void OnTimer(void *arg, grpc_error_handle) {
  GRPC_CALL_STACK_UNREF(static_cast<Attempt *>(arg)->stack, "bench");
}

void OnTrailing(void *arg, grpc_error_handle error) {
  auto *attempt = static_cast<Attempt *>(arg);
  grpc_timer_cancel(&attempt->timer);
  grpc_core::Closure::Run(DEBUG_LOCATION, attempt->theirs, std::move(error));
}

void StartTimer(Attempt *attempt, grpc_transport_stream_op_batch *batch) {
  auto &receive = batch->payload->recv_trailing_metadata;
  attempt->theirs = receive.recv_trailing_metadata_ready;
  receive.recv_trailing_metadata_ready =
      GRPC_CLOSURE_INIT(&attempt->on_trailing, OnTrailing, attempt, nullptr);
  GRPC_CALL_STACK_REF(attempt->stack, "bench");
  GRPC_CLOSURE_INIT(&attempt->on_timer, OnTimer, attempt, nullptr);
  grpc_timer_init(&attempt->timer,
                  grpc_core::Timestamp::Now() + grpc_core::Duration::Hours(1),
                  &attempt->on_timer);
}

void StartAttemptBatch(grpc_call_element *elem,
                       grpc_transport_stream_op_batch *batch) {
  if (batch->send_initial_metadata)
    AppendEntries(batch->payload->send_initial_metadata.send_initial_metadata);
  if (batch->recv_trailing_metadata && control == RG_BENCH_EVERYTHING)
    StartTimer(static_cast<Attempt *>(elem->call_data), batch);
  grpc_call_next_op(elem, batch);
}

grpc_error_handle InitAttempt(grpc_call_element *elem,
                              const grpc_call_element_args *args) {
  static_cast<Attempt *>(elem->call_data)->stack = args->call_stack;
  return absl::OkStatus();
}

constexpr grpc_channel_filter kAttempt = retry_guard::MakeFilter(
    {StartAttemptBatch, sizeof(Attempt), InitAttempt, DestroyCall, 0,
     InitChannel, DestroyChannel, "bare_attempt"});

// ---- Registration, in the guard's places

void Prepend(grpc_core::CoreConfiguration::Builder *builder,
             grpc_channel_stack_type type, int priority,
             const grpc_channel_filter *filter) {
  builder->channel_init()->RegisterStage(
      type, priority, [filter](grpc_core::ChannelStackBuilder *stack) {
        if (!stack->channel_args().WantMinimalStack())
          stack->PrependFilter(filter);
        return true;
      });
}

}  // namespace

void rg_bench_control_register(rg_bench_control wanted) {
  control = wanted;
  if (control == RG_BENCH_NO_CONTROL) return;
  grpc_core::CoreConfiguration::RegisterBuilder(
      [](grpc_core::CoreConfiguration::Builder *builder) {
        bool policy = control != RG_BENCH_FILTERS;
        if (policy) Prepend(builder, GRPC_CLIENT_CHANNEL, INT_MAX, &kBare);
        Prepend(builder, GRPC_CLIENT_SUBCHANNEL, INT_MAX,
                policy ? &kAttempt : &kBare);
        Prepend(builder, GRPC_SERVER_CHANNEL, INT_MAX - 3, &kBare);
      });
}

rg_bench_control rg_bench_control_named(const char *name) {
  if (std::strcmp(name, "filters") == 0) return RG_BENCH_FILTERS;
  if (std::strcmp(name, "marks") == 0) return RG_BENCH_MARKS;
  if (std::strcmp(name, "everything") == 0) return RG_BENCH_EVERYTHING;
  return RG_BENCH_NO_CONTROL;
}
