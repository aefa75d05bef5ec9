// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario_build.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/read_scenario.h"
#include "sim/scenario_facts.h"

namespace rg_test {
namespace {

constexpr uint64_t kSecond = 1000000000;

// Every field, none of them at its default.
constexpr char kEverything[] = R"({
  "title": "all of it", "duration": "100s", "warmUp": "5s", "latency": "0.002s",
  "tiers": [
    { "name": "top", "instances": 2, "workers": 3, "queue": 4,
      "serviceTime": "0.005s", "distribution": "CONSTANT",
      "calls": [ "leaf", "middle", "leaf" ], "dropsAbandoned": true },
    { "name": "middle" }, { "name": "leaf", "instances": 9 } ],
  "loads": [
    { "clients": 7, "calls": "middle", "callsPerSecond": 0.5,
      "deadline": "3s" },
    { "interval": "2s" }, { "atOnce": true } ],
  "incidents": [
    { "kind": "SLOW", "tier": "top", "at": "10s", "lasts": "2s",
      "instances": 1, "factor": 1.5, "easing": true },
    { "kind": "ERRORS", "tier": "middle", "at": "12s", "share": 0.25 },
    { "kind": "CRASH" }, { "kind": "PAUSE" },
    { "kind": "ROLLING_RESTART", "at": "50s", "lasts": "3s" } ],
  "variants": [
    { "name": "none" },
    { "name": "loop", "loop": { "attempts": 0, "attemptTimeout": "0.5s",
      "initialPause": "0.1s", "multiplier": 2.5, "maxPause": "10s",
      "jitter": "EQUAL" } },
    { "name": "guard", "serviceConfig": { "retryGuard": {} } } ],
  "watch": "middle" })";

TEST(ScenarioBuild, PutsEveryFieldInItsPlace) {
  ReadScenario scenario(kEverything);
  ASSERT_EQ(scenario.errors(), Lines{});
  EXPECT_EQ(
      ScenarioFacts(*scenario.get()),
      "all of it duration 100000000000 warm-up 5000000000 latency 2000000 "
      "watch 1\n"
      "tier top instances 2 workers 3 queue 4 service 5000000 constant 1 "
      "drops 1 calls 2 1 2\n"
      "tier middle instances 1 workers 1 queue 4294967295 service 1000000 "
      "constant 0 drops 0 calls\n"
      "tier leaf instances 9 workers 1 queue 4294967295 service 1000000 "
      "constant 0 drops 0 calls\n"
      "load of 7 on 1 arrival 0 rate 0.5 interval 0 deadline 3000000000\n"
      "load of 1 on 0 arrival 1 rate 0 interval 2000000000 deadline "
      "18446744073709551615\n"
      "load of 1 on 0 arrival 2 rate 0 interval 0 deadline "
      "18446744073709551615\n"
      "incident 1 on 0 at 10000000000 lasts 2000000000 end 12000000000 "
      "instances 1 factor 1.5 easing 1 share 1\n"
      "incident 3 on 1 at 12000000000 lasts 1000000000 end 13000000000 "
      "instances 1 factor 2 easing 0 share 0.25\n"
      "incident 2 on 2 at 0 lasts 1000000000 end 1000000000 instances 9 "
      "factor 2 easing 0 share 1\n"
      "incident 0 on 2 at 0 lasts 1000000000 end 1000000000 instances 9 "
      "factor 2 easing 0 share 1\n"
      "incident 4 on 2 at 50000000000 lasts 3000000000 end 77000000000 "
      "instances 9 factor 2 easing 0 share 1\n"
      "variant none config 0\n"
      "variant loop config 0 loop of 4294967295 each 500000000 jitter 1 "
      "pauses 100 up to 10000 by 2500000\n"
      "variant guard config 1");
}

std::string Scenario(const std::string &rest,
                     const std::string &tiers = R"([ { "name": "a" } ])") {
  return R"({ "tiers": )" + tiers + R"(, "loads": [ { "atOnce": true } ],
    "variants": [ { "name": "v" } ])" +
         rest + "}";
}

TEST(ScenarioBuild, AnIncidentHitsNoMoreInstancesThanThereAre) {
  ReadScenario scenario(
      Scenario(R"(, "incidents": [ { "kind": "ROLLING_RESTART", "at": "10s",
                                     "instances": 5 } ])",
               R"([ { "name": "a", "instances": 2 } ])"));
  EXPECT_EQ(scenario->incidents[0].instances, 2u);
  EXPECT_EQ(scenario->incidents[0].end, 12 * kSecond);
}

TEST(ScenarioBuild, WatchesTheFirstIncidentsTierOrTheLast) {
  const std::string two = R"([ { "name": "a" }, { "name": "b" } ])";
  EXPECT_EQ(ReadScenario(Scenario("", two))->watch, 1u);
  EXPECT_EQ(ReadScenario(Scenario(R"(, "incidents": [
    { "kind": "PAUSE", "tier": "a" }, { "kind": "PAUSE" } ])",
                                  two))
                ->watch,
            0u);
}

TEST(ScenarioBuild, ADeadlineOfTheLongestTimeIsOne) {
  ReadScenario scenario(R"({ "tiers": [ { "name": "a" } ],
    "loads": [ { "interval": "0.001s", "deadline": "3600s" } ],
    "variants": [ { "name": "v" } ] })");
  EXPECT_EQ(scenario->loads[0].interval_ns, kSecond / 1000);
  EXPECT_EQ(scenario->loads[0].deadline_ns, 3600 * kSecond);
}

// ---- What does not go together ----

TEST(ScenarioBuild, TiersLoadsAndVariantsMustBeThere) {
  const Lines expected = {"tiers: must not be empty",
                          "loads: must not be empty",
                          "variants: must not be empty"};
  EXPECT_EQ(ReadScenario("{}").errors(), expected);
  EXPECT_EQ(
      ReadScenario(R"({ "tiers": [], "loads": [], "variants": [] })").errors(),
      expected);
}

TEST(ScenarioBuild, NamesMustBeGivenAndDiffer) {
  EXPECT_EQ(ReadScenario(R"({
    "tiers": [ { "name": "a" }, {}, { "name": "" }, { "name": "a" } ],
    "loads": [ { "atOnce": true } ],
    "variants": [ {}, { "name": "v" }, { "name": "v" } ] })")
                .errors(),
            (Lines{
                "tiers[1].name: must be given",
                "tiers[2].name: must be given",
                "tiers[2].name: must be a name that no tier has yet, got ",
                "tiers[3].name: must be a name that no tier has yet, got a",
                "variants[0].name: must be given",
                "variants[2].name: must be a name that no variant has yet, "
                "got v",
            }));
}

// So that no request comes round in a circle.
TEST(ScenarioBuild, TiersCallOnlyTiersFurtherDown) {
  EXPECT_EQ(ReadScenario(Scenario("", R"([
    { "name": "a", "calls": [ "b", "a", "c" ] },
    { "name": "b", "calls": [ "a" ] } ])"))
                .errors(),
            (Lines{
                "tiers[0].calls: must be tiers further down the list, got a",
                "tiers[0].calls: must be tiers further down the list, got c",
                "tiers[1].calls: must be tiers further down the list, got a",
            }));
}

TEST(ScenarioBuild, ATierThatIsNamedMustBeThere) {
  EXPECT_EQ(ReadScenario(R"({ "tiers": [ { "name": "a" } ],
    "loads": [ { "atOnce": true, "calls": "x" } ],
    "incidents": [ { "kind": "PAUSE", "tier": "y" } ],
    "variants": [ { "name": "v" } ], "watch": "z" })")
                .errors(),
            (Lines{
                "loads[0].calls: must be the name of a tier, got x",
                "incidents[0].tier: must be the name of a tier, got y",
                "watch: must be the name of a tier, got z",
            }));
}

TEST(ScenarioBuild, AnIncidentMustHaveAKind) {
  EXPECT_EQ(
      ReadScenario(Scenario(R"(, "incidents": [ { "at": "5s" } ])")).errors(),
      Lines{"incidents[0].kind: must be given"});
}

Lines ErrorsOfLoad(const std::string &load) {
  return ReadScenario(R"({ "tiers": [ { "name": "a" } ],
      "variants": [ { "name": "v" } ], "loads": [ )" +
                      load + "] }")
      .errors();
}

TEST(ScenarioBuild, ALoadMustSayWhenItCalls) {
  for (const char *load : {"{}", R"({ "atOnce": false })"})
    EXPECT_EQ(ErrorsOfLoad(load),
              Lines{"loads[0]: must say when they call: callsPerSecond, "
                    "interval, or atOnce true"});
  for (const char *rate : {"0", "-1"})
    EXPECT_EQ(ErrorsOfLoad(std::string(R"({ "callsPerSecond": )") + rate + "}"),
              Lines{std::string("loads[0].callsPerSecond: must be in "
                                "(0, 1000000], got ") +
                    rate});
}

}  // namespace
}  // namespace rg_test
