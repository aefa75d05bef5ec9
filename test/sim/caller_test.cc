// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/fleet_run.h"

namespace rg_test {
namespace {

constexpr char kQuick[] =
    R"({ "name": "a", "workers": 1000, "serviceTime": "0.001s",
         "distribution": "CONSTANT" })";
// Longer than anybody waits.
constexpr char kStuck[] =
    R"({ "name": "a", "workers": 1000, "serviceTime": "500s",
         "distribution": "CONSTANT" })";
constexpr char kOnce[] = R"({ "atOnce": true })";
constexpr char kThousand[] = R"({ "atOnce": true, "clients": 1000 })";
constexpr char kAlwaysErrors[] = R"({ "kind": "ERRORS", "lasts": "600s" })";

std::string Loop(const std::string &loop) {
  return "\"loop\": { " + loop + " }";
}

// The slices in which attempts 1, 2, ... of the only call came.
std::vector<int> Slices(const FleetRun &run) {
  std::vector<int> slices;
  for (uint32_t i = 1; i < RG_RECORD_ATTEMPTS; i++)
    if (run.ArrivalsOf(i) > 0) slices.push_back(run.FirstSliceOf(i));
  return slices;
}

using Ints = std::vector<int>;

// How the arrivals of the second attempts of a thousand calls are spread, which
// begin at the latency and fail a millisecond later.
struct Spread {
  int first = -1, last = -1;
  uint64_t all = 0;
};

Spread SpreadOf(const FleetRun &run, uint32_t attempt) {
  Spread spread;
  for (size_t i = 0; i < run.record().count; i++) {
    const uint32_t count = run.record().slices[i].arrivals[attempt - 1];
    if (count == 0) continue;
    spread.last = static_cast<int>(i);
    if (spread.first < 0) spread.first = spread.last;
    spread.all += count;
  }
  return spread;
}

// ---- Loops of applications ----

TEST(Caller, CallsOnceWithoutALoop) {
  FleetRun run({kQuick, kOnce, kAlwaysErrors});
  EXPECT_EQ(run.Arrivals(), 1u);
  EXPECT_EQ(run.Failed(), 1u);
}

TEST(Caller, ALoopCallsAtOnceAndFiveTimesUnlessItSaysMore) {
  FleetRun run({kQuick, kOnce, kAlwaysErrors, Loop("")});
  EXPECT_EQ(Slices(run), (Ints{0, 0, 0, 0, 0}));
  EXPECT_EQ(run.Arrivals(), 5u);
  EXPECT_EQ(run.Failed(), 1u);
  EXPECT_EQ(run.totals().retries, 4u);
}

TEST(Caller, ALoopEndsWithTheFirstSuccess) {
  FleetRun run({kQuick, kOnce, R"({ "kind": "ERRORS", "lasts": "1s" })",
                Loop(R"("initialPause": "0.7s")")});
  EXPECT_EQ(run.Arrivals(), 3u);
  EXPECT_EQ(run.Ok(), 1u);
}

TEST(Caller, ALoopMayGoOnUntilItSucceeds) {
  FleetRun run({kQuick, kOnce, R"({ "kind": "ERRORS", "lasts": "300s" })",
                Loop(R"("attempts": 0, "initialPause": "0.1s")")});
  EXPECT_EQ(run.Ok(), 1u);
  EXPECT_GT(run.Arrivals(), 2800u);
  EXPECT_NEAR(run.End(), 300, 0.2);
}

TEST(Caller, ALoopRetriesWhateverFails) {
  FleetRun run({R"({ "name": "a", "queue": 0, "serviceTime": "1s",
                     "distribution": "CONSTANT" })",
                R"({ "atOnce": true, "clients": 2 })", "",
                Loop(R"("attempts": 2, "initialPause": "2s")")});
  EXPECT_EQ(run.Ok(), 2u);
}

TEST(Caller, ALoopsPauseGrowsUpToItsMaximum) {
  FleetRun run({kQuick, kOnce, kAlwaysErrors,
                Loop(R"("initialPause": "0.5s", "multiplier": 2,
                        "maxPause": "1.5s")")});
  EXPECT_EQ(Slices(run), (Ints{0, 5, 15, 30, 45}));
}

TEST(Caller, ALoopWithoutJitterCallsInStep) {
  FleetRun run(
      {kQuick, kThousand, kAlwaysErrors, Loop(R"("initialPause": "2s")")});
  EXPECT_EQ(SpreadOf(run, 2).first, 20);
  EXPECT_EQ(SpreadOf(run, 2).last, 20);
}

TEST(Caller, ALoopWithEqualJitterCallsFromHalfItsPauseOn) {
  FleetRun run({kQuick, kThousand, kAlwaysErrors,
                Loop(R"("initialPause": "2s", "jitter": "EQUAL")")});
  const Spread spread = SpreadOf(run, 2);
  EXPECT_EQ(spread.first, 10);
  EXPECT_NEAR(spread.last, 20, 1);
  EXPECT_EQ(spread.all, 1000u);
}

TEST(Caller, ALoopWithFullJitterCallsAnyTime) {
  FleetRun run({kQuick, kThousand, kAlwaysErrors,
                Loop(R"("initialPause": "2s", "jitter": "FULL")")});
  const Spread spread = SpreadOf(run, 2);
  EXPECT_EQ(spread.first, 0);
  EXPECT_NEAR(spread.last, 20, 1);
}

TEST(Caller, ALoopGivesUpEachCallAfterItsTime) {
  FleetRun run(
      {kStuck, kOnce, "", Loop(R"("attempts": 3, "attemptTimeout": "0.5s",
                        "initialPause": "0.2s")")});
  EXPECT_EQ(Slices(run), (Ints{0, 7, 14}));
  EXPECT_NEAR(run.End(), 3 * 0.5 + 2 * 0.2, 1e-8);
}

TEST(Caller, TheDeadlineIsForAllCallsOfALoop) {
  FleetRun run({kStuck, R"({ "atOnce": true, "deadline": "1.2s" })", "",
                Loop(R"("attemptTimeout": "0.5s")")});
  EXPECT_EQ(Slices(run), (Ints{0, 5, 10}));
  EXPECT_NEAR(run.End(), 1.2, 1e-8);
  EXPECT_EQ(run.Failed(), 1u);
}

TEST(Caller, NoCallBeginsOnceTheDeadlineHasPassed) {
  FleetRun run({kQuick, R"({ "atOnce": true, "deadline": "1s" })",
                kAlwaysErrors, Loop(R"("initialPause": "0.4s")")});
  EXPECT_EQ(Slices(run), (Ints{0, 4, 8}));
  EXPECT_LT(run.End(), 0.81);  // when it sees that it is too late for another
}

// ---- gRPC ----

TEST(Caller, GrpcRetriesAfterItsBackoff) {
  FleetRun run({kQuick, kThousand, kAlwaysErrors, Retrying(3)});
  EXPECT_EQ(SpreadOf(run, 2).first, 5);  // in step
  EXPECT_EQ(SpreadOf(run, 2).last, 5);
  EXPECT_EQ(SpreadOf(run, 3).first, 13);  // 0.5 s + 1 s, +-20 %
  EXPECT_EQ(SpreadOf(run, 3).last, 17);
  EXPECT_EQ(run.Arrivals(), 3000u);
  EXPECT_EQ(run.Failed(), 1000u);
}

TEST(Caller, GrpcsDeadlineIsForAllAttempts) {
  FleetRun run({kQuick, R"({ "atOnce": true, "deadline": "1.2s" })",
                kAlwaysErrors, Retrying(5)});
  EXPECT_EQ(run.Arrivals(), 2u);
  EXPECT_NEAR(run.End(), 1.2, 1e-8);
}

TEST(Caller, TheTimeoutOfTheServiceConfigIsADeadline) {
  FleetRun run({kStuck, kOnce, "",
                R"("serviceConfig": { "methodConfig": [ {
                     "name": [ { "service": "a" } ], "timeout": "0.7s" } ] })"});
  EXPECT_NEAR(run.End(), 0.7, 1e-8);
  EXPECT_EQ(run.Failed(), 1u);
}

TEST(Caller, ALoopMayGoAroundGrpcsRetries) {
  FleetRun run({kQuick, kOnce, kAlwaysErrors,
                Retrying(3) + "," + Loop(R"("attempts": 2)")});
  EXPECT_EQ(run.Arrivals(), 6u);
  EXPECT_EQ(run.totals().retries, 5u);
  EXPECT_EQ(run.ArrivalsOf(6), 1u);
}

constexpr char kThrottling[] =
    R"("retryThrottling": { "maxTokens": 10, "tokenRatio": 0.1 }, )";

// Two calls take 4 of the 10 tokens; the third has 5 left when it fails, which
// is not more than half.
TEST(Caller, GrpcsThrottlingStopsRetries) {
  FleetRun run({kQuick, R"({ "interval": "1s" })", kAlwaysErrors,
                Retrying(2, "", "\"UNAVAILABLE\"", kThrottling)});
  EXPECT_EQ(run.totals().retries, 2u);
  EXPECT_EQ(run.Failed(), run.Calls());
}

// As retry_filter.cc does: the status is recorded before it is asked whether
// the call is committed, which its cancellation has done.
TEST(Caller, WhatGrpcsDeadlineEndsCostsATokenToo) {
  FleetRun run({kQuick, R"({ "interval": "1s", "deadline": "0.5s" })",
                R"({ "kind": "PAUSE", "at": "10s", "lasts": "20s" },
          { "kind": "ERRORS", "at": "29.9s", "lasts": "5s" })",
                R"("serviceConfig": { )" + std::string(kThrottling) +
                    R"("methodConfig": [ { "name": [ {} ], "retryPolicy": {
            "initialBackoff": "0.1s", "maxBackoff": "1s", "maxAttempts": 2,
            "backoffMultiplier": 1, "retryableStatusCodes":
              [ "UNAVAILABLE", "DEADLINE_EXCEEDED" ] } } ] })"});
  EXPECT_GE(run.Failed(10, 30), 15u);
  EXPECT_EQ(run.totals().retries, 0u);
}

// ---- Connections ----

TEST(Caller, AnAttemptWithoutAConnectionIsRetriedButArrivesNowhere) {
  FleetRun run({kQuick, R"({ "interval": "60s" })",
                R"({ "kind": "CRASH", "lasts": "100s" })", Retrying(3),
                R"("duration": "200s")"});
  EXPECT_EQ(run.Failed(0, 100), 2u);
  EXPECT_EQ(run.Arrivals(0, 100), 0u);
  EXPECT_EQ(run.totals().retries, 0u);
}

TEST(Caller, ARetryMayFindTheServerBack) {
  FleetRun run({kQuick, R"({ "interval": "60s" })",
                R"({ "kind": "CRASH", "at": "0s", "lasts": "60s" })",
                R"("serviceConfig": { "methodConfig": [ {
                     "name": [ {} ], "retryPolicy": {
                       "initialBackoff": "50s", "maxBackoff": "50s",
                       "backoffMultiplier": 1, "maxAttempts": 3,
                       "retryableStatusCodes": [ "UNAVAILABLE" ] } } ] })",
                R"("duration": "300s")"});
  EXPECT_EQ(run.Failed(), 0u);
}

// Each of the seven that are left works on 1000, give or take 32.
TEST(Caller, WhatAnInstanceLosesIsSpreadEvenlyOverTheOthers) {
  FleetRun run({R"({ "name": "a", "instances": 10, "workers": 1200, "queue": 0,
                     "serviceTime": "1s", "distribution": "CONSTANT" })",
                R"({ "clients": 50, "callsPerSecond": 7000 })",
                R"({ "kind": "CRASH", "instances": 3, "lasts": "5s" })", "",
                R"("duration": "5s")"});
  EXPECT_EQ(run.Failed(), 0u);
}

// ---- The guard ----

TEST(Caller, TheGuardEndsAttemptsAndGrpcRetriesThem) {
  FleetRun run({kStuck, kOnce, "",
                Retrying(3, R"({ "deadline": { "attemptTimeout": "0.5s" },
                                 "budget": { "disabled": true },
                                 "backoff": { "jitter": "NATIVE" } })",
                         "\"DEADLINE_EXCEEDED\"")});
  EXPECT_EQ(run.Arrivals(), 3u);
  EXPECT_EQ(Slices(run)[1], 10);  // 0.5 s and the first backoff
  EXPECT_EQ(run.Failed(), 1u);
}

TEST(Caller, TheGuardsFullJitterSpreadsTheFirstRetry) {
  FleetRun run({kQuick, kThousand, kAlwaysErrors,
                Retrying(2, R"({ "budget": { "disabled": true } })")});
  const Spread spread = SpreadOf(run, 2);
  EXPECT_EQ(spread.all, 1000u);
  EXPECT_EQ(spread.first, 0);
  EXPECT_NEAR(spread.last, 5, 1);
}

TEST(Caller, AnOpenBreakerRefusesCallsWithoutARequest) {
  FleetRun run({kQuick, R"({ "interval": "0.1s" })", kAlwaysErrors,
                Retrying(2, R"({ "circuitBreaker": { "cooldown": "10s" } })"),
                R"("duration": "60s")"});
  EXPECT_GT(run.totals().rejections, 400u);
  EXPECT_LT(run.Arrivals(), 60u);
  EXPECT_EQ(run.Failed(), run.Calls());
  EXPECT_GT(run.Sum(&rg_slice::open), 500u);
}

TEST(Caller, NoBreakerIsSeenWithoutAGuard) {
  FleetRun run({kQuick, R"({ "interval": "0.1s" })", kAlwaysErrors, Retrying(2),
                R"("duration": "60s")"});
  EXPECT_EQ(run.Sum(&rg_slice::open) + run.Sum(&rg_slice::half_open), 0u);
  EXPECT_EQ(run.totals().rejections, 0u);
}

}  // namespace
}  // namespace rg_test
