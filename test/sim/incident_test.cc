// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "sim/fleet_run.h"

namespace rg_test {
namespace {

constexpr double kBothWays = 0.001;  // the default latency, twice

constexpr char kOneAtATime[] =
    R"({ "name": "a", "serviceTime": "1s", "distribution": "CONSTANT" })";
constexpr char kQuick[] =
    R"({ "name": "a", "workers": 100, "serviceTime": "0.001s",
         "distribution": "CONSTANT" })";
constexpr char kOnce[] = R"({ "atOnce": true })";
constexpr char kOften[] = R"({ "interval": "0.1s" })";

// ---- Pause ----

TEST(Incident, APauseMakesWorkLongerByItsLength) {
  FleetRun run({kOneAtATime, kOnce,
                R"({ "kind": "PAUSE", "at": "0.5s", "lasts": "2s" })"});
  EXPECT_NEAR(run.End(), 1 + 2 + kBothWays, 1e-8);
  EXPECT_EQ(run.Ok(), 1u);
}

TEST(Incident, TwoPausesMakeWorkLongerByBoth) {
  FleetRun run({kOneAtATime, kOnce,
                R"({ "kind": "PAUSE", "at": "0.5s", "lasts": "2s" },
                   { "kind": "PAUSE", "at": "2.75s", "lasts": "3s" })"});
  EXPECT_NEAR(run.End(), 1 + 2 + 3 + kBothWays, 1e-8);
}

// From 0.5 s to 4 s in all, whatever is seen of it meanwhile.
TEST(Incident, APauseThatLastsLongerThanItSeemedAddsOnlyWhatItLasts) {
  FleetRun run({kOneAtATime, kOnce,
                R"({ "kind": "PAUSE", "at": "0.5s", "lasts": "2s" },
                   { "kind": "PAUSE", "at": "2s", "lasts": "2s" })"});
  EXPECT_NEAR(run.End(), 1 + 3.5 + kBothWays, 1e-8);
}

TEST(Incident, APauseWithinAnotherAddsNothing) {
  FleetRun run({kOneAtATime, kOnce,
                R"({ "kind": "PAUSE", "at": "0.5s", "lasts": "4s" },
                   { "kind": "PAUSE", "at": "1s", "lasts": "1s" })"});
  EXPECT_NEAR(run.End(), 1 + 4 + kBothWays, 1e-8);
}

TEST(Incident, RequestsWaitDuringAPauseAndAreServedAfterwards) {
  FleetRun run({kQuick, kOften,
                R"({ "kind": "PAUSE", "at": "2s", "lasts": "1s" })", "",
                R"("duration": "5s")"});
  // One is stuck, and its client leaves the next ones out.
  EXPECT_EQ(run.Calls(2.1, 3), 0u);
  EXPECT_EQ(run.Sum(&rg_slice::queue, 2.1, 2.2), 1u);
  EXPECT_EQ(run.Failed(), 0u);
  EXPECT_EQ(run.Ok(2.1, 3), 0u);
  EXPECT_EQ(run.Ok(3, 3.1), 2u);  // the stuck one, and the next
}

// What a tier called answers at 0.2 s, but nobody is there to hear it before
// 2.05 s; the second call and its own answer come then.
TEST(Incident, APausedTierMakesNoCallsEither) {
  const std::string tiers =
      R"({ "name": "a", "serviceTime": "0s", "distribution": "CONSTANT",
           "calls": [ "b", "b" ] },
         { "name": "b", "serviceTime": "0.2s", "distribution": "CONSTANT" })";
  FleetRun run({tiers, kOnce,
                R"({ "kind": "PAUSE", "tier": "a", "at": "0.05s",
                     "lasts": "2s" })",
                "", R"("watch": "b")"});
  EXPECT_EQ(run.Arrivals(0, 0.1), 1u);
  EXPECT_EQ(run.Arrivals(0.1, 2), 0u);
  EXPECT_NEAR(run.End(), 2.05 + kBothWays + 0.2 + kBothWays / 2, 1e-8);
}

// ---- Slow ----

TEST(Incident, SlowWorkTakesItsFactorTimesAsLong) {
  FleetRun run({kOneAtATime, kOnce, R"({ "kind": "SLOW", "factor": 3.5 })"});
  EXPECT_NEAR(run.End(), 3.5 + kBothWays, 1e-8);
}

TEST(Incident, WorkThatBeginsAfterwardsIsAsQuickAsBefore) {
  FleetRun run({kOneAtATime, R"({ "clients": 3, "atOnce": true })",
                R"({ "kind": "SLOW", "factor": 2, "lasts": "1.5s" })"});
  EXPECT_NEAR(run.End(), 2 + 1 + 1 + kBothWays, 1e-8);
}

// One piece of work begins when the one before it ends, and takes
// 1 + 4 * (1 - t / 20) s if that is at t; the first at the latency.
TEST(Incident, SlownessEasesBitByBit) {
  FleetRun run({kOneAtATime, R"({ "clients": 10, "atOnce": true })",
                R"({ "kind": "SLOW", "factor": 5, "lasts": "20s",
                     "easing": true })"});
  double now = kBothWays / 2;
  for (int i = 0; i < 10; i++) now += now < 20 ? 1 + 4 * (1 - now / 20) : 1;
  EXPECT_NEAR(run.End(), now + kBothWays / 2, 1e-6);
}

TEST(Incident, TheEndOfOneSlownessIsNotTheEndOfTheNext) {
  FleetRun run({kOneAtATime, R"({ "clients": 2, "atOnce": true })",
                R"({ "kind": "SLOW", "factor": 2, "lasts": "1s" },
                   { "kind": "SLOW", "factor": 3, "at": "0.5s",
                     "lasts": "9s" })"});
  EXPECT_NEAR(run.End(), 2 + 3 + kBothWays, 1e-8);
}

// ---- Errors ----

// 10000 calls: sigma is 43.
TEST(Incident, AShareOfTheRequestsFails) {
  FleetRun run({kQuick, R"({ "callsPerSecond": 1000 })",
                R"({ "kind": "ERRORS", "at": "5s", "lasts": "10s",
                     "share": 0.25 })",
                "", R"("duration": "20s")"});
  EXPECT_EQ(run.Failed(0, 5), 0u);
  EXPECT_NEAR(static_cast<double>(run.Failed(5, 15)),
              0.25 * static_cast<double>(run.Calls(5, 15)), 4 * 43);
  EXPECT_LE(run.Failed(15, 20), 1u);  // its answer was on the way
}

TEST(Incident, ErrorsAreUnavailable) {
  const FleetFile file = {kQuick, kOnce, R"({ "kind": "ERRORS" })"};
  for (bool retried : {true, false}) {
    FleetFile with = file;
    with.variant =
        Retrying(3, "", retried ? "\"UNAVAILABLE\"" : "\"INTERNAL\"");
    EXPECT_EQ(FleetRun(with).Arrivals(), retried ? 3u : 1u);
  }
}

TEST(Incident, TheEndOfErrorsIsNotTheEndOfOthers) {
  FleetRun run({kQuick, R"({ "callsPerSecond": 100 })",
                R"({ "kind": "ERRORS", "at": "1s", "lasts": "2s" },
                   { "kind": "ERRORS", "at": "2s", "lasts": "3s" })",
                "", R"("duration": "8s")"});
  EXPECT_EQ(run.Ok(1.1, 5), 0u);
  EXPECT_EQ(run.Failed(5.1, 8), 0u);
}

// ---- Crash ----

TEST(Incident, ACrashLosesAllThatTheServerHad) {
  FleetRun run({kOneAtATime, R"({ "clients": 5, "atOnce": true })",
                R"({ "kind": "CRASH", "at": "1.5s" })"});
  EXPECT_EQ(run.Ok(), 1u);
  EXPECT_EQ(run.Failed(1.5, 1.6), 4u);
  EXPECT_NEAR(run.End(), 1.5 + kBothWays / 2, 1e-8);
}

TEST(Incident, ACrashIsUnavailable) {
  for (bool retried : {true, false}) {
    FleetRun run(
        {kOneAtATime, kOnce,
         R"({ "kind": "CRASH", "at": "0.5s", "lasts": "0.1s" })",
         Retrying(3, "", retried ? "\"UNAVAILABLE\"" : "\"INTERNAL\"")});
    EXPECT_EQ(run.Ok(), retried ? 1u : 0u);
  }
}

// The call at 2 s and some tries to connect, is refused, and a second has to
// pass although the server is back after half of it.
TEST(Incident, ACrashedServerRefusesConnections) {
  FleetRun run({kQuick, kOften,
                R"({ "kind": "CRASH", "at": "2s", "lasts": "0.5s" })", "",
                R"("duration": "5s")"});
  EXPECT_EQ(run.Failed(0, 2), 0u);
  EXPECT_EQ(run.Arrivals(2, 3), 0u);
  EXPECT_EQ(run.Failed(2, 3), 10u);
  EXPECT_EQ(run.Ok(3.1, 5), 19u);
  EXPECT_LE(run.Failed(3, 5), 1u);
}

TEST(Incident, ACrashOfSomeLeavesTheOthers) {
  FleetRun run({R"({ "name": "a", "instances": 4, "workers": 100,
                     "serviceTime": "0s" })",
                R"({ "clients": 50, "callsPerSecond": 1000 })",
                R"({ "kind": "CRASH", "at": "2s", "lasts": "3s",
                     "instances": 3 })",
                "", R"("duration": "5s")"});
  EXPECT_LE(run.Failed(), 3u);  // what was on the way
}

TEST(Incident, AServerThatCrashesTwiceIsBackAfterBoth) {
  FleetRun run({kQuick, R"({ "clients": 100, "callsPerSecond": 1000 })",
                R"({ "kind": "CRASH", "at": "1s", "lasts": "3s" },
                   { "kind": "CRASH", "at": "2s", "lasts": "4s" })",
                "", R"("duration": "20s")"});
  EXPECT_EQ(run.Arrivals(1.1, 6), 0u);
  EXPECT_GT(run.Arrivals(6, 7), 0u);
}

TEST(Incident, AShortCrashWithinALongOneEndsNothing) {
  FleetRun run({kQuick, R"({ "clients": 100, "callsPerSecond": 1000 })",
                R"({ "kind": "CRASH", "at": "1s", "lasts": "5s" },
                   { "kind": "CRASH", "at": "2s", "lasts": "1s" })",
                "", R"("duration": "20s")"});
  EXPECT_EQ(run.Arrivals(1.1, 6), 0u);
}

// What comes up is another process.
TEST(Incident, ACrashEndsAPause) {
  FleetRun run({kQuick, kOften,
                R"({ "kind": "PAUSE", "at": "1s", "lasts": "8s" },
                   { "kind": "CRASH", "at": "2s", "lasts": "0.5s" })",
                "", R"("duration": "9s")"});
  EXPECT_EQ(run.Ok(1.1, 3), 0u);
  EXPECT_GE(run.Ok(4, 9), 49u);
}

// ---- Rolling restart ----

TEST(Incident, ARollingRestartTakesOneAfterTheOther) {
  FleetRun run({R"({ "name": "a", "instances": 3, "workers": 100,
                     "serviceTime": "0.02s" })",
                R"({ "clients": 50, "callsPerSecond": 500 })",
                R"({ "kind": "ROLLING_RESTART", "at": "1s", "lasts": "2s" })",
                Retrying(2), R"("duration": "10s")"});
  EXPECT_EQ(run.Failed(), 0u);
  EXPECT_GT(run.totals().retries, 0u);
}

TEST(Incident, ARollingRestartOfTheOnlyServerIsACrash) {
  FleetRun run({kQuick, R"({ "clients": 50, "callsPerSecond": 500 })",
                R"({ "kind": "ROLLING_RESTART", "at": "1s", "lasts": "2s" })",
                "", R"("duration": "10s")"});
  EXPECT_EQ(run.Arrivals(1.1, 3), 0u);
  EXPECT_GT(run.Arrivals(3, 4), 0u);
}

}  // namespace
}  // namespace rg_test
