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

// The event, and the texts that it points to behind it.
struct Parcel {
  retry_guard_event event;
  char texts[1];
};

Parcel *Pack(const retry_guard_event &event) {
  size_t target_size = std::strlen(event.target) + 1;
  size_t breaker_size = std::strlen(event.breaker) + 1;
  auto *parcel = static_cast<Parcel *>(
      std::malloc(sizeof(Parcel) + target_size + breaker_size));
  if (parcel == nullptr) return nullptr;
  char *breaker = parcel->texts + target_size;
  parcel->event = event;
  parcel->event.target = static_cast<char *>(
      std::memcpy(parcel->texts, event.target, target_size));
  parcel->event.breaker =
      static_cast<char *>(std::memcpy(breaker, event.breaker, breaker_size));
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
