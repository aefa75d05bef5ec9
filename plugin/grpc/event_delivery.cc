// SPDX-License-Identifier: Apache-2.0
#include "grpc/event_delivery.h"

#include <cstdlib>
#include <cstring>

#include "grpc/compat.h"
#include "host/clock.h"
#include "host/events.h"
#include "host/process.h"

namespace retry_guard {

namespace {

// The event, and its target's name behind it.
struct Parcel {
  retry_guard_event event;
  char target[1];
};

Parcel *Pack(const retry_guard_event &event) {
  size_t length = std::strlen(event.target);
  auto *parcel = static_cast<Parcel *>(std::malloc(sizeof(Parcel) + length));
  if (parcel == nullptr) return nullptr;
  parcel->event = event;
  std::memcpy(parcel->target, event.target, length + 1);
  parcel->event.target = parcel->target;
  return parcel;
}

// What calls for somebody is logged where gRPC logs by default.
Severity SeverityOf(retry_guard_event_kind kind) {
  bool bad = kind == RETRY_GUARD_EVENT_BREAKER_OPENED ||
             kind == RETRY_GUARD_EVENT_BUDGET_EXHAUSTED ||
             kind == RETRY_GUARD_EVENT_ALARM_BEGAN;
  return bad ? Severity::kError : Severity::kInfo;
}

void Log(const retry_guard_event &event) {
  uint64_t left_out;
  if (!rg_events_may_log(event.kind, rg_clock_now(), &left_out)) return;
  char line[RG_EVENT_LINE_SIZE];
  rg_event_write(&event, left_out, line);
  LogLine(SeverityOf(event.kind), line);
}

void Open(void *arg) {
  auto *parcel = static_cast<Parcel *>(arg);
  const rg_process_settings *settings = rg_process_current();
  Log(parcel->event);
  if (settings->on_event != nullptr)
    settings->on_event(&parcel->event, settings->event_arg);
  std::free(parcel);
}

}  // namespace

void DeliverEvent(const retry_guard_event *event) {
  Parcel *parcel = Pack(*event);
  if (parcel != nullptr && RunLater(Open, parcel)) return;
  std::free(parcel);
  rg_process_counters.fail_open++;
}

}  // namespace retry_guard
