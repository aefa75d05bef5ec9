// SPDX-License-Identifier: Apache-2.0
#include "grpc/register.h"

#include <grpc/grpc.h>

#include <atomic>
#include <climits>
#include <cstring>

#include "grpc/attempt_filter.h"
#include "grpc/call_filter.h"
#include "grpc/event_delivery.h"
#include "grpc/server_filter.h"
#include "grpc/service_config.h"
#include "host/events.h"
#include "host/process.h"
#include "retry_guard/retry_guard.h"

namespace retry_guard {

namespace {

// The server's own filters below the top need the first places.
constexpr int kFirst = INT_MAX;
constexpr int kFirstOnServer = INT_MAX - 3;

std::atomic<bool> registered{false};

grpc_core::ChannelArgs AddDefaultServiceConfig(grpc_core::ChannelArgs args) {
  const char *config = rg_process_current()->default_service_config;
  if (config == nullptr || args.Contains(GRPC_ARG_SERVICE_CONFIG)) return args;
  return args.Set(GRPC_ARG_SERVICE_CONFIG, config);
}

}  // namespace

void FillBuilder(ConfigurationBuilder *builder) {
  if (!RegisterServiceConfigParser(builder)) {
    rg_process_counters.fail_open++;
    return;
  }
  PrependFilter(builder, GRPC_CLIENT_CHANNEL, kFirst, &kCallFilter,
                MayGetPolicy);
  PrependFilter(builder, GRPC_CLIENT_SUBCHANNEL, kFirst, &kAttemptFilter);
  PrependFilter(builder, GRPC_SERVER_CHANNEL, kFirstOnServer, &kServerFilter);
  builder->channel_args_preconditioning()->RegisterStage(
      AddDefaultServiceConfig);
}

}  // namespace retry_guard

const char *retry_guard_grpc_version_string(void) {
  return RETRY_GUARD_GRPC_VERSION;
}

retry_guard_status retry_guard_register(const retry_guard_options *options) {
  using namespace retry_guard;
  if (std::strcmp(grpc_version_string(), RETRY_GUARD_GRPC_CORE_VERSION) != 0)
    return RETRY_GUARD_WRONG_GRPC_VERSION;
  if (registered.exchange(true)) return RETRY_GUARD_ALREADY_REGISTERED;
  retry_guard_status status = ConfigurationIsFixed()
                                  ? RETRY_GUARD_TOO_LATE
                                  : rg_process_configure(options);
  if (status != RETRY_GUARD_OK) {
    registered.store(false);
    return status;
  }
  rg_events_deliver_by(DeliverEvent);
  // Another copy of the plugin may have been faster; this one then stays out.
  return RegisterFirst(FillBuilder) ? RETRY_GUARD_OK
                                    : RETRY_GUARD_ALREADY_REGISTERED;
}
