// SPDX-License-Identifier: Apache-2.0

// Everything of gRPC's internals that differs between its versions, behind one
// name each; README.md beside this file has the table. Batches, metadata and
// closures have kept their shape for years and are used directly by the
// filters.
//
// gRPC 1.51.1, as Debian and Ubuntu build it: without NDEBUG. Internal structs
// change their layout with it, and a plugin built the other way corrupts memory
// silently.
#ifndef RETRY_GUARD_GRPC_COMPAT_H
#define RETRY_GUARD_GRPC_COMPAT_H

#ifdef NDEBUG
#error \
    "gRPC's internals change layout with NDEBUG, and the distribution's \
library is built without it: compile this file with -UNDEBUG"
#endif

#include <grpc/support/port_platform.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "core/backoff.h"
#include "src/core/ext/filters/client_channel/client_channel.h"
#include "src/core/ext/filters/client_channel/retry_service_config.h"
#include "src/core/lib/channel/channel_stack.h"
#include "src/core/lib/channel/channel_stack_builder.h"
#include "src/core/lib/channel/context.h"
#include "src/core/lib/compression/compression_internal.h"
#include "src/core/lib/config/core_configuration.h"
#include "src/core/lib/debug/trace.h"
#include "src/core/lib/gprpp/validation_errors.h"
#include "src/core/lib/iomgr/error.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/iomgr/timer.h"
#include "src/core/lib/json/json.h"
#include "src/core/lib/resource_quota/arena.h"
#include "src/core/lib/service_config/service_config_call_data.h"
#include "src/core/lib/service_config/service_config_parser.h"
#include "src/core/lib/surface/channel_stack_type.h"
#include "src/core/lib/transport/error_utils.h"
#include "src/core/lib/transport/metadata_batch.h"
#include "src/core/lib/transport/transport.h"

namespace retry_guard {

// What this file was written for, as gRPC's C++ library calls it and as
// grpc_version_string() of the C library does.
#ifndef RETRY_GUARD_GRPC_VERSION
#define RETRY_GUARD_GRPC_VERSION "1.51.1"
#endif
#ifndef RETRY_GUARD_GRPC_CORE_VERSION
#define RETRY_GUARD_GRPC_CORE_VERSION "29.0.0"
#endif

// ---- Filters: newer versions have one function less, and a name of a type of
// its own instead of a text.

// What differs between filters; the rest is what gRPC has for those that do not
// care. (The second function would be for filters written as promises.)
struct FilterParts {
  decltype(grpc_channel_filter::start_transport_stream_op_batch) start_batch;
  size_t call_size;
  decltype(grpc_channel_filter::init_call_elem) init_call;
  decltype(grpc_channel_filter::destroy_call_elem) destroy_call;
  size_t channel_size;
  decltype(grpc_channel_filter::init_channel_elem) init_channel;
  decltype(grpc_channel_filter::destroy_channel_elem) destroy_channel;
  const char *name;
};

constexpr grpc_channel_filter MakeFilter(const FilterParts &parts) {
  return {parts.start_batch,
          nullptr,
          grpc_channel_next_op,
          parts.call_size,
          parts.init_call,
          grpc_call_stack_ignore_set_pollset_or_pollset_set,
          parts.destroy_call,
          parts.channel_size,
          parts.init_channel,
          grpc_channel_stack_no_post_init,
          parts.destroy_channel,
          grpc_channel_next_get_info,
          parts.name};
}

// ---- Registration: newer versions have lasting and passing builders, in
// wrappers that do not tell what is in them, and order filters by name, not by
// priority.

using ConfigurationBuilder = grpc_core::CoreConfiguration::Builder;

// Whether gRPC has fixed its configuration; registering then aborts.
bool ConfigurationIsFixed();

// Has `fill` called whenever gRPC builds its configuration. A process may hold
// several copies of the plugin, linked and loaded, and gRPC aborts over a
// second parser of the same name: of them all only the first one's `fill` is
// ever called. False for the others.
bool RegisterFirst(void (*fill)(ConfigurationBuilder *));

// Puts `filter` in front of every stack of type `type`, but for minimal ones
// and those whose arguments `wanted` turns down (null: none).
using WantFilter = bool (*)(const grpc_core::ChannelArgs &args);
void PrependFilter(ConfigurationBuilder *builder, grpc_channel_stack_type type,
                   int priority, const grpc_channel_filter *filter,
                   WantFilter wanted = nullptr);

// ---- Context slots: newer versions have typed contexts in the call's arena.

// Reserved in gRPC and used by nothing: carries our object from the call filter
// to the attempt filters of the same call.
inline grpc_call_context_element *CallSlot(grpc_call_context_element *context) {
  return &context[GRPC_CONTEXT_TRAFFIC];
}

// The one slot that gRPC hands from a server call to its child calls.
inline grpc_call_context_element *HopSlot(grpc_call_context_element *context) {
  return &context[GRPC_CONTEXT_TRACING];
}

// ---- Channels: newer versions hand out their arguments as an object.

grpc_core::ChannelArgs ArgsOf(const grpc_channel_element_args &args);

// The algorithm that the channel compresses with when a call names none.
grpc_compression_algorithm CompressionOf(const grpc_channel_element_args &args);

// The address of the peer of a subchannel with these arguments, as gRPC spells
// it ("ipv4:192.0.2.1:443"); empty when it is not known. It is the
// connection's.
absl::string_view PeerOf(const grpc_channel_element_args &subchannel);

// Takes the name of an earlier attempt's peer out of the batch, where newer
// versions have it in the metadata.
void ForgetPeer(grpc_transport_stream_op_batch *batch);

// ---- Parsed service configs: looked up differently in newer versions.

using ParsedConfig = grpc_core::ServiceConfigParser::ParsedConfig;

// What the service config of a call holds at one parser's place; both may be
// null, as they are where there is no service config yet.
struct ParsedConfigs {
  const ParsedConfig *channel = nullptr;
  const ParsedConfig *method = nullptr;
};
ParsedConfigs LookUpConfigs(const grpc_call_context_element *context,
                            size_t parser_index);

// The two things that are looked up for every call.
inline grpc_core::ServiceConfigCallData *ServiceConfigOf(
    const grpc_call_context_element *context) {
  return static_cast<grpc_core::ServiceConfigCallData *>(
      context[GRPC_CONTEXT_SERVICE_CONFIG_CALL_DATA].value);
}
inline bool HasServiceConfig(const grpc_call_context_element *context) {
  grpc_core::ServiceConfigCallData *data = ServiceConfigOf(context);
  return data != nullptr && data->service_config() != nullptr;
}
inline const ParsedConfig *LookUpMethodConfig(
    const grpc_call_context_element *context, size_t parser_index) {
  return ServiceConfigOf(context)->GetMethodParsedConfig(parser_index);
}

// The JSON text of a call's service config, which it has; and of what the
// channel below the filter `elem` has got last, null while there is none.
absl::string_view ServiceConfigText(const grpc_call_context_element *context);
using GprText = std::unique_ptr<char, void (*)(void *)>;
GprText ServiceConfigText(grpc_channel_element *elem);

// The place of the parser called `name`.
size_t ParserIndex(const char *name);

// The method's native retryPolicy; false when it has none.
bool LookUpRetryPolicy(const grpc_call_context_element *context,
                       size_t retry_parser_index, rg_retry_policy *policy);

// The member `key` of the JSON object `json` as text; nothing when it is absent
// or null.
absl::optional<std::string> JsonMember(const grpc_core::Json &json,
                                       const char *key);

// ---- Metadata: newer versions have the same member.

// The entries whose names gRPC gives no meaning to. It has no way to them but
// by name, which compares with all the names that it does know and runs values
// together, in memory that it gets for them.
using UnknownEntries = grpc_core::metadata_detail::UnknownMap;

// The member is private; see compat.cc. Here, since it is for every call, and
// for each file by itself, as such an instantiation has to be.
namespace {
template <UnknownEntries grpc_metadata_batch::MetadataMap::*kEntries>
struct RevealUnknownEntries {
  friend UnknownEntries *UnknownEntriesOf(grpc_metadata_batch *metadata) {
    return &(metadata->*kEntries);
  }
};
template struct RevealUnknownEntries<&grpc_metadata_batch::unknown_>;
UnknownEntries *UnknownEntriesOf(grpc_metadata_batch *metadata);
}  // namespace

// ---- Closures: the same in newer versions.

// Hands a completion on to whom it was for. gRPC's own way asks first whether
// there is anybody, and whether it is to be traced.
inline void HandOn(grpc_closure *theirs, grpc_error_handle error) {
  theirs->cb(theirs->cb_arg, std::move(error));
}

// ---- Log: newer versions have Abseil's.

enum class Severity { kInfo, kError };
void LogLine(Severity severity, const char *line);

// ---- Executor: newer versions have an event engine instead, also for timers:
// attempt_timer.h.

// Calls `run` with `arg` on a thread of gRPC's own, out of the caller's stack.
// gRPC is in the middle of something, that is, initialised. False when memory
// is out.
bool RunLater(void (*run)(void *arg), void *arg);

// ---- Time: newer versions keep the cache elsewhere.

// gRPC looks at the clock once for all that it does in one go, so a timer that
// is set late in it would fire too early. From here on it looks again.
inline void ReadClockAgain() { grpc_core::ExecCtx::Get()->InvalidateNow(); }

}  // namespace retry_guard

#endif  // RETRY_GUARD_GRPC_COMPAT_H
