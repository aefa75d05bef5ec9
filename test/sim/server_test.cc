// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "sim/fleet_run.h"

namespace rg_test {
namespace {

constexpr double kOneWay = 0.0005;  // the default latency

std::string Tier(const std::string &more) {
  return R"({ "name": "a", "distribution": "CONSTANT", )" + more + " }";
}

std::string AtOnce(int clients, const std::string &more = "") {
  return "{ \"atOnce\": true, \"clients\": " + std::to_string(clients) + more +
         " }";
}

TEST(Server, AnswersAfterTheWorkAndBothWays) {
  FleetRun run({Tier(R"("serviceTime": "0.25s")"), AtOnce(1)});
  EXPECT_NEAR(run.End(), 0.25 + 2 * kOneWay, 1e-8);
  EXPECT_EQ(run.Ok(), 1u);
  EXPECT_EQ(run.Arrivals(), 1u);
}

TEST(Server, WorksOnAsManyAsItHasWorkers) {
  FleetRun run({Tier(R"("serviceTime": "1s", "workers": 4)"), AtOnce(12)});
  EXPECT_EQ(run.Ok(1, 1.1), 4u);
  EXPECT_EQ(run.Ok(2, 2.1), 4u);
  EXPECT_EQ(run.Ok(3, 3.1), 4u);
  EXPECT_EQ(run.Sum(&rg_slice::queue, 0, 0.1), 8u);
  EXPECT_EQ(run.Sum(&rg_slice::queue, 1.1, 1.2), 4u);
  EXPECT_EQ(run.Sum(&rg_slice::queue, 2.1, 3), 0u);
}

// Each gets 1000, give or take 30; what is above that, 12 each in the mean,
// finds no place.
TEST(Server, RequestsAreSpreadEvenlyOverInstances) {
  FleetRun run({Tier(R"("serviceTime": "1s", "workers": 1000, "queue": 0,
                        "instances": 10)"),
                AtOnce(10000)});
  EXPECT_GT(run.Failed(), 0u);
  EXPECT_LT(run.Failed(), 400u);
}

TEST(Server, RefusesWhatFindsNoPlaceInItsQueue) {
  FleetRun run({Tier(R"("serviceTime": "1s", "queue": 2)"), AtOnce(10)});
  EXPECT_EQ(run.Failed(0, 0.1), 7u);
  EXPECT_EQ(run.Ok(), 3u);
  EXPECT_EQ(run.Arrivals(), 10u);
}

TEST(Server, RefusesAllThatWouldHaveToWaitWithoutAQueue) {
  FleetRun run({Tier(R"("serviceTime": "1s", "queue": 0)"), AtOnce(10)});
  EXPECT_EQ(run.Failed(0, 0.1), 9u);
  EXPECT_EQ(run.Ok(), 1u);
}

TEST(Server, RefusesWithResourceExhausted) {
  for (bool retried : {true, false}) {
    FleetRun run(
        {Tier(R"("serviceTime": "0.1s", "queue": 0)"), AtOnce(2), "",
         Retrying(2, "",
                  retried ? "\"RESOURCE_EXHAUSTED\"" : "\"UNAVAILABLE\"")});
    EXPECT_EQ(run.Ok(), retried ? 2u : 1u);
  }
}

// ---- Callers that have given up ----

// All five are given up at 1.5 s; the second is being worked on.
TEST(Server, WorksForCallersThatHaveGivenUp) {
  FleetRun run(
      {Tier(R"("serviceTime": "1s")"), AtOnce(5, R"(, "deadline": "1.5s")")});
  EXPECT_EQ(run.Ok(), 1u);
  EXPECT_EQ(run.Failed(1.5, 1.6), 4u);
  EXPECT_EQ(run.Sum(&rg_slice::queue, 2.1, 2.2), 2u);
  EXPECT_EQ(run.Sum(&rg_slice::queue, 3.1, 3.2), 1u);
}

TEST(Server, MayDropThemWhenTheirTurnComes) {
  FleetRun run({Tier(R"("serviceTime": "1s", "dropsAbandoned": true)"),
                AtOnce(5, R"(, "deadline": "1.5s")")});
  EXPECT_EQ(run.Ok(), 1u);
  EXPECT_EQ(run.Failed(1.5, 1.6), 4u);
  EXPECT_EQ(run.Sum(&rg_slice::queue, 1.5, 2), 5 * 3u);  // not before
  EXPECT_EQ(run.Sum(&rg_slice::queue, 2.1, 3), 0u);
}

// ---- Calls of its own ----

constexpr char kLeaf[] =
    R"(, { "name": "b", "distribution": "CONSTANT", "serviceTime": "0.2s" })";

TEST(Server, CallsOneTierAfterTheOther) {
  FleetRun run({Tier(R"("serviceTime": "0.1s", "calls": [ "b", "c", "b" ])") +
                    kLeaf +
                    R"(, { "name": "c", "distribution": "CONSTANT",
                  "serviceTime": "1s" })",
                AtOnce(1), "", "", R"("watch": "b")"});
  EXPECT_NEAR(run.End(), 0.1 + 0.2 + 1 + 0.2 + 8 * kOneWay, 1e-8);
  EXPECT_EQ(run.Arrivals(), 2u);
  EXPECT_EQ(run.Arrivals(1.3, 1.4), 1u);
}

TEST(Server, WorkersWaitForWhatTheyCall) {
  FleetRun run({Tier(R"("serviceTime": "0.1s", "calls": [ "b" ])") + kLeaf,
                AtOnce(2), "", "", R"("watch": "a")"});
  EXPECT_NEAR(run.End(), 2 * (0.1 + 0.2 + 2 * kOneWay) + 2 * kOneWay, 1e-8);
}

TEST(Server, FailsAsWhatItCalls) {
  for (bool retried : {true, false}) {
    FleetRun run({Tier(R"("calls": [ "b", "b" ])") +
                      R"(, { "name": "b", "queue": 0,
                             "distribution": "CONSTANT",
                             "serviceTime": "1s" })",
                  R"({ "atOnce": true }, { "atOnce": true, "calls": "b" })", "",
                  R"("serviceConfig": { "methodConfig": [ {
                       "name": [ { "service": "a" } ], "retryPolicy": {
                         "maxAttempts": 2, "initialBackoff": "2s",
                         "maxBackoff": "2s", "backoffMultiplier": 1,
                         "retryableStatusCodes": [ )" +
                      std::string(retried ? "\"RESOURCE_EXHAUSTED\""
                                          : "\"UNAVAILABLE\"") +
                      "] } } ] }"});
    // The other call holds the only worker for the first second. What fails
    // does not call a second time.
    EXPECT_EQ(run.Ok(), retried ? 2u : 1u);
    EXPECT_EQ(run.Arrivals(), retried ? 4u : 2u);
  }
}

// The caller of a has 0.5 s, and so has a for what it calls.
TEST(Server, GivesUpWhatItCallsWhenItsCallerGivesUp) {
  FleetRun run({Tier(R"("serviceTime": "0.1s", "calls": [ "b", "b", "b" ])") +
                    R"(, { "name": "b", "distribution": "CONSTANT",
                           "serviceTime": "0.3s" })",
                AtOnce(1, R"(, "deadline": "0.5s")"), "", "",
                R"("watch": "b", "duration": "5s")"});
  EXPECT_EQ(run.Failed(0.5, 0.6), 1u);
  EXPECT_EQ(run.Arrivals(), 2u);  // the second of three was under way
}

TEST(Server, IsFreeForOthersOnceItsCallerHasGivenUp) {
  FleetRun run({Tier(R"("serviceTime": "0s", "calls": [ "b" ])") +
                    R"(, { "name": "b", "distribution": "CONSTANT",
                  "serviceTime": "3s", "workers": 2 })",
                AtOnce(1, R"(, "deadline": "0.5s")") + "," + AtOnce(1)});
  EXPECT_EQ(run.Ok(), 1u);
  EXPECT_LE(run.End(), 3.51);
}

}  // namespace
}  // namespace rg_test
