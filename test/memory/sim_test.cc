// SPDX-License-Identifier: Apache-2.0

// The simulator, with each allocation failing in turn.
#include <gtest/gtest.h>

#include <cstring>

#include "memory/each_failure.h"
#include "sim/fleet.h"
#include "sim/scenario.h"

namespace rg_test {
namespace {

constexpr ScarceHeap::Of kUs = ScarceHeap::Of::kThisThread;

constexpr char kGood[] = R"({
  "title": "t", "duration": "2s", "warmUp": "0s", "watch": "leaf",
  "tiers": [ { "name": "top", "calls": [ "leaf" ], "workers": 9 },
             { "name": "leaf", "instances": 2, "workers": 9 } ],
  "loads": [ { "clients": 3, "callsPerSecond": 50, "deadline": "1s" } ],
  "incidents": [ { "kind": "CRASH", "at": "1s", "lasts": "0.5s" } ],
  "variants": [
    { "name": "loop", "loop": { "attempts": 2 } },
    { "name": "guard", "serviceConfig": { "retryGuard": {},
      "methodConfig": [ { "name": [ {} ], "retryPolicy": {
        "maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": [ "UNAVAILABLE" ] } } ] } } ] })";
constexpr char kBad[] = R"({
  "duration": "0s", "watch": "nobody",
  "tiers": [ { "name": "top", "calls": [ "top" ] }, { "name": "top" } ],
  "loads": [ { "calls": "nobody" } ], "incidents": [ {} ],
  "variants": [ { "name": "a", "serviceConfig": { "methodConfig": 1 } },
                { "name": "a", "serviceConfig": [] } ] })";

struct Report {
  bool read;
  size_t configs, errors;
  bool lost;
};

Report ReportOn(const char *json) {
  rg_report report;
  rg_report_init(&report);
  rg_scenario *scenario = rg_scenario_read(json, std::strlen(json), &report);
  Report result = {scenario != nullptr, 0, rg_faults_total(&report.errors),
                   report.errors.out_of_memory};
  for (size_t i = 0; scenario != nullptr && i < scenario->variant_count; i++)
    if (scenario->variants[i].config != nullptr) result.configs++;
  rg_scenario_destroy(scenario);
  rg_report_clean_up(&report);
  return result;
}

TEST(ScarceMemory, AScenarioIsReadRightOrSaysThatItWasNot) {
  for (const char *json : {kGood, kBad}) {
    const Report whole = ReportOn(json);
    EXPECT_EQ(whole.read, json == kGood);
    uint64_t count = EachFailure(
        kUs, [json] { return ReportOn(json); },
        [&whole](const Report &report, bool failed) {
          bool same = report.read == whole.read &&
                      report.configs == whole.configs &&
                      report.errors == whole.errors && !report.lost;
          EXPECT_TRUE(same || (failed && !report.read &&
                               (report.lost || report.errors > 0)));
        });
    EXPECT_GT(count, 100u);
  }
}

TEST(ScarceMemory, AFleetRunsToTheEndOrSaysThatItDidNot) {
  rg_report report;
  rg_report_init(&report);
  rg_scenario *scenario = rg_scenario_read(kGood, std::strlen(kGood), &report);
  ASSERT_NE(scenario, nullptr);
  struct Result {
    bool finished;
    uint64_t appointments;
  };
  for (size_t variant = 0; variant < scenario->variant_count; variant++) {
    auto run = [scenario, variant] {
      rg_run got;
      Result result = {};
      result.finished = rg_run_do(&got, scenario, variant, 1, nullptr, nullptr);
      result.appointments = got.appointments;
      rg_run_clean_up(&got);
      return result;
    };
    const Result whole = run();
    EXPECT_GT(whole.appointments, 500u);
    uint64_t count =
        EachFailure(kUs, run, [&whole](const Result &result, bool failed) {
          EXPECT_NE(result.finished, failed);
          if (result.finished) {
            EXPECT_EQ(result.appointments, whole.appointments);
          }
        });
    EXPECT_GT(count, 10u);
  }
  rg_scenario_destroy(scenario);
  rg_report_clean_up(&report);
}

}  // namespace
}  // namespace rg_test
