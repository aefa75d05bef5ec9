// SPDX-License-Identifier: Apache-2.0
#include "config/advice.h"

#include <gtest/gtest.h>

#include <string>

#include "config/read_config.h"
#include "config/service_config_table.h"

namespace rg_test {
namespace {

const std::string kCodes = "methodConfig[0].retryPolicy.retryableStatusCodes";
const std::string kTimeout = "methodConfig[0].timeout";
const std::string kMaxBackoff = "methodConfig[0].retryPolicy.maxBackoff";

Lines AdviceOn(const std::string &json) {
  ReadConfig read(json);
  EXPECT_EQ(read.errors(), Lines{}) << json;
  return read.Advise().warnings();
}

std::string FirstAdviceOn(const std::string &json) {
  return ReadConfig(json).Advise().message();
}

// The plain config with `from` replaced.
std::string Changed(const std::string &from, const std::string &to,
                    std::string json = Top("")) {
  return json.replace(json.find(from), from.size(), to);
}

TEST(Advice, HasNothingAgainstAPlainConfig) {
  EXPECT_EQ(AdviceOn(Top("")), Lines{});
  EXPECT_EQ(AdviceOn("{}"), Lines{});
  EXPECT_EQ(AdviceOn(Member(R"("timeout": "5s")")), Lines{});
}

TEST(Advice, MissesTheGuard) {
  EXPECT_EQ(AdviceOn(Changed("\"retryGuard\": {}, ", "")),
            Lines{"retryGuard: risk"});
  EXPECT_EQ(AdviceOn(Changed("\"retryGuard\": {}, ", "",
                             Member(R"("retryGuard": {"mode": "SHADOW"})"))),
            Lines{});
}

TEST(Advice, MissesRetriesToGuard) {
  EXPECT_EQ(AdviceOn(R"({"retryGuard": {}})"), Lines{"retryGuard: futile"});
  EXPECT_EQ(AdviceOn(Entry(R"("name": [{}])")), Lines{"retryGuard: futile"});
  EXPECT_EQ(AdviceOn(Entry(R"("name": [{}], "retryGuard": {})")),
            Lines{"retryGuard: futile"});
}

TEST(Advice, KnowsCodesThatNoRetryHelps) {
  EXPECT_EQ(AdviceOn(Retry("retryableStatusCodes",
                           R"(["UNAVAILABLE", "ABORTED", "INTERNAL", "UNKNOWN",
                         "RESOURCE_EXHAUSTED"])")),
            Lines{});
  for (const char *code :
       {"OK", "CANCELLED", "INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS",
        "PERMISSION_DENIED", "FAILED_PRECONDITION", "OUT_OF_RANGE",
        "UNIMPLEMENTED", "DATA_LOSS", "UNAUTHENTICATED"})
    EXPECT_EQ(
        AdviceOn(Retry("retryableStatusCodes",
                       R"(["UNAVAILABLE", ")" + std::string(code) + "\"]")),
        Lines{kCodes + "[1]: futile"})
        << code;
  EXPECT_EQ(
      FirstAdviceOn(Retry("retryableStatusCodes", R"(["INVALID_ARGUMENT"])")),
      "is INVALID_ARGUMENT, which means that the request itself is wrong: no "
      "retry helps");
}

TEST(Advice, KnowsThatADeadlineCoversAllAttempts) {
  std::string json =
      Retry("retryableStatusCodes", R"(["UNAVAILABLE", "DEADLINE_EXCEEDED"])");
  EXPECT_EQ(AdviceOn(json), Lines{kCodes + "[1]: futile"});
  EXPECT_EQ(AdviceOn(Changed(
                "{}", R"({"deadline": {"attemptTimeout": "0.5s"}})", json)),
            Lines{});
}

TEST(Advice, AddsUpTheDelays) {
  // 0.1 + 0.2 s at most, all of it drawn by full jitter.
  EXPECT_EQ(AdviceOn(Member(R"("timeout": "0.301s")")), Lines{});
  EXPECT_EQ(AdviceOn(Member(R"("timeout": "0.3s")")),
            Lines{kTimeout + ": futile"});
  EXPECT_EQ(FirstAdviceOn(Member(R"("timeout": "0.25s")")),
            "is 0.25s, but the delays between 3 attempts can add up to 0.3s: "
            "the last ones do not happen");
  // gRPC alone: 0.1 + 0.2 s and a fifth.
  std::string native = Changed("{}", R"({"backoff": {"jitter": "NATIVE"}})",
                               Member(R"("timeout": "0.34s")"));
  EXPECT_EQ(AdviceOn(native), Lines{kTimeout + ": futile"});
}

TEST(Advice, HoldsTheTimesOfTheGuardAgainstTheTimeout) {
  EXPECT_EQ(AdviceOn(Changed("{}", R"({"deadline": {"attemptTimeout": "5s"}})",
                             Member(R"("timeout": "5s")"))),
            Lines{kTimeout + ": futile"});
  EXPECT_EQ(AdviceOn(Changed("{}", R"({"deadline": {"minRemaining": "6s"}})",
                             Member(R"("timeout": "5s")"))),
            Lines{kTimeout + ": risk"});
  EXPECT_EQ(AdviceOn(Changed("{}", R"({"deadline": {"minRemaining": "6s",
                                       "disabled": true}})",
                             Member(R"("timeout": "5s")"))),
            Lines{});
}

TEST(Advice, KnowsDelaysThatDoNotGrow) {
  EXPECT_EQ(AdviceOn(Retry("maxBackoff", "\"0.05s\"")),
            Lines{kMaxBackoff + ": futile"});
  EXPECT_EQ(AdviceOn(Retry("backoffMultiplier", "0.5")),
            Lines{"methodConfig[0].retryPolicy.backoffMultiplier: risk"});
  EXPECT_EQ(AdviceOn(Retry("backoffMultiplier", "1")), Lines{});
  EXPECT_EQ(AdviceOn(Guard(R"({"backoff": {"floor": "0.2s"}})")),
            Lines{kMaxBackoff + ": risk"});
  EXPECT_EQ(AdviceOn(Guard(R"({"backoff": {"floor": "0.199s"}})")), Lines{});
}

TEST(Advice, KnowsThrottlingThatStopsAllRetries) {
  const std::string small = R"({"maxTokens": 2, "tokenRatio": 0.1})";
  EXPECT_EQ(AdviceOn(Throttling(small)),
            (Lines{"retryThrottling.maxTokens: futile", "retryGuard: risk"}));
  EXPECT_EQ(AdviceOn(Throttling(R"({"maxTokens": 3, "tokenRatio": 0.1})")),
            Lines{"retryGuard: risk"});
}

TEST(Advice, WantsOneBudgetOnly) {
  EXPECT_EQ(AdviceOn(Top(R"("retryThrottling":
                            {"maxTokens": 10, "tokenRatio": 0.1})")),
            Lines{"retryThrottling: conflict"});
  const std::string throttled = Top(R"("retryThrottling":
                                       {"maxTokens": 10, "tokenRatio": 0.1})");
  EXPECT_EQ(
      AdviceOn(Changed("{}", R"({"budget": {"disabled": true}})", throttled)),
      Lines{});
  EXPECT_EQ(AdviceOn(Changed("{}", R"({"mode": "OFF"})", throttled)),
            Lines{"retryGuard: risk"});
}

TEST(Advice, KnowsBudgetsThatStopAllRetries) {
  const Lines bucket{"retryGuard.budget.tokenBucket: futile"};
  EXPECT_EQ(
      AdviceOn(Guard(R"({"budget": {"tokenBucket": {"initialTokens": 0.9}}})")),
      bucket);
  EXPECT_EQ(
      AdviceOn(Guard(R"({"budget": {"tokenBucket": {"maxTokens": 0.9}}})")),
      bucket);
  EXPECT_EQ(AdviceOn(Guard(R"({"budget": {"window": {"percent": 0,
                               "minRetryRate": {"count": 0}}}})")),
            Lines{"retryGuard.budget.window: futile"});
  EXPECT_EQ(AdviceOn(Guard(R"({"budget": {"window": {"percent": 0}}})")),
            Lines{});
  EXPECT_EQ(AdviceOn(Guard(R"({"budget": {"disabled": true,
                               "tokenBucket": {"initialTokens": 0}}})")),
            Lines{});
}

TEST(Advice, KnowsBreakersThatNeverOpen) {
  EXPECT_EQ(AdviceOn(Guard(R"({"circuitBreaker": {"failureRatio": 1}})")),
            Lines{"retryGuard.circuitBreaker.failureRatio: futile"});
  EXPECT_EQ(AdviceOn(Guard(R"({"circuitBreaker": {"failureRatio": 1,
                               "consecutiveFailures": 5}})")),
            Lines{});
  EXPECT_EQ(AdviceOn(Guard(R"({"circuitBreaker": {"failureRatio": 1,
                               "disabled": true}})")),
            Lines{});
  EXPECT_EQ(AdviceOn(Guard(R"({"circuitBreaker": {"maxCooldown": "1s"}})")),
            Lines{"retryGuard.circuitBreaker.maxCooldown: futile"});
}

TEST(Advice, KnowsAKeyThatNobodyLooksAt) {
  const Lines futile{"retryGuard.keyHeader: futile"};
  EXPECT_EQ(AdviceOn(Guard(R"({"keyHeader": "k"})")), futile);
  EXPECT_EQ(AdviceOn(Guard(R"({"keyHeader": "k", "idempotency": "KEY"})")),
            Lines{});
  EXPECT_EQ(
      AdviceOn(Changed("{}", R"({"keyHeader": "k"})", Member(R"("retryGuard":
                                       {"idempotency": "GENERATE"})"))),
      Lines{});
}

// ---- The fleet
// ----------------------------------------------------------------

Lines FleetAdviceOn(const std::string &guard, uint64_t clients,
                    uint64_t calls_per_s = 0) {
  ReadConfig read(Guard(guard));
  const rg_fleet fleet = {clients, calls_per_s};
  rg_advise_fleet(read.get(), &fleet, read.all_warnings());
  return read.warnings();
}

TEST(FleetAdvice, LetsTheDefaultsBe) {
  EXPECT_EQ(FleetAdviceOn("{}", 400), Lines{});
  EXPECT_EQ(FleetAdviceOn(R"({"budget": {"window": {}}})", 400), Lines{});
}

TEST(FleetAdvice, MultipliesTheFloor) {
  const std::string ten =
      R"({"budget": {"window": {"minRetryRate": {"count": 10,
          "interval": "1s"}}}})";
  const Lines risk{"retryGuard.budget.window.minRetryRate: risk"};
  EXPECT_EQ(FleetAdviceOn(ten, 400), risk);
  // 4,000 retries/s are a fifth of 20,000 calls/s.
  EXPECT_EQ(FleetAdviceOn(ten, 400, 19999), risk);
  EXPECT_EQ(FleetAdviceOn(ten, 400, 20000), Lines{});
}

TEST(FleetAdvice, SaysWhatItReckoned) {
  ReadConfig read(Guard(R"({"budget": {"window": {"minRetryRate":
                            {"count": 10, "interval": "1s"}}}})"));
  const rg_fleet fleet = {400, 700};
  rg_advise_fleet(read.get(), &fleet, read.all_warnings());
  EXPECT_EQ(read.message(),
            "lets 400 clients make 4000.0 retries/s whatever the traffic, but "
            "20 % of their 700 calls/s are 140.0");
}

TEST(FleetAdvice, MultipliesTheFirstTokens) {
  const std::string hundred =
      R"({"budget": {"tokenBucket": {"initialTokens": 100}}})";
  const Lines risk{"retryGuard.budget.tokenBucket.initialTokens: risk"};
  EXPECT_EQ(FleetAdviceOn(hundred, 400), risk);
  // 40,000 tokens are a tenth of what 40,000 calls/s are in 10 s.
  EXPECT_EQ(FleetAdviceOn(hundred, 400, 39999), risk);
  EXPECT_EQ(FleetAdviceOn(hundred, 400, 40000), Lines{});
}

TEST(FleetAdvice, BoundsItsArithmetic) {
  EXPECT_EQ(FleetAdviceOn("{}", UINT64_MAX, 1),
            Lines{"retryGuard.budget.tokenBucket.initialTokens: risk"});
  EXPECT_EQ(FleetAdviceOn("{}", 1, UINT64_MAX), Lines{});
}

}  // namespace
}  // namespace rg_test
