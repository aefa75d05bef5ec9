/* SPDX-License-Identifier: Apache-2.0 */

/* A scenario file, read and held against what scenario.proto says; all defaults
 * are in. Times are nanoseconds from the begin.
 *
 * Threads: immutable once read. */
#ifndef RG_SIM_SCENARIO_H
#define RG_SIM_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/report.h"
#include "config/service_config.h"
#include "core/cxx.h"
#include "retry_guard/v1/scenario.pb-c.h"

RG_C_BEGIN

#define RG_NO_LIMIT UINT32_MAX
#define RG_NEVER UINT64_MAX

struct rg_tier_spec {
  const char *name;
  uint32_t instances;
  uint32_t workers;
  uint32_t queue; /* or RG_NO_LIMIT */
  uint64_t service_ns;
  bool is_constant;
  bool drops_abandoned;
  size_t *calls; /* tiers further down the list */
  size_t call_count;
};

enum rg_arrival { RG_ARRIVAL_RATE, RG_ARRIVAL_INTERVAL, RG_ARRIVAL_AT_ONCE };

struct rg_load_spec {
  uint32_t clients;
  size_t tier;
  enum rg_arrival arrival;
  double calls_per_s;
  uint64_t interval_ns;
  uint64_t deadline_ns; /* or RG_NEVER */
};

enum rg_incident_kind {
  RG_INCIDENT_PAUSE,
  RG_INCIDENT_SLOW,
  RG_INCIDENT_CRASH,
  RG_INCIDENT_ERRORS,
  RG_INCIDENT_ROLLING_RESTART,
};

struct rg_incident_spec {
  enum rg_incident_kind kind;
  size_t tier;
  uint64_t at;
  uint64_t lasts_ns; /* of one instance, with a rolling restart */
  uint64_t end;
  uint32_t instances;
  double factor;
  bool easing;
  double share;
};

enum rg_loop_jitter {
  RG_LOOP_JITTER_NONE,
  RG_LOOP_JITTER_EQUAL,
  RG_LOOP_JITTER_FULL,
};

struct rg_loop_spec {
  uint32_t attempts;   /* or RG_NO_LIMIT */
  uint64_t attempt_ns; /* or RG_NEVER */
  enum rg_loop_jitter jitter;
  struct rg_retry_policy pauses; /* initial, max and multiplier of them */
};

/* A way to call. */
struct rg_variant_spec {
  const char *name;
  bool has_loop;
  struct rg_loop_spec loop;
  struct rg_service_config *config; /* NULL: none */
};

struct rg_scenario {
  RetryGuard__V1__Scenario *message; /* holds the texts */
  char **configs;                    /* the texts of the service configs */
  const char *title;
  uint64_t duration_ns;
  uint64_t warm_up_ns;
  uint64_t latency_ns;
  struct rg_tier_spec *tiers;
  size_t tier_count;
  struct rg_load_spec *loads;
  size_t load_count;
  struct rg_incident_spec *incidents;
  size_t incident_count;
  struct rg_variant_spec *variants;
  size_t variant_count;
  size_t watch; /* a tier */
  /* The method that all calls are of; NULL: that of the tier's name. */
  const char *service;
  const char *method;
};

/* Reads `length` bytes of `json`. NULL, with at least one error in `report`,
 * when it cannot be used; all errors are found at once. Warnings are those of
 * the service configs. */
struct rg_scenario *rg_scenario_read(const char *json, size_t length,
                                     struct rg_report *report);

/* NULL is ignored. */
void rg_scenario_destroy(struct rg_scenario *scenario);

/* A service config that is tried on a scenario; all outlive it. */
struct rg_tried_policy {
  const char *name;
  const char *json;
  size_t length;
};

/* Puts `policies` in place of the scenario's variants. False, with an error in
 * `report`, when gRPC would refuse one, none of its methods is called and
 * has a retryPolicy or a guard, or memory is out. */
bool rg_scenario_try(struct rg_scenario *scenario,
                     const struct rg_tried_policy *policies, size_t count,
                     struct rg_report *report);

/* The number of the variant called `name`; false: there is none. */
bool rg_scenario_find_variant(const struct rg_scenario *scenario,
                              const char *name, size_t *number);

/* The methodConfig entry for calls to `tier`; NULL: there is none. */
const struct rg_method_config *rg_scenario_method(
    const struct rg_scenario *scenario, const struct rg_variant_spec *variant,
    size_t tier);

/* From when on and until when something happens to the fleet; false: nothing
 * does. */
bool rg_scenario_trouble(const struct rg_scenario *scenario, uint64_t *begin,
                         uint64_t *end);

RG_C_END

#endif
