// SPDX-License-Identifier: Apache-2.0
#include "grpc/service_config.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/policy.h"
#include "host/config_warnings.h"
#include "host/process.h"

namespace retry_guard {

namespace {

constexpr char kParserName[] = "retry_guard";
constexpr char kBlockName[] = "retryGuard";

class Config;

// What is worked out, and which place has the number that it was under.
struct Effective : rg_method_policy {
  const Config *channel;
};

// One place of the service config: the channel, or a methodConfig entry. Is
// here even without a block: the channel's for its number, which is that of the
// whole service config, an entry's for what it has worked out.
class Config : public ParsedConfig {
 public:
  explicit Config(rg_policy_block *block)
      : block_(block), number_(rg_target_next_policy_number()) {}

  ~Config() override {
    rg_policy_block_destroy(block_);
    delete effective_.load(std::memory_order_relaxed);
  }

  const rg_policy_block *block() const { return block_; }
  uint64_t number() const { return number_.load(std::memory_order_relaxed); }

  // Returns the number, after taking a new one if it is below `seen`.
  uint64_t Renew(uint64_t seen) const {
    uint64_t number = this->number();
    if (number >= seen) return number;
    uint64_t next = rg_target_next_policy_number();
    return number_.compare_exchange_strong(number, next) ? next : number;
  }

  const Effective *effective() const {
    return effective_.load(std::memory_order_acquire);
  }

  // Keeps `policy` unless another thread was faster; returns what is kept.
  const Effective *Keep(std::unique_ptr<Effective> policy) const {
    const Effective *kept = nullptr;
    if (effective_.compare_exchange_strong(kept, policy.get(),
                                           std::memory_order_acq_rel))
      return policy.release();
    return kept;
  }

 private:
  rg_policy_block *const block_;
  mutable std::atomic<uint64_t> number_;
  mutable std::atomic<const Effective *> effective_{nullptr};
};

// Also to the log: of an update that it does not take, gRPC says nothing.
void ReportAll(const rg_faults &faults, grpc_core::ValidationErrors *errors) {
  for (size_t i = 0; i < faults.count; i++) {
    LogLine(Severity::kError,
            absl::StrCat("service config: field:", faults.items[i].path,
                         " error:", faults.items[i].message)
                .c_str());
    grpc_core::ValidationErrors::ScopedField field(
        errors, std::string(".") + faults.items[i].path);
    errors->AddError(faults.items[i].message);
  }
  if (faults.unlisted > 0)
    errors->AddError(absl::StrCat("and ", faults.unlisted, " more faults"));
}

void Report(const rg_faults &faults, grpc_core::ValidationErrors *errors) {
  try {
    ReportAll(faults, errors);
  } catch (const std::bad_alloc &) {
    errors->AddError("is invalid, and memory is out to say why");
  }
}

// Whether memory ran out, and nothing else was wrong.
bool IsOwnFailure(const rg_faults &faults) {
  return faults.out_of_memory && faults.count == 0;
}

// Null for a place without a block, with errors, and, without any, when memory
// is out: that is no fault of the config, so calls go on unguarded.
rg_policy_block *ParseBlock(const grpc_core::Json &json, rg_policy_scope scope,
                            grpc_core::ValidationErrors *errors) {
  absl::optional<std::string> text = JsonMember(json, kBlockName);
  if (!text.has_value()) return nullptr;
  rg_faults faults;
  rg_faults_init(&faults);
  rg_policy_block *block = rg_policy_block_parse(text->data(), text->size(),
                                                 scope, kBlockName, &faults);
  if (block == nullptr && IsOwnFailure(faults))
    rg_process_counters.fail_open++;
  else if (block == nullptr)
    Report(faults, errors);
  rg_faults_clean_up(&faults);
  return block;
}

// At a level that is logged by default, as gRPC does for what it clamps.
void Warn(const char *line, void *) { LogLine(Severity::kError, line); }

// Null, and `block` is gone, when memory is out.
std::unique_ptr<ParsedConfig> NewConfig(rg_policy_block *block) {
  std::unique_ptr<ParsedConfig> config(new (std::nothrow) Config(block));
  if (config != nullptr) return config;
  rg_policy_block_destroy(block);
  rg_process_counters.fail_open++;
  return nullptr;
}

class Parser : public grpc_core::ServiceConfigParser::Parser {
 public:
  absl::string_view name() const override { return kParserName; }

  std::unique_ptr<ParsedConfig> ParseGlobalParams(
      const grpc_core::ChannelArgs &, const grpc_core::Json &json,
      grpc_core::ValidationErrors *errors) override {
    const std::string text = json.Dump();
    rg_config_warnings(text.data(), text.size(), Warn, nullptr);
    return NewConfig(ParseBlock(json, RG_POLICY_CHANNEL, errors));
  }

  std::unique_ptr<ParsedConfig> ParsePerMethodParams(
      const grpc_core::ChannelArgs &, const grpc_core::Json &json,
      grpc_core::ValidationErrors *errors) override {
    return NewConfig(ParseBlock(json, RG_POLICY_METHOD, errors));
  }
};

struct Indices {
  size_t own;
  size_t retry;
};

const Indices &ParserIndices() {
  static const Indices indices = {ParserIndex(kParserName),
                                  ParserIndex("retry")};
  return indices;
}

void NameLayer(rg_layer_policy *layer) {
  if (layer->name_length > 0) return;
  layer->name_length = rg_process_current()->layer_name_length;
  std::memcpy(layer->name, rg_process_current()->layer_name,
              layer->name_length);
}

void OverrideMode(rg_mode *mode) {
  switch (rg_process_current()->mode) {
    case RETRY_GUARD_MODE_OF_POLICY:
      break;
    case RETRY_GUARD_MODE_ENFORCE:
      *mode = RG_MODE_ENFORCE;
      break;
    case RETRY_GUARD_MODE_SHADOW:
      *mode = RG_MODE_SHADOW;
      break;
    case RETRY_GUARD_MODE_OFF:
      *mode = RG_MODE_OFF;
      break;
  }
}

const rg_method_policy *WorkOut(const grpc_call_context_element *context,
                                const Config *channel, const Config *method) {
  std::unique_ptr<Effective> policy(new (std::nothrow) Effective());
  if (policy == nullptr) {
    rg_process_counters.fail_open++;
    return nullptr;
  }
  rg_policy_resolve(channel->block(),
                    method != nullptr ? method->block() : nullptr,
                    &policy->policy);
  NameLayer(&policy->policy.layer);
  OverrideMode(&policy->policy.mode);
  rg_process_note_layer(&policy->policy.layer);
  policy->number = channel->number();
  policy->channel = channel;
  policy->has_retry =
      LookUpRetryPolicy(context, ParserIndices().retry, &policy->retry);
  return (method != nullptr ? method : channel)->Keep(std::move(policy));
}

}  // namespace

bool RegisterServiceConfigParser(ConfigurationBuilder *builder) {
  std::unique_ptr<Parser> parser(new (std::nothrow) Parser());
  if (parser == nullptr) return false;
  builder->service_config_parser()->RegisterParser(std::move(parser));
  return true;
}

namespace {

// A policy in text, for certain not there: no escape may hide its name.
bool IsWithoutPolicy(absl::string_view service_config) {
  return !absl::StrContains(service_config, kBlockName) &&
         !absl::StrContains(service_config, '\\');
}

// Whether the resolver of the target's scheme knows addresses and nothing else.
// Of the DNS that holds unless it was asked for service configs.
bool ResolvesToAddressesOnly(absl::string_view target,
                             const grpc_core::ChannelArgs &args) {
  absl::string_view scheme = target.substr(0, target.find(':'));
  if (scheme == "dns")
    return args.GetBool(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION)
        .value_or(true);
  return scheme == "ipv4" || scheme == "ipv6" || scheme == "unix";
}

}  // namespace

bool MayGetPolicy(const grpc_core::ChannelArgs &args) {
  auto target = args.GetString(GRPC_ARG_SERVER_URI);
  auto config = args.GetString(GRPC_ARG_SERVICE_CONFIG);
  return !target.has_value() || !ResolvesToAddressesOnly(*target, args) ||
         !IsWithoutPolicy(config.value_or(""));
}

namespace {

const Effective *EffectiveOf(const ParsedConfig *config) {
  return config != nullptr ? static_cast<const Config *>(config)->effective()
                           : nullptr;
}

// Where the entry for the method, if any, has not been worked out.
RG_SELDOM const rg_method_policy *LookFurther(
    const grpc_call_context_element *context) {
  ParsedConfigs configs = LookUpConfigs(context, ParserIndices().own);
  auto *channel = static_cast<const Config *>(configs.channel);
  auto *method = static_cast<const Config *>(configs.method);
  if (channel == nullptr || (channel->block() == nullptr &&
                             (method == nullptr || method->block() == nullptr)))
    return nullptr;
  if (method == nullptr && channel->effective() != nullptr)
    return channel->effective();
  return WorkOut(context, channel, method);
}

}  // namespace

const rg_method_policy *PolicyOf(const grpc_call_context_element *context) {
  const rg_method_policy *policy =
      EffectiveOf(LookUpMethodConfig(context, ParserIndices().own));
  if (policy == nullptr) policy = LookFurther(context);
  bool off = policy != nullptr && policy->policy.mode == RG_MODE_OFF;
  return off ? nullptr : policy;
}

uint64_t PolicyNumber(const rg_method_policy &policy, uint64_t seen) {
  return static_cast<const Effective &>(policy).channel->Renew(seen);
}

}  // namespace retry_guard
