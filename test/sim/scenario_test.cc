// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/read_scenario.h"

namespace rg_test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::StartsWith;

constexpr uint64_t kSecond = 1000000000;

std::string WithVariants(const std::string &variants) {
  return R"({ "tiers": [ { "name": "a" } ], "loads": [ { "atOnce": true } ],
    "variants": [ )" +
         variants + "] }";
}

std::string WithConfig(const std::string &config) {
  return WithVariants(R"({ "name": "v", "serviceConfig": )" + config + "}");
}

// ---- Not a scenario at all ----

TEST(Scenario, MustBeJson) {
  for (const char *text : {"", "{", "{ \"tiers\": ] }", "title: x", "\xff"})
    EXPECT_EQ(ReadScenario(text).errors().size(), 1u) << text;
}

TEST(Scenario, MustBeAnObject) {
  for (const char *text : {"[]", "null", "7", "\"a\""}) {
    ReadScenario scenario(text);
    EXPECT_EQ(scenario.get(), nullptr);
    EXPECT_EQ(scenario.errors().size(), 1u) << text;
  }
}

TEST(Scenario, MayBeDestroyedWhenThereIsNone) { rg_scenario_destroy(nullptr); }

// ---- Faults ----

TEST(Scenario, TellsAllFaultsAtOnceWithTheirPlaces) {
  ReadScenario scenario(R"({
    "duration": "0.5s", "nonsense": 1,
    "tiers": [ { "name": "a" }, { "workers": 0 } ],
    "loads": [ { "calls": "x", "clients": "many" } ],
    "variants": [ { "name": "v", "loop": { "multiplier": 0.5 },
                    "serviceConfig": { "methodConfig": 1 } } ] })");
  EXPECT_EQ(scenario.get(), nullptr);
  EXPECT_THAT(
      scenario.errors(),
      ElementsAre(StartsWith("nonsense: "), StartsWith("loads[0].clients: "),
                  StartsWith("duration: "), StartsWith("tiers[1].workers: "),
                  StartsWith("variants[0].loop.multiplier: "),
                  StartsWith("tiers[1].name: "), StartsWith("loads[0]: "),
                  StartsWith("loads[0].calls: "),
                  StartsWith("variants[0].serviceConfig.methodConfig: ")));
}

TEST(Scenario, VariantsThatAreNoListOfObjectsAreAFaultAndNoMore) {
  for (const char *variants : {"7", "{}", "[7]", "[[]]", "\"v\""}) {
    const Lines errors =
        ReadScenario(std::string(R"({ "tiers": [ { "name": "a" } ],
          "loads": [ { "atOnce": true } ], "variants": )") +
                     variants + "}")
            .errors();
    EXPECT_FALSE(errors.empty()) << variants;
    EXPECT_THAT(errors, Each(StartsWith("variants"))) << variants;
  }
}

// ---- Service configs ----

TEST(Scenario, AVariantMayHaveNoServiceConfig) {
  EXPECT_EQ(
      ReadScenario(WithVariants(R"({ "name": "v" })"))->variants[0].config,
      nullptr);
  EXPECT_EQ(ReadScenario(WithConfig("null"))->variants[0].config, nullptr);
}

TEST(Scenario, EachVariantGetsItsOwnServiceConfig) {
  ReadScenario scenario(WithVariants(R"(
    { "name": "throttled",
      "serviceConfig": { "retryThrottling": { "maxTokens": 10,
                                              "tokenRatio": 0.1 } } },
    { "name": "plain" },
    { "name": "timed",
      "serviceConfig": { "methodConfig": [ { "name": [ { "service": "a" } ],
                                             "timeout": "2s" } ] } } )"));
  ASSERT_EQ(scenario.errors(), Lines{});
  ASSERT_EQ(scenario->variant_count, 3u);
  EXPECT_TRUE(scenario->variants[0].config->has_throttling);
  EXPECT_EQ(scenario->variants[1].config, nullptr);
  EXPECT_EQ(scenario->variants[2].config->count, 1u);
}

TEST(Scenario, AFaultInAServiceConfigIsToldWithThePathToIt) {
  EXPECT_THAT(
      ReadScenario(WithVariants(R"({ "name": "v" }, { "name": "w",
        "serviceConfig": { "methodConfig": [ {
          "name": [ { "service": "a" } ],
          "retryPolicy": { "maxAttempts": 1 } } ] } } )"))
          .errors(),
      testing::Contains(StartsWith("variants[1].serviceConfig.methodConfig[0]."
                                   "retryPolicy.maxAttempts: ")));
}

TEST(Scenario, AServiceConfigThatIsNoObjectIsAFault) {
  for (const char *config : {"7", "[]", "\"{}\"", "true"}) {
    ReadScenario scenario(WithConfig(config));
    EXPECT_EQ(scenario.get(), nullptr) << config;
    EXPECT_THAT(scenario.errors(),
                ElementsAre(StartsWith("variants[0].serviceConfig")))
        << config;
  }
}

TEST(Scenario, WarningsOfAServiceConfigComeWithThePathToIt) {
  ReadScenario scenario(WithConfig(R"({ "retry_throttling": 1 })"));
  ASSERT_NE(scenario.get(), nullptr);
  EXPECT_THAT(scenario.warnings(),
              ElementsAre(StartsWith("variants[0].serviceConfig")));
}

// gRPC reads no more than three digits of a tokenRatio, and cuts off the rest:
// 0.29999999999999999 is 0.299.
TEST(Scenario, NumbersOfAServiceConfigAreReadAsTheyAreWritten) {
  for (int milli = 1; milli < 1000; milli++) {
    const std::string digits = std::to_string(1000 + milli).substr(1);
    ReadScenario scenario(WithConfig(
        R"({ "retryThrottling": { "maxTokens": 10, "tokenRatio": 0.)" + digits +
        "} }"));
    ASSERT_EQ(scenario.errors(), Lines{});
    EXPECT_EQ(scenario->variants[0].config->throttling.ratio_milli,
              static_cast<uint64_t>(milli));
  }
}

// ---- Trouble ----

std::string WithIncidents(const std::string &incidents) {
  return R"({ "tiers": [ { "name": "a", "instances": 3 } ],
    "loads": [ { "atOnce": true } ], "variants": [ { "name": "v" } ],
    "incidents": [ )" +
         incidents + "] }";
}

TEST(Scenario, TroubleIsFromTheFirstBeginToTheLastEnd) {
  ReadScenario scenario(WithIncidents(R"(
    { "kind": "PAUSE", "at": "60s", "lasts": "2s" },
    { "kind": "ROLLING_RESTART", "at": "55s", "lasts": "4s" },
    { "kind": "ERRORS", "at": "58s" } )"));
  uint64_t begin, end;
  EXPECT_TRUE(rg_scenario_trouble(scenario.get(), &begin, &end));
  EXPECT_EQ(begin, 55 * kSecond);
  EXPECT_EQ(end, 67 * kSecond);
}

TEST(Scenario, WithoutIncidentsThereIsNoTrouble) {
  ReadScenario scenario(WithIncidents(""));
  uint64_t begin, end;
  EXPECT_FALSE(rg_scenario_trouble(scenario.get(), &begin, &end));
}

}  // namespace
}  // namespace rg_test
