// SPDX-License-Identifier: Apache-2.0

// What holds in every run, and what queueing theory says of some.
#include "sim/fleet.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "sim/fleet_run.h"

namespace rg_test {
namespace {

constexpr char kBusy[] =
    R"({ "name": "a", "workers": 10, "serviceTime": "0.02s", "queue": 200 })";
constexpr char kErrors[] = R"({ "kind": "ERRORS", "lasts": "600s" })";
constexpr char kDeadline[] =
    R"({ "clients": 20, "callsPerSecond": 400, "deadline": "2s" })";

// One of each kind of trouble, and between them time to get over it.
constexpr char kAllTrouble[] = R"(
    { "kind": "PAUSE", "at": "10s", "lasts": "2s" },
    { "kind": "SLOW", "at": "25s", "lasts": "5s", "factor": 3, "easing": true },
    { "kind": "CRASH", "at": "40s", "lasts": "3s", "instances": 1 },
    { "kind": "ERRORS", "at": "55s", "lasts": "5s", "share": 0.4 },
    { "kind": "ROLLING_RESTART", "at": "65s", "lasts": "2s" })";

// One of each kind of caller.
std::vector<std::string> Variants() {
  return {
      "",
      R"("loop": { "attemptTimeout": "0.3s", "initialPause": "0.05s",
                   "multiplier": 2, "jitter": "FULL" })",
      Retrying(4, "", "\"UNAVAILABLE\", \"RESOURCE_EXHAUSTED\"",
               R"("retryThrottling": { "maxTokens": 20, "tokenRatio": 0.2 },)"),
      Retrying(3, R"({ "deadline": { "attemptTimeout": "0.3s" } })",
               "\"UNAVAILABLE\", \"DEADLINE_EXCEEDED\""),
      Retrying(3, R"({ "mode": "SHADOW", "circuitBreaker":
                       { "cooldown": "1s" } })") +
          R"(, "loop": { "attempts": 2 })",
  };
}

FleetFile Troubled(const std::string &variant) {
  return {
      R"({ "name": "top", "instances": 3, "workers": 10, "queue": 150,
           "serviceTime": "0.005s", "calls": [ "middle", "leaf" ] },
         { "name": "middle", "instances": 2, "workers": 10, "queue": 150,
           "serviceTime": "0.005s", "calls": [ "leaf" ] },
         { "name": "leaf", "instances": 2, "workers": 6, "queue": 100,
           "serviceTime": "0.02s", "dropsAbandoned": true })",
      R"({ "clients": 20, "callsPerSecond": 80, "deadline": "2s" },
         { "clients": 5, "interval": "0.5s", "deadline": "2s" })",
      kAllTrouble, variant, R"("duration": "75s")"};
}

bool AreTheSame(const FleetRun &a, const FleetRun &b) {
  const size_t count = a.record().count;
  return count == b.record().count &&
         std::memcmp(a.record().slices, b.record().slices,
                     count * sizeof a.record().slices[0]) == 0 &&
         std::memcmp(&a.totals(), &b.totals(), sizeof a.totals()) == 0 &&
         a.run().appointments == b.run().appointments &&
         a.run().last_end == b.run().last_end;
}

// ---- Laws ----

TEST(Fleet, TheSameSeedGivesTheSameRun) {
  for (const std::string &variant : Variants()) {
    SCOPED_TRACE(variant);
    FleetRun run(Troubled(variant), 7);
    EXPECT_GT(run.Ok(), 4000u);
    EXPECT_GT(run.Failed(), 50u);
    EXPECT_TRUE(AreTheSame(run, FleetRun(Troubled(variant), 7)));
  }
}

TEST(Fleet, AnotherSeedGivesAnotherRun) {
  for (const std::string &variant : Variants())
    EXPECT_FALSE(AreTheSame(FleetRun(Troubled(variant), 7),
                            FleetRun(Troubled(variant), 8)));
}

// What has begun and not ended is in flight: never less than nothing, and only
// what began in the last 2 s, which is the deadline.
TEST(Fleet, LosesNoCalls) {
  for (const std::string &variant : Variants()) {
    SCOPED_TRACE(variant);
    FleetRun run(Troubled(variant));
    int64_t in_flight = 0;
    for (size_t i = 0; i < run.record().count; i++) {
      const rg_slice &slice = run.record().slices[i];
      in_flight += static_cast<int64_t>(slice.calls) - slice.ok - slice.failed;
      const double now = (static_cast<double>(i) + 1) / 10;
      ASSERT_GE(in_flight, 0) << now;
      ASSERT_LE(in_flight,
                static_cast<int64_t>(run.Calls(std::max(now - 2.1, 0.0), now)))
          << now;
    }
  }
}

TEST(Fleet, EndsAllCallsThatBeginAtOnce) {
  for (const std::string &variant : Variants()) {
    FleetFile file = Troubled(variant);
    file.loads = R"({ "clients": 3000, "atOnce": true, "deadline": "60s" })";
    FleetRun run(file);
    EXPECT_EQ(run.Calls(), 3000u);
    EXPECT_EQ(run.Ok() + run.Failed(), 3000u);
    EXPECT_EQ(run.totals().ok, run.Ok());
  }
}

TEST(Fleet, IsOverWhenNothingCanHappenAnyMore) {
  FleetRun run({kBusy, R"({ "clients": 10, "atOnce": true })", "", "",
                R"("duration": "86400s")"});
  EXPECT_LT(run.run().appointments, 100u);
}

TEST(Fleet, RetriesAreTheRequestsThatAreNoFirstAttempts) {
  for (const std::string &variant : Variants()) {
    SCOPED_TRACE(variant);
    FleetRun run(
        {kBusy, R"({ "clients": 3000, "atOnce": true, "deadline": "60s" })",
         R"({ "kind": "ERRORS", "share": 0.3, "lasts": "60s" })", variant});
    EXPECT_EQ(run.totals().requests, run.Arrivals());
    EXPECT_EQ(run.totals().retries, run.Arrivals() - run.ArrivalsOf(1));
  }
}

// The client calls the top three times, whose one call is what the leaf sees.
TEST(Fleet, RetriesOfAllTiersCount) {
  FleetRun run({R"({ "name": "top", "calls": [ "leaf" ] }, { "name": "leaf" })",
                R"({ "atOnce": true })",
                R"({ "kind": "ERRORS", "tier": "top", "lasts": "1s" })",
                Retrying(5), R"("watch": "leaf")"});
  EXPECT_EQ(run.Ok(), 1u);
  EXPECT_EQ(run.Arrivals(), 1u);
  EXPECT_EQ(run.totals().retries, 2u);
}

TEST(Fleet, TheWarmUpDoesNotCount) {
  FleetRun all(
      {kBusy, kDeadline, kErrors, Retrying(2), R"("duration": "60s")"});
  FleetFile late = {kBusy, kDeadline, kErrors, Retrying(2),
                    R"("duration": "60s")"};
  ReadScenario scenario([&] {
    std::string json = late.Json();
    json.replace(json.find("\"0s\""), 4, "\"30s\"");
    return json;
  }());
  rg_run run;
  ASSERT_TRUE(rg_run_do(&run, scenario.get(), 0, 1, nullptr, nullptr));
  EXPECT_EQ(std::memcmp(run.record.slices, all.record().slices,
                        run.record.count * sizeof run.record.slices[0]),
            0);
  EXPECT_EQ(run.totals.requests, all.Arrivals(30));
  EXPECT_LT(run.totals.retries, all.totals().retries * 6 / 10);
  EXPECT_GT(run.totals.retries, all.totals().retries * 4 / 10);
  rg_run_clean_up(&run);
}

// ---- Loads ----

TEST(Fleet, CallsComeAtTheirRate) {
  FleetRun run({kBusy, R"({ "clients": 7, "callsPerSecond": 400 })", "", "",
                R"("duration": "100s")"});
  EXPECT_NEAR(static_cast<double>(run.Calls()), 40000, 4 * 200);
}

// Poisson: the variance of a slice's calls is their mean, 40; over 1000 slices
// it is estimated within 4 * 4.5 %.
TEST(Fleet, CallsComeAtRandom) {
  FleetRun run({kBusy, R"({ "clients": 7, "callsPerSecond": 400 })", "", "",
                R"("duration": "100s")"});
  double squares = 0;
  for (size_t i = 0; i < run.record().count; i++)
    squares += std::pow(run.record().slices[i].calls - 40.0, 2);
  EXPECT_NEAR(squares / 1000 / 40, 1, 0.18);
}

TEST(Fleet, CallsOfAnIntervalComeOnceInIt) {
  FleetRun run({kBusy, R"({ "clients": 100, "interval": "2s" })", "", "",
                R"("duration": "100s")"});
  for (int second = 0; second < 100; second += 2)
    EXPECT_EQ(run.Calls(second, second + 2), 100u) << second;
  EXPECT_NEAR(static_cast<double>(run.Calls(0, 1)), 50, 4 * 5);  // not in step
}

TEST(Fleet, ClientsLeaveOutWhatWouldOverlap) {
  FleetRun run({R"({ "name": "a", "workers": 100, "serviceTime": "0.35s",
                     "distribution": "CONSTANT" })",
                R"({ "clients": 10, "interval": "0.1s" })", "", "",
                R"("duration": "40s")"});
  EXPECT_EQ(run.Calls(), 10 * 100u);  // every fourth
  int64_t in_flight = 0;
  for (size_t i = 0; i < run.record().count; i++) {
    const rg_slice &slice = run.record().slices[i];
    in_flight += static_cast<int64_t>(slice.calls) - slice.ok;
    EXPECT_LE(in_flight, 10);
  }
}

TEST(Fleet, ALoadMayCallAnyTier) {
  FleetRun run({R"({ "name": "top", "calls": [ "leaf" ] }, { "name": "leaf" })",
                R"({ "atOnce": true, "clients": 2, "calls": "leaf" },
                   { "atOnce": true, "clients": 3 })"});
  EXPECT_EQ(run.Ok(), 5u);
  EXPECT_EQ(run.Arrivals(), 5u);  // at the leaf
}

// ---- Queues ----

// The chance that a request has to wait, by Erlang C, for `servers` that are
// offered `load` of work.
double ErlangC(int servers, double load) {
  double blocked = 1;  // Erlang B, by its recursion
  for (int i = 1; i <= servers; i++)
    blocked = load * blocked / (i + load * blocked);
  const double use = load / servers;
  return blocked / (1 - use * (1 - blocked));
}

// How many wait in the mean; a calls' waiting time is that by their rate.
double MeanQueue(const FleetRun &run) {
  return static_cast<double>(run.Sum(&rg_slice::queue)) /
         static_cast<double>(run.record().count);
}

// What wait, and by Little's law how long: in flight are rate * (wait + work +
// both ways).
void ExpectErlangC(int servers, double service_s) {
  const double rate = 0.7 * servers / service_s;
  FleetRun run(
      {"{ \"name\": \"a\", \"workers\": " + std::to_string(servers) +
           ", \"serviceTime\": \"" + std::to_string(service_s) + "s\" }",
       "{ \"clients\": 10, \"callsPerSecond\": " + std::to_string(rate) + "}",
       "", "", R"("duration": "20000s", "latency": "0s")"});
  const double queue = ErlangC(servers, 0.7 * servers) * 0.7 / (1 - 0.7);
  EXPECT_NEAR(MeanQueue(run) / queue, 1, 0.05);
  double in_flight = 0, sum = 0;
  for (size_t i = 0; i < run.record().count; i++) {
    const rg_slice &slice = run.record().slices[i];
    in_flight += static_cast<double>(slice.calls) - slice.ok;
    sum += in_flight;
  }
  const double stay = sum / static_cast<double>(run.record().count) / rate;
  EXPECT_NEAR((stay - service_s) / (queue / rate), 1, 0.05);
}

TEST(Fleet, AQueueBeforeOneWorkerIsAsLongAsErlangSays) {
  ExpectErlangC(1, 0.1);
}

TEST(Fleet, AQueueBeforeTenWorkersIsAsLongAsErlangSays) {
  ExpectErlangC(10, 0.5);
}

// ---- Trees ----

// Three tiers, with 3 attempts each, of which the last fails.
uint64_t RequestsAtTheLeaf(const std::string &guard) {
  FleetRun run({R"({ "name": "a", "calls": [ "b" ] },
                   { "name": "b", "calls": [ "c" ] }, { "name": "c" })",
                R"({ "atOnce": true })", kErrors, Retrying(3, guard)});
  EXPECT_EQ(run.Failed(), 1u);
  return run.Arrivals();
}

TEST(Fleet, ThreeTiersOfThreeAttemptsMake27Requests) {
  EXPECT_EQ(RequestsAtTheLeaf(""), 27u);
}

TEST(Fleet, ThreeGuardedTiersOfThreeAttemptsMake3) {
  for (const char *mode : {"OUTERMOST", "INNERMOST"})
    EXPECT_EQ(RequestsAtTheLeaf(R"({ "budget": { "disabled": true },
                                     "layer": { "mode": ")" +
                                std::string(mode) + R"(" } })"),
              3u)
        << mode;
}

// ---- Budgets ----

// What all clients' buckets hold at first, and what the calls that succeed
// bring.
double Tokens(const FleetRun &run, int clients) {
  const rg_service_config *config = run.scenario().variants[0].config;
  rg_policy policy;
  rg_service_config_policy(config, &config->methods[0], &policy);
  const rg_token_bucket_policy &bucket = policy.budget.bucket;
  return (clients * static_cast<double>(bucket.initial_milli) +
          static_cast<double>(run.Ok()) * bucket.ratio_milli) /
         1000;
}

FleetFile Budgeted(const std::string &budget, const std::string &errors,
                   int clients) {
  return {
      kBusy,
      "{ \"callsPerSecond\": 300, \"clients\": " + std::to_string(clients) +
          " }",
      errors,
      Retrying(5, R"({ "circuitBreaker": { "disabled": true }, "budget": )" +
                      budget + " }"),
      R"("duration": "100s")"};
}

TEST(Fleet, AGuardedRunMakesNoMoreRetriesThanItsTokensAllow) {
  constexpr char kSome[] =
      R"({ "kind": "ERRORS", "at": "20s", "lasts": "30s", "share": 0.3 })";
  constexpr char kCrash[] =
      R"({ "kind": "CRASH", "at": "20s", "lasts": "30s" },
         { "kind": "ERRORS", "at": "60s", "lasts": "30s" })";
  constexpr char kWide[] = R"({ "tokenBucket": {
      "tokenRatio": 0.6, "initialTokens": 10, "maxTokens": 20 } })";
  for (int clients : {1, 30})
    for (const char *budget : {"{}", kWide})
      for (const char *errors : {kErrors, kSome, kCrash}) {
        FleetRun run(Budgeted(budget, errors, clients));
        EXPECT_LE(static_cast<double>(run.totals().retries),
                  Tokens(run, clients))
            << clients << budget << errors;
      }
}

TEST(Fleet, AGuardedRunSpendsItsTokens) {
  FleetRun run(Budgeted("{}", kErrors, 30));
  EXPECT_EQ(static_cast<double>(run.totals().retries), Tokens(run, 30));
}

TEST(Fleet, AnUnguardedRunMakesFarMore) {
  FleetFile file = Budgeted("{}", kErrors, 30);
  file.variant = Retrying(5);
  EXPECT_GT(FleetRun(file).totals().retries, 20000u);
}

// ---- Around a run ----

struct Told {
  std::vector<double> shares;
  size_t stop_after;
};

bool Tell(double share, void *arg) {
  auto *told = static_cast<Told *>(arg);
  told->shares.push_back(share);
  return told->shares.size() < told->stop_after;
}

const FleetFile kMinute = {kBusy, kDeadline, "", "", R"("duration": "60s")"};

TEST(Fleet, TellsHowFarItIs) {
  ReadScenario scenario(kMinute.Json());
  Told told = {{}, 1000};
  rg_run run;
  EXPECT_TRUE(rg_run_do(&run, scenario.get(), 0, 1, Tell, &told));
  EXPECT_NEAR(static_cast<double>(told.shares.size()), 59, 1);
  for (size_t i = 1; i < told.shares.size(); i++)
    EXPECT_GT(told.shares[i], told.shares[i - 1]);
  EXPECT_LE(told.shares.back(), 1);
  rg_run_clean_up(&run);
}

TEST(Fleet, StopsWhenItIsTold) {
  ReadScenario scenario(kMinute.Json());
  Told told = {{}, 3};
  rg_run run;
  EXPECT_FALSE(rg_run_do(&run, scenario.get(), 0, 1, Tell, &told));
  EXPECT_EQ(told.shares.size(), 3u);
  rg_run_clean_up(&run);
}

TEST(Fleet, TellingChangesNothing) {
  ReadScenario scenario(kMinute.Json());
  Told told = {{}, 1000};
  rg_run run;
  EXPECT_TRUE(rg_run_do(&run, scenario.get(), 0, 1, Tell, &told));
  EXPECT_EQ(run.appointments, FleetRun(kMinute).run().appointments);
  rg_run_clean_up(&run);
}

// What a policy needs of an attempt is there: whom it goes to, and a key.
TEST(Fleet, PoliciesOfBackendsAndKeysAct) {
  FleetRun backends({kBusy, kDeadline, kErrors,
                     Retrying(3, R"({ "circuitBreaker": { "scope": "BACKEND",
                                      "consecutiveFailures": 3 } })"),
                     R"("duration": "5s")"});
  EXPECT_GT(backends.totals().rejections, 100u);
  EXPECT_GT(backends.Sum(&rg_slice::open), 0u);
  FleetRun keys({kBusy, kDeadline, kErrors,
                 Retrying(3, R"({ "idempotency": "KEY" })"),
                 R"("duration": "5s")"});
  EXPECT_GT(keys.totals().retries, 0u);
}

TEST(Fleet, ManyClientsHaveTargetsOfTheirOwn) {
  FleetRun run({kBusy, R"({ "clients": 20000, "callsPerSecond": 400 })", "",
                Retrying(3, "{}"), R"("duration": "2s")"});
  EXPECT_EQ(run.Failed(), 0u);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_UNDER_SANITIZERS() \
  GTEST_SKIP() << "the sanitizer needs memory of its own"
#else
#define SKIP_UNDER_SANITIZERS() (void)0
#endif

// The most that this process ever had, in bytes.
uint64_t MostMemory() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

FleetFile Lasting(const std::string &seconds) {
  return {kBusy, kDeadline,
          R"({ "kind": "PAUSE", "at": "20s", "lasts": "5s" })",
          Retrying(3, "{}"), "\"duration\": \"" + seconds + "s\""};
}

// But for the record, of 48 bytes a slice. (Where another test of the process
// had more, there is nothing to be seen: CTest gives each a process of its
// own.)
TEST(Fleet, NeedsNoMoreMemoryTheLongerItRuns) {
  SKIP_UNDER_SANITIZERS();
  FleetRun{Lasting("60")};
  const uint64_t before = MostMemory();
  FleetRun{Lasting("400")};
  EXPECT_LE(MostMemory() - before, 4000 * sizeof(rg_slice) + (1u << 20));
}

}  // namespace
}  // namespace rg_test
