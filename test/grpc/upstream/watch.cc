// SPDX-License-Identifier: Apache-2.0
#include "grpc/upstream/watch.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>

#include "grpc/attempt_filter.h"
#include "grpc/call_filter.h"
#include "grpc/register.h"
#include "grpc/server_filter.h"
#include "host/target.h"
#include "retry_guard/retry_guard.h"

using Builder = grpc_core::CoreConfiguration::Builder;

// A test that replaces gRPC's configuration begins with BuildCoreConfiguration,
// gRPC's own part of it. The linker turns that call into one of __wrap_..., and
// calls the function itself __real_... (see CMakeLists.txt).
#define BUILD_CONFIGURATION \
  _ZN9grpc_core22BuildCoreConfigurationEPNS_17CoreConfiguration7BuilderE
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
extern "C" void PASTE(__real_, BUILD_CONFIGURATION)(Builder *builder);
extern "C" void PASTE(__wrap_, BUILD_CONFIGURATION)(Builder *builder);

namespace rg_test {

namespace {

struct Watch {
  std::string block;
  std::mutex mutex;
  Seen seen{};
  // Held, so that the counters outlive the channels.
  std::map<std::string, rg_target *> targets;
};

Watch *TheWatch() {
  static Watch watch;
  return &watch;
}

// A test's service config is an object with members, so the block goes in front
// of them. Channels without one get the plugin's default.
grpc_core::ChannelArgs AddBlock(grpc_core::ChannelArgs args) {
  auto config = args.GetString(GRPC_ARG_SERVICE_CONFIG);
  if (!config.has_value()) return args;
  std::string text(*config);
  if (text.find("\"retryGuard\"") != text.npos) return args;
  text.insert(text.find('{') + 1, "\"retryGuard\":" + TheWatch()->block + ",");
  return args.Set(GRPC_ARG_SERVICE_CONFIG, text);
}

void Hold(const grpc_core::ChannelArgs &args) {
  std::string name(args.GetString(GRPC_ARG_SERVER_URI).value_or(""));
  rg_target *&target = TheWatch()->targets[name];
  if (target == nullptr) target = rg_target_acquire(name.c_str());
}

// Looks at every stack of the type. Stages run by priority, and of the same one
// in the order of registration: the plugin's were before, a test's are lower.
void WatchStacks(Builder *builder, grpc_channel_stack_type type,
                 const grpc_channel_filter *filter, int Seen::*count) {
  builder->channel_init()->RegisterStage(
      type, INT_MAX, [=](grpc_core::ChannelStackBuilder *stack) {
        std::lock_guard<std::mutex> lock(TheWatch()->mutex);
        const auto &filters = *stack->mutable_stack();
        bool found =
            std::find(filters.begin(), filters.end(), filter) != filters.end();
        TheWatch()->seen.*(found ? count : &Seen::without_filter) += 1;
        if (type == GRPC_CLIENT_CHANNEL) Hold(stack->channel_args());
        return true;
      });
}

void AddWatch(Builder *builder) {
  if (!TheWatch()->block.empty())
    builder->channel_args_preconditioning()->RegisterStage(AddBlock);
  WatchStacks(builder, GRPC_CLIENT_CHANNEL, &retry_guard::kCallFilter,
              &Seen::client_channels);
  WatchStacks(builder, GRPC_CLIENT_SUBCHANNEL, &retry_guard::kAttemptFilter,
              &Seen::subchannels);
  WatchStacks(builder, GRPC_SERVER_CHANNEL, &retry_guard::kServerFilter,
              &Seen::server_channels);
}

void Add(const retry_guard_stats &stats, Seen *seen) {
  seen->guarded_targets++;
  seen->calls += stats.calls;
  seen->attempts += stats.attempts;
  seen->retries += stats.retries;
  seen->undecided_retries += stats.undecided_retries;
  seen->transparent_retries += stats.transparent_retries;
  seen->stops +=
      std::accumulate(std::begin(stats.stops), std::end(stats.stops), 0ull);
  seen->rejected_retries += stats.rejected_retries;
  seen->tokens_outstanding += stats.tokens_outstanding;
  seen->fail_open += stats.fail_open;
}

}  // namespace

void StartWatching(const std::string &block) {
  TheWatch()->block = block;
  retry_guard_options options;
  retry_guard_options_init(&options);
  std::string config = "{\"retryGuard\":" + block + "}";
  if (!block.empty()) options.default_service_config = config.c_str();
  retry_guard_status status = retry_guard_register(&options);
  if (status != RETRY_GUARD_OK) {
    std::fprintf(stderr, "%s\n", retry_guard_status_string(status));
    std::abort();
  }
  grpc_core::CoreConfiguration::RegisterBuilder(AddWatch);
}

Seen StopWatching() {
  std::lock_guard<std::mutex> lock(TheWatch()->mutex);
  Seen seen = TheWatch()->seen;
  for (auto &[name, target] : TheWatch()->targets) {
    retry_guard_stats stats{};
    stats.size = sizeof stats;
    if (retry_guard_stats_get(name.c_str(), &stats) == RETRY_GUARD_OK)
      Add(stats, &seen);
    rg_target_release(target);
  }
  TheWatch()->targets.clear();
  return seen;
}

}  // namespace rg_test

void PASTE(__wrap_, BUILD_CONFIGURATION)(Builder *builder) {
  PASTE(__real_, BUILD_CONFIGURATION)(builder);
  retry_guard::FillBuilder(builder);
  rg_test::AddWatch(builder);
}
