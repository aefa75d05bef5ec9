// SPDX-License-Identifier: Apache-2.0

// Scenarios for the tests of game-days.
#ifndef RG_TEST_GAMEDAY_A_SCENARIO_H
#define RG_TEST_GAMEDAY_A_SCENARIO_H

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "sim/scenario.h"

namespace rg_test {

constexpr uint64_t kMs = UINT64_C(1000000);
constexpr uint64_t kSecond = UINT64_C(1000000000);

using ScenarioPtr =
    std::unique_ptr<rg_scenario, decltype(&rg_scenario_destroy)>;

// Three servers with four workers each and a place to wait for each worker, 30
// clients that make 60 calls a second, and what happens to the servers. Work
// takes a millisecond.
inline ScenarioPtr AScenario(
    const std::string &incidents,
    const std::string &load = R"("callsPerSecond":60)") {
  std::string json = R"({"duration":"600s","tiers":[{"name":"shop",
      "instances":3,"workers":4,"queue":4,"serviceTime":"0.001s",
      "distribution":"CONSTANT"}],
      "loads":[{"clients":30,)" +
                     load + R"(}],"incidents":[)" + incidents +
                     R"(],"variants":[{"name":"plain"}]})";
  rg_report report;
  rg_report_init(&report);
  ScenarioPtr scenario(rg_scenario_read(json.data(), json.size(), &report),
                       rg_scenario_destroy);
  EXPECT_NE(scenario, nullptr)
      << (report.errors.count > 0 ? report.errors.items[0].message : "");
  rg_report_clean_up(&report);
  return scenario;
}

}  // namespace rg_test

#endif
