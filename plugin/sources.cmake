# SPDX-License-Identifier: Apache-2.0

# Every source file of the library, by room; paths are rooted at plugin/. A test
# reads this list, too, so it holds nothing but set() and one file a line.

set(RG_CORE_SOURCES
  core/amplification.c
  core/backoff.c
  core/breaker.c
  core/budget.c
  core/deadline.c
  core/idempotency.c
  core/layer.c
  core/num.c
  core/outcome.c
  core/retry_window.c
  core/token_bucket.c
  core/verdict.c
  core/window.c
)

set(RG_CONFIG_SOURCES
  config/advice.c
  config/advice_fleet.c
  config/c_locale.c
  config/call_tree.c
  config/duration.c
  config/faults.c
  config/json_path.c
  config/json_raw.c
  config/json_scan.c
  config/json_text.c
  config/load.c
  config/message_fault.c
  config/message_field.c
  config/message_json.c
  config/message_number.c
  config/message_value.c
  config/native_channel.c
  config/native_keys.c
  config/native_names.c
  config/native_retry.c
  config/native_value.c
  config/policy.c
  config/policy_defaults.c
  config/policy_resolve.c
  config/policy_rules.c
  config/policy_validate.c
  config/policy_values.c
  config/service_config.c
  config/text.c
)

set(RG_HOST_SOURCES
  host/attempt_counts.c
  host/baggage.c
  host/breaker_report.c
  host/breaker_series.c
  host/breakers.c
  host/call.c
  host/call_breaker.c
  host/check.c
  host/clock.c
  host/config_warnings.c
  host/delays.c
  host/entropy.c
  host/events.c
  host/hop.c
  host/hop_set.c
  host/mark.c
  host/process.c
  host/public.c
  host/retry_info.c
  host/stats.c
  host/target.c
  host/target_events.c
  host/trace.c
)

set(RG_GRPC_SOURCES
  grpc/attempt_filter.cc
  grpc/attempt_timer.cc
  grpc/call_filter.cc
  grpc/channel_policy.cc
  grpc/compat.cc
  grpc/event_delivery.cc
  grpc/hop_api.cc
  grpc/mark_metadata.cc
  grpc/register.cc
  grpc/server_filter.cc
  grpc/service_config.cc
  grpc/time.cc
  grpc/trace.cc
)

# A library of its own, which holds nothing of the others.
set(RG_PRELOAD_SOURCES
  preload/config_file.c
  preload/grpc_library.c
  preload/guard.c
  preload/library.c
  preload/notice.c
  preload/settings.c
)

# Its entry, which no test links.
set(RG_PRELOAD_LIBRARY_SOURCES
  preload/preload.c
)

# In the library.
set(RG_METRICS_SOURCES
  metrics/families.c
  metrics/page.c
  metrics/snapshot.c
  metrics/text.c
)

# A library of their own.
set(RG_METRICS_ENDPOINT_SOURCES
  metrics/accept.c
  metrics/endpoint.c
  metrics/guests.c
  metrics/listen.c
)

# A fleet in virtual time; in the command only.
set(RG_SIM_SOURCES
  sim/agenda.c
  sim/caller.c
  sim/connection.c
  sim/dice.c
  sim/fleet.c
  sim/incident.c
  sim/loop.c
  sim/native.c
  sim/picture.c
  sim/pool.c
  sim/record.c
  sim/result.c
  sim/review.c
  sim/scenario.c
  sim/scenario_build.c
  sim/scenario_rules.c
  sim/server.c
)

set(RG_CLI_SOURCES
  cli/base64.c
  cli/check.c
  cli/checked.c
  cli/checked_json.c
  cli/checked_text.c
  cli/drawing.c
  cli/explain.c
  cli/explanation.c
  cli/exposition.c
  cli/fault_text.c
  cli/figures.c
  cli/file.c
  cli/glyph.c
  cli/init.c
  cli/json_output.c
  cli/mark.c
  cli/methods.c
  cli/nearest.c
  cli/paper.c
  cli/policy.c
  cli/preloaded.c
  cli/results_json.c
  cli/retry_config.c
  cli/run.c
  cli/scenarios.c
  cli/scrape.c
  cli/screen.c
  cli/simulate.c
  cli/simulation.c
  cli/simulation_text.c
  cli/table.c
  cli/top.c
  cli/top_page.c
  cli/verb.c
)

# The command itself, which no test links.
set(RG_CLI_PROGRAM_SOURCES
  cli/main.c
)

# Rooted at proto/.
set(RG_PROTOS
  retry_guard/v1/descriptor_set.proto
  retry_guard/v1/layer_mark.proto
  retry_guard/v1/policy.proto
  retry_guard/v1/retry_info.proto
)

# The same, of the command only.
set(RG_SIM_PROTOS
  retry_guard/v1/scenario.proto
)
