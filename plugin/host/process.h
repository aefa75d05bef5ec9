/* SPDX-License-Identifier: Apache-2.0 */

/* What holds for the whole process: the options of the registration, and the
 * counters that belong to no target.
 *
 * Threads: options are set once, before gRPC is used; counters are safe. */
#ifndef RG_HOST_PROCESS_H
#define RG_HOST_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"
#include "core/layer.h"
#include "retry_guard/retry_guard.h"

RG_C_BEGIN

struct rg_process_settings {
  bool accept_marks;
  uint8_t layer_name_length;
  char layer_name[RG_OWNER_MAX];
  char *default_service_config;         /* or NULL */
  retry_guard_event_callback *on_event; /* or NULL */
  void *event_arg;
  retry_guard_mode mode;
};

struct rg_process_counters {
  RG_ATOMIC(uint64_t) marks_accepted;
  RG_ATOMIC(uint64_t) marks_stripped;
  RG_ATOMIC(uint64_t) marks_rejected;
  RG_ATOMIC(uint64_t) foreign_retries;
  RG_ATOMIC(uint64_t) callers_stopped;
  RG_ATOMIC(uint64_t) fail_open;
};

extern struct rg_process_counters rg_process_counters;

/* What incoming calls are read by. They belong to no channel, so the most
 * generous policy so far counts: whether marks are looked for in baggage too,
 * and after how many hops a mark ends. */
extern RG_ATOMIC(bool) rg_process_uses_baggage;
extern RG_ATOMIC(uint32_t) rg_process_max_hops;

/* Notes a policy that is being used. */
void rg_process_note_layer(const struct rg_layer_policy *layer);

/* Checks and copies `options` (NULL: the defaults). Returns OK,
 * INVALID_ARGUMENT or OUT_OF_MEMORY; only OK changes anything. */
retry_guard_status rg_process_configure(const retry_guard_options *options);

const struct rg_process_settings *rg_process_current(void);

RG_C_END

#endif
