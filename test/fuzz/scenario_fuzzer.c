/* SPDX-License-Identifier: Apache-2.0 */

/* sim/scenario.h: any text is a scenario, or has errors that can be read; and
 * the fleet of a small one runs, without a call that ends before it begins. */
#include "sim/scenario.h"

#include "fuzz/fuzz.h"
#include "fuzz/text.h"
#include "sim/fleet.h"

/* Larger ones take longer than a fuzzer should. */
#define LONGEST_NS (20 * UINT64_C(1000000000))
#define MOST_CLIENTS 20
#define MOST_CALLS_PER_S 200
#define MOST_ATTEMPTS 10
#define SHORTEST_NS UINT64_C(100000000)

static void check_errors(const struct rg_faults *errors) {
  RG_FUZZ_CHECK(errors->count > 0 || errors->unlisted > 0);
  for (size_t i = 0; i < errors->count; i++)
    rg_fuzz_check_text(errors->items[i].message);
}

static bool is_small(const struct rg_scenario *scenario) {
  for (size_t i = 0; i < scenario->load_count; i++) {
    const struct rg_load_spec *load = &scenario->loads[i];
    if (load->clients > MOST_CLIENTS || load->calls_per_s > MOST_CALLS_PER_S)
      return false;
    if (load->arrival == RG_ARRIVAL_INTERVAL && load->interval_ns < SHORTEST_NS)
      return false;
  }
  for (size_t i = 0; i < scenario->tier_count; i++)
    if (scenario->tiers[i].instances > MOST_CLIENTS ||
        scenario->tiers[i].call_count > 2)
      return false;
  for (size_t i = 0; i < scenario->variant_count; i++)
    if (scenario->variants[i].has_loop &&
        scenario->variants[i].loop.attempts > MOST_ATTEMPTS)
      return false;
  return scenario->duration_ns <= LONGEST_NS && scenario->load_count <= 4 &&
         scenario->tier_count <= 4 && scenario->incident_count <= 8;
}

/* No call ends that has not begun. */
static void check_record(const struct rg_record *record) {
  uint64_t under_way = 0;
  for (size_t i = 0; i < record->count; i++) {
    const struct rg_slice *slice = &record->slices[i];
    under_way += slice->calls;
    RG_FUZZ_CHECK(slice->ok + slice->failed <= under_way);
    under_way -= slice->ok + slice->failed;
  }
}

static void run(const struct rg_scenario *scenario) {
  struct rg_run result;
  if (rg_run_do(&result, scenario, 0, 1, NULL, NULL))
    check_record(&result.record);
  rg_run_clean_up(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct rg_report report;
  rg_report_init(&report);
  struct rg_scenario *scenario =
      rg_scenario_read((const char *)data, size, &report);
  if (scenario == NULL)
    check_errors(&report.errors);
  else if (is_small(scenario))
    run(scenario);
  rg_scenario_destroy(scenario);
  rg_report_clean_up(&report);
  return 0;
}
