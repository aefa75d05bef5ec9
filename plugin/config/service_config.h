/* SPDX-License-Identifier: Apache-2.0 */

/* A whole service config, native parts and `retryGuard` blocks, as gRPC 1.51
 * with the plugin takes it. An error is what the channel refuses; a warning is
 * what it takes without doing what it seems to say.
 *
 * Threads: one owner while it is read; then immutable. */
#ifndef RG_CONFIG_SERVICE_CONFIG_H
#define RG_CONFIG_SERVICE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/json_raw.h"
#include "config/native_names.h"
#include "config/native_retry.h"
#include "config/policy.h"
#include "config/report.h"
#include "core/cxx.h"

RG_C_BEGIN

/* A methodConfig entry, as far as it could be read. */
struct rg_method_config {
  bool has_retry;
  struct rg_retry_policy retry;
  bool has_timeout;
  uint64_t timeout_ms;
  struct rg_policy_block *block; /* its `retryGuard`; NULL: none */
};

struct rg_service_config {
  struct rg_json_raw raw;
  struct rg_policy_block *block; /* the channel's `retryGuard`; NULL: none */
  bool has_throttling;
  struct rg_throttling throttling;
  struct rg_method_config *methods; /* the methodConfig entries */
  size_t count;
  struct rg_native_names names;
};

/* Reads `length` bytes of `json`, which outlives the result. All errors are
 * found at once, and what each part alone deserves to be warned of; advice.h
 * has the warnings about how parts go together. The result is NULL when there
 * was nothing to read; with errors it holds what could be read. The locale does
 * not matter. */
struct rg_service_config *rg_service_config_read(const char *json,
                                                 size_t length,
                                                 struct rg_report *report);

/* NULL is ignored. */
void rg_service_config_destroy(struct rg_service_config *config);

/* The entry that gRPC takes for `method` of `service` ("package.Service"), or
 * RG_NATIVE_NO_ENTRY. */
size_t rg_service_config_find(const struct rg_service_config *config,
                              const char *service, const char *method);

/* Whether the guard acts on the methods of an entry, or on any. */
bool rg_service_config_guards(const struct rg_service_config *config,
                              const struct rg_method_config *method);
bool rg_service_config_is_guarded(const struct rg_service_config *config);

/* The effective policy of an entry's methods; NULL: of those without one. */
void rg_service_config_policy(const struct rg_service_config *config,
                              const struct rg_method_config *method,
                              struct rg_policy *policy);

RG_C_END

#endif
