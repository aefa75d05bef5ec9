// SPDX-License-Identifier: Apache-2.0
#include "grpc/compat.h"

#include <grpc/support/log.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "src/core/lib/iomgr/endpoint.h"
#include "src/core/lib/iomgr/executor.h"
#include "src/core/lib/transport/transport_impl.h"

namespace retry_guard {

namespace {

using BuilderList =
    std::atomic<grpc_core::CoreConfiguration::RegisteredBuilder *>;

// The configuration is a private static member, and asking gRPC for it would
// build it; so is the list of those who have registered. Explicit instantiation
// may name private members; the friends hand the addresses out.
template <std::atomic<grpc_core::CoreConfiguration *> *kConfiguration,
          BuilderList *kBuilders>
struct Reveal {
  friend std::atomic<grpc_core::CoreConfiguration *> *Configuration() {
    return kConfiguration;
  }
  friend BuilderList *Builders() { return kBuilders; }
};
std::atomic<grpc_core::CoreConfiguration *> *Configuration();
BuilderList *Builders();

}  // namespace

// (The instantiation has to stand outside of functions.)
namespace {
template struct Reveal<&grpc_core::CoreConfiguration::config_,
                       &grpc_core::CoreConfiguration::builders_>;
}  // namespace

bool ConfigurationIsFixed() {
  return Configuration()->load(std::memory_order_acquire) != nullptr;
}

// How copies of the plugin know each other in gRPC's list: by the name of this
// type. Other versions of the plugin read it too, so it never changes, and it
// stands in no anonymous namespace, where each copy would have a type of its
// own.
struct Registration {
  void (*fill)(ConfigurationBuilder *);

  void operator()(ConfigurationBuilder *builder) const;
};

namespace {

bool IsFirst(void (*fill)(ConfigurationBuilder *)) {
  void (*first)(ConfigurationBuilder *) = nullptr;
  auto *entry = Builders()->load(std::memory_order_acquire);
  for (; entry != nullptr; entry = entry->next)  // the latest comes first
    if (auto *found = entry->builder.target<Registration>())
      first = found->fill;
  return first == fill;
}

}  // namespace

void Registration::operator()(ConfigurationBuilder *builder) const {
  if (IsFirst(fill)) fill(builder);
}

// Looked up only afterwards, so that of two copies at the same time one wins.
bool RegisterFirst(void (*fill)(ConfigurationBuilder *)) {
  grpc_core::CoreConfiguration::RegisterBuilder(Registration{fill});
  return IsFirst(fill);
}

void PrependFilter(ConfigurationBuilder *builder, grpc_channel_stack_type type,
                   int priority, const grpc_channel_filter *filter,
                   WantFilter wanted) {
  builder->channel_init()->RegisterStage(
      type, priority, [filter, wanted](grpc_core::ChannelStackBuilder *stack) {
        const grpc_core::ChannelArgs &args = stack->channel_args();
        if (!args.WantMinimalStack() && (wanted == nullptr || wanted(args)))
          stack->PrependFilter(filter);
        return true;
      });
}

grpc_core::ChannelArgs ArgsOf(const grpc_channel_element_args &args) {
  return grpc_core::ChannelArgs::FromC(args.channel_args);
}

grpc_compression_algorithm CompressionOf(
    const grpc_channel_element_args &args) {
  return grpc_core::DefaultCompressionAlgorithmFromChannelArgs(
             args.channel_args)
      .value_or(GRPC_COMPRESS_NONE);
}

absl::string_view PeerOf(const grpc_channel_element_args &subchannel) {
  auto *transport = ArgsOf(subchannel).GetObject<grpc_transport>();
  grpc_endpoint *endpoint =
      transport != nullptr ? grpc_transport_get_endpoint(transport) : nullptr;
  return endpoint != nullptr ? grpc_endpoint_get_peer(endpoint)
                             : absl::string_view();
}

void ForgetPeer(grpc_transport_stream_op_batch *batch) {
  gpr_atm *peer = batch->payload->send_initial_metadata.peer_string;
  if (peer != nullptr) gpr_atm_rel_store(peer, 0);
}

ParsedConfigs LookUpConfigs(const grpc_call_context_element *context,
                            size_t parser_index) {
  if (!HasServiceConfig(context)) return {};
  grpc_core::ServiceConfigCallData *data = ServiceConfigOf(context);
  return {data->GetGlobalParsedConfig(parser_index),
          data->GetMethodParsedConfig(parser_index)};
}

absl::string_view ServiceConfigText(const grpc_call_context_element *context) {
  return ServiceConfigOf(context)->service_config()->json_string();
}

GprText ServiceConfigText(grpc_channel_element *elem) {
  char *text = nullptr;
  grpc_channel_info info = {nullptr, &text};
  grpc_channel_next_get_info(elem, &info);
  return GprText(text, gpr_free);
}

size_t ParserIndex(const char *name) {
  return grpc_core::CoreConfiguration::Get()
      .service_config_parser()
      .GetParserIndex(name);
}

namespace {

uint64_t Millis(grpc_core::Duration duration) {
  return static_cast<uint64_t>(std::max<int64_t>(duration.millis(), 0));
}

uint64_t Micro(float multiplier) {
  // gRPC insists on a multiplier above 0; far above, it makes no difference.
  double micro = std::min(static_cast<double>(multiplier), 1e6) * 1e6;
  return static_cast<uint64_t>(std::llround(std::max(micro, 1.0)));
}

uint32_t CodeBits(grpc_core::internal::StatusCodeSet codes) {
  uint32_t bits = 0;
  for (int code = 0; code <= GRPC_STATUS_UNAUTHENTICATED; code++)
    if (codes.Contains(static_cast<grpc_status_code>(code))) bits |= 1u << code;
  return bits;
}

}  // namespace

bool LookUpRetryPolicy(const grpc_call_context_element *context,
                       size_t retry_parser_index, rg_retry_policy *policy) {
  auto *config = static_cast<const grpc_core::internal::RetryMethodConfig *>(
      LookUpConfigs(context, retry_parser_index).method);
  if (config == nullptr) return false;
  policy->max_attempts = static_cast<uint32_t>(
      std::min(std::max(config->max_attempts(), 0), RG_MAX_ATTEMPTS));
  policy->retryable_codes = CodeBits(config->retryable_status_codes());
  policy->initial_backoff_ms = Millis(config->initial_backoff());
  policy->max_backoff_ms = Millis(config->max_backoff());
  policy->multiplier_micro = Micro(config->backoff_multiplier());
  return true;
}

void LogLine(Severity severity, const char *line) {
  gpr_log(__FILE__, __LINE__,
          severity == Severity::kError ? GPR_LOG_SEVERITY_ERROR
                                       : GPR_LOG_SEVERITY_INFO,
          "retry_guard: %s", line);
}

bool RunLater(void (*run)(void *arg), void *arg) {
  struct Job {
    void (*run)(void *arg);
    void *arg;
    grpc_closure closure;
  };
  Job *job = new (std::nothrow) Job{run, arg, {}};
  if (job == nullptr) return false;
  GRPC_CLOSURE_INIT(
      &job->closure,
      [](void *self, grpc_error_handle) {
        auto *due = static_cast<Job *>(self);
        due->run(due->arg);
        delete due;
      },
      job, nullptr);
  grpc_core::Executor::Run(&job->closure, absl::OkStatus());
  return true;
}

absl::optional<std::string> JsonMember(const grpc_core::Json &json,
                                       const char *key) {
  auto member = json.object_value().find(key);
  if (member == json.object_value().end() ||
      member->second.type() == grpc_core::Json::Type::JSON_NULL)
    return absl::nullopt;
  return member->second.Dump();
}

}  // namespace retry_guard
