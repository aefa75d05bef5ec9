/* SPDX-License-Identifier: Apache-2.0 */
#include "host/process.h"

#include <stdlib.h>
#include <string.h>

struct rg_process_counters rg_process_counters;

RG_ATOMIC(bool) rg_process_uses_baggage;
RG_ATOMIC(uint32_t) rg_process_max_hops = RG_DEFAULT_MAX_HOPS;

void rg_process_note_layer(const struct rg_layer_policy *layer) {
  if (layer->baggage) atomic_store(&rg_process_uses_baggage, true);
  uint32_t before = atomic_load(&rg_process_max_hops);
  while (layer->max_hops > before &&
         !atomic_compare_exchange_weak(&rg_process_max_hops, &before,
                                       layer->max_hops)) {
  }
}

static struct rg_process_settings process = {.accept_marks = true};

const struct rg_process_settings *rg_process_current(void) { return &process; }

void retry_guard_options_init(retry_guard_options *options) {
  *options =
      (retry_guard_options){.size = sizeof *options, .accept_marks = true};
}

retry_guard_status rg_process_configure(const retry_guard_options *options) {
  retry_guard_options defaults;
  retry_guard_options_init(&defaults);
  if (options == NULL) options = &defaults;
  if (options->size != sizeof *options) return RETRY_GUARD_INVALID_ARGUMENT;
  const char *name = options->layer_name != NULL ? options->layer_name : "";
  size_t name_length = strlen(name);
  if (name_length > RG_OWNER_MAX) return RETRY_GUARD_INVALID_ARGUMENT;
  if ((unsigned)options->mode > RETRY_GUARD_MODE_OFF)
    return RETRY_GUARD_INVALID_ARGUMENT;
  char *config = NULL;
  if (options->default_service_config != NULL) {
    config = strdup(options->default_service_config);
    if (config == NULL) return RETRY_GUARD_OUT_OF_MEMORY;
  }
  process.accept_marks = options->accept_marks;
  process.layer_name_length = (uint8_t)name_length;
  memcpy(process.layer_name, name, name_length);
  process.default_service_config = config;
  process.on_event = options->on_event;
  process.event_arg = options->event_arg;
  process.mode = options->mode;
  return RETRY_GUARD_OK;
}

static uint64_t read_counter(RG_ATOMIC(uint64_t) * counter) {
  return atomic_load_explicit(counter, memory_order_relaxed);
}

retry_guard_status retry_guard_process_stats_get(
    retry_guard_process_stats *stats) {
  if (stats == NULL || stats->size != sizeof *stats)
    return RETRY_GUARD_INVALID_ARGUMENT;
  stats->marks_accepted = read_counter(&rg_process_counters.marks_accepted);
  stats->marks_stripped = read_counter(&rg_process_counters.marks_stripped);
  stats->marks_rejected = read_counter(&rg_process_counters.marks_rejected);
  stats->foreign_retries = read_counter(&rg_process_counters.foreign_retries);
  stats->callers_stopped = read_counter(&rg_process_counters.callers_stopped);
  stats->fail_open = read_counter(&rg_process_counters.fail_open);
  return RETRY_GUARD_OK;
}
