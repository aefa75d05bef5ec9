// SPDX-License-Identifier: Apache-2.0

// Which blocks are taken and what is said about the others.
#include <gtest/gtest.h>

#include <string>

#include "config/every_field.h"
#include "config/found_faults.h"

namespace {

Lines FaultsIn(const std::string &json,
               rg_policy_scope scope = RG_POLICY_CHANNEL,
               const char *path = "retryGuard") {
  Block block(json, scope, path);
  EXPECT_EQ(block.get() == nullptr, !block.faults().empty()) << json;
  return block.faults();
}

}  // namespace

TEST(PolicyParse, TakesBlocksThatAreRight) {
  for (const char *json : {
           "{}",
           kEveryField,
           R"({"budget": {}})",
           R"({"budget": {"disabled": false}})",
           R"({"budget": {"disabled": true, "tokenBucket": {}}})",
           R"({"budget": {"window": {"percent": 0, "interval": "60s",
                "minRetryRate": {"count": 0, "interval": "1s"}}}})",
           R"({"budget": {"token_bucket": {"token_ratio": 1}}})",
           R"({"budget": null, "backoff": {"floor": null}, "layer": {}})",
           R"({"backoff": {"jitter": 2}})",
           R"({"layer": {"name": "", "maxHops": 1e1}})",
           R"({"layer": {"mode": "INNERMOST"}, "circuitBreaker": {},
               "deadline": {}, "idempotency": "ANY", "mode": "ENFORCE"})",
           R"({"circuit_breaker": {"failure_status_codes": ["ABORTED"]},
               "key_header": "x-request-id"})",
           R"({"circuitBreaker": null, "deadline": null, "keyHeader": null,
               "mode": null, "idempotency": null})",
       })
    EXPECT_EQ(FaultsIn(json), Lines{}) << json;
}

TEST(PolicyParse, RefusesBlocksThatAreWrong) {
  struct {
    const char *json;
    const char *fault;
  } const cases[] = {
      {"null", "retryGuard: must be an object, got null"},
      {"[]", "retryGuard: must be an object, got an array"},
      {"3", "retryGuard: must be an object, got a number"},
      {"", "retryGuard: is empty"},
      {"{} x", "retryGuard: is followed by more text at line 1, column 4"},
      {R"({"budgett": {}})",
       "retryGuard.budgett: is unknown; known here: budget, backoff, layer, "
       "circuitBreaker, deadline, idempotency, mode, keyHeader, "
       "amplificationAlarm"},
      {R"({"budget": {"tokenbucket": {}}})",
       "retryGuard.budget.tokenbucket: is unknown; known here: disabled, "
       "tokenBucket, window"},
      {R"({"budget": {}, "budget": {}})",
       "retryGuard.budget: is given more than once"},
      {R"({"budget": {"tokenBucket": {"tokenRatio": 0.1, "token_ratio": 0.1}}})",
       "retryGuard.budget.tokenBucket.tokenRatio: is given twice: as "
       "tokenRatio and as token_ratio"},
      {R"({"budget": {"tokenBucket": {}, "window": {}}})",
       "retryGuard.budget.window: must not stand beside tokenBucket"},
      {R"({"budget": true})",
       "retryGuard.budget: must be an object, got a boolean"},
      {R"({"budget": {"disabled": "true"}})",
       "retryGuard.budget.disabled: must be true or false, got a string"},
      {R"({"budget": {"tokenBucket": {"tokenRatio": 1.5}}})",
       "retryGuard.budget.tokenBucket.tokenRatio: must be in (0, 1], got 1.5"},
      {R"({"budget": {"tokenBucket": {"tokenRatio": 0}}})",
       "retryGuard.budget.tokenBucket.tokenRatio: must be in (0, 1], got 0"},
      {R"({"budget": {"tokenBucket": {"tokenRatio": -0.1}}})",
       "retryGuard.budget.tokenBucket.tokenRatio: must be in (0, 1], got -0.1"},
      {R"({"budget": {"tokenBucket": {"tokenRatio": 1.0000000000000002}}})",
       "retryGuard.budget.tokenBucket.tokenRatio: must be in (0, 1], got "
       "1.0000000000000002"},
      {R"({"budget": {"tokenBucket": {"tokenRatio": 99999999999999999999}}})",
       "retryGuard.budget.tokenBucket.tokenRatio: must be in (0, 1], got "
       "1e+20"},
      {R"({"budget": {"tokenBucket": {"tokenRatio": "0.1"}}})",
       "retryGuard.budget.tokenBucket.tokenRatio: must be a number, got a "
       "string"},
      {R"({"budget": {"tokenBucket": {"burst": "0.099999999s"}}})",
       "retryGuard.budget.tokenBucket.burst: must be in [0.1s, 3600s], got "
       "0.099999999s"},
      {R"({"budget": {"tokenBucket": {"burst": "-3s"}}})",
       "retryGuard.budget.tokenBucket.burst: must be in [0.1s, 3600s], got "
       "-3s"},
      {R"({"budget": {"tokenBucket": {"burst": "1000000000000s"}}})",
       "retryGuard.budget.tokenBucket.burst: must be in [0.1s, 3600s], got "
       "\"1000000000000s\""},
      {R"({"budget": {"tokenBucket": {"burst": 3}}})",
       "retryGuard.budget.tokenBucket.burst: must be a duration such as "
       "\"0.1s\", got a number"},
      {R"({"budget": {"tokenBucket": {"initialTokens": 1001}}})",
       "retryGuard.budget.tokenBucket.initialTokens: must be in [0, 1000], got "
       "1001"},
      {R"({"budget": {"tokenBucket": {"maxTokens": 0}}})",
       "retryGuard.budget.tokenBucket.maxTokens: must be in (0, 1000000], got "
       "0"},
      {R"({"budget": {"window": {"percent": 101}}})",
       "retryGuard.budget.window.percent: must be in [0, 100], got 101"},
      {R"({"budget": {"window": {"percent": -1}}})",
       "retryGuard.budget.window.percent: must be in [0, 100], got -1"},
      {R"({"budget": {"window": {"percent": 5000000000}}})",
       "retryGuard.budget.window.percent: must be in [0, 100], got 5000000000"},
      {R"({"budget": {"window": {"percent": 20.5}}})",
       "retryGuard.budget.window.percent: must be a whole number, got 20.5"},
      {R"({"budget": {"window": {"minRetryRate": {"count": 1000001}}}})",
       "retryGuard.budget.window.minRetryRate.count: must be in [0, 1000000], "
       "got 1000001"},
      {R"({"budget": {"window": {"minRetryRate": {"interval": "0s"}}}})",
       "retryGuard.budget.window.minRetryRate.interval: must be in [0.1s, "
       "3600s], got 0s"},
      {R"({"budget": {"window": {"minRetryRate": 10}}})",
       "retryGuard.budget.window.minRetryRate: must be an object, got a "
       "number"},
      {R"({"backoff": {"jitter": "full"}})",
       "retryGuard.backoff.jitter: must be FULL, EQUAL or NATIVE, got "
       "\"full\""},
      {R"({"backoff": {"floor": "60.000000001s"}})",
       "retryGuard.backoff.floor: must be in [0s, 60s], got 60.000000001s"},
      {R"({"backoff": {"floor": "-0.05s"}})",
       "retryGuard.backoff.floor: must be in [0s, 60s], got -0.05s"},
      {R"({"layer": {"mode": "innermost"}})",
       "retryGuard.layer.mode: must be OUTERMOST or INNERMOST, got "
       "\"innermost\""},
      {R"({"layer": {"baggage": 1}})",
       "retryGuard.layer.baggage: must be true or false, got a number"},
      {R"({"circuitBreaker": {"failureRatio": 1.001}})",
       "retryGuard.circuitBreaker.failureRatio: must be in [0, 1], got 1.001"},
      {R"({"circuitBreaker": {"minRequests": 0}})",
       "retryGuard.circuitBreaker.minRequests: must be in [1, 1000000], got "
       "0"},
      {R"({"circuitBreaker": {"probes": 9}})",
       "retryGuard.circuitBreaker.probes: must be in [1, 8], got 9"},
      {R"({"circuitBreaker": {"cooldown": "0s"}})",
       "retryGuard.circuitBreaker.cooldown: must be in [0.1s, 3600s], got 0s"},
      {R"({"circuitBreaker": {"scope": "HOST"}})",
       "retryGuard.circuitBreaker.scope: must be TARGET, SERVICE, METHOD or "
       "BACKEND, got \"HOST\""},
      {R"({"deadline": {"attemptTimeout": "0.000999999s"}})",
       "retryGuard.deadline.attemptTimeout: must be in [0.001s, 3600s], got "
       "0.000999999s"},
      {R"({"deadline": {"hopMargin": "-0.001s"}})",
       "retryGuard.deadline.hopMargin: must be in [0s, 60s], got -0.001s"},
      {R"({"idempotency": "ALL"})",
       "retryGuard.idempotency: must be ANY, KEY or GENERATE, got \"ALL\""},
      {R"({"mode": "ON"})",
       "retryGuard.mode: must be ENFORCE, SHADOW or OFF, got \"ON\""},
      {R"({"layer": {"maxHops": 0}})",
       "retryGuard.layer.maxHops: must be in [1, 255], got 0"},
      {R"({"layer": {"maxHops": 256}})",
       "retryGuard.layer.maxHops: must be in [1, 255], got 256"},
      {R"({"layer": {"max_hops": -1}})",
       "retryGuard.layer.maxHops: must be in [1, 255], got -1"},
      {R"({"layer": {"name": 7}})",
       "retryGuard.layer.name: must be a string, got a number"},
      {R"({"layer": {"name": "a\u0000"}})",
       "retryGuard.layer.name: must not contain a NUL character"},
  };
  for (const auto &c : cases)
    EXPECT_EQ(FaultsIn(c.json), Lines{c.fault}) << c.json;
}

TEST(PolicyParse, BoundsTheLayersNameInBytes) {
  std::string euros;
  for (int i = 0; i < 21; i++) euros += "€";  // three bytes each
  EXPECT_EQ(FaultsIn(R"({"layer": {"name": ")" + euros + R"(x"}})"), Lines{});
  EXPECT_EQ(FaultsIn(R"({"layer": {"name": ")" + euros + R"(xy"}})"),
            Lines{"retryGuard.layer.name: must be at most 64 bytes, got 65"});
}

TEST(PolicyParse, TakesNamesOfMetadataEntriesAsKeyHeader) {
  for (const std::string &name :
       {std::string("x"), std::string("x-request_id.2"), std::string("0"),
        std::string("bin"), std::string("-bins"), std::string("grpc"),
        std::string("x-grpc-id"), std::string(64, 'k')})
    EXPECT_EQ(FaultsIn(R"({"keyHeader": ")" + name + R"("})"), Lines{}) << name;
}

TEST(PolicyParse, RefusesAsKeyHeaderWhatIsNoEntryOrGrpcsOwn) {
  for (const char *name : {"", "Idempotency-Key", "a b", "a:b", ":path", "a,b",
                           "\u00e9", "key-bin", "-bin", "grpc-timeout"})
    EXPECT_EQ(
        FaultsIn(std::string(R"({"keyHeader": ")") + name + R"("})"),
        Lines{std::string("retryGuard.keyHeader: must be the name of a "
                          "metadata entry in lower case, without "
                          "\"grpc-\" before or \"-bin\" after it, got \"") +
              name + "\""})
        << name;
}

// gRPC 1.51 ends the process over some of them.
TEST(PolicyParse, RefusesAsKeyHeaderAnEntryWithAMeaningOfItsOwn) {
  for (const char *name : {"te", "content-type", "user-agent", "host",
                           "connection", "grpclb_client_stats", "baggage"})
    EXPECT_EQ(FaultsIn(std::string(R"({"keyHeader": ")") + name + R"("})"),
              Lines{std::string("retryGuard.keyHeader: must not be an entry "
                                "that has a meaning of its own, got \"") +
                    name + "\""});
}

TEST(PolicyParse, QuotesAKeyHeaderThatIsRefused) {
  const std::string fault =
      "retryGuard.keyHeader: must be the name of a metadata entry in lower "
      "case, without \"grpc-\" before or \"-bin\" after it, got ";
  EXPECT_EQ(FaultsIn(R"({"keyHeader": "a\nb\"c"})"),
            Lines{fault + R"("a\u000ab\"c")"});
  EXPECT_EQ(FaultsIn(R"({"keyHeader": ")" + std::string(64, 'K') + R"("})"),
            Lines{fault + '"' + std::string(58, 'K') + "...\""});
}

TEST(PolicyParse, FindsAllFaultsAtOnce) {
  EXPECT_EQ(
      FaultsIn(R"({
        "budget": { "tokenBucket": { "tokenRatio": 2, "burst": 3, "bursts": 1 },
                    "disabled": 0 },
        "layer": { "maxHops": 0, "name": null, "mode": "ALL" },
        "layer": { "maxHops": 0, "name": null, "mode": "ALL" },
        "sunshine": true })"),
      (Lines{
          "retryGuard.layer: is given more than once",
          "retryGuard.budget.tokenBucket.burst: must be a duration such as "
          "\"0.1s\", got a number",
          "retryGuard.budget.tokenBucket.bursts: is unknown; known here: "
          "tokenRatio, burst, initialTokens, maxTokens",
          "retryGuard.budget.disabled: must be true or false, got a number",
          "retryGuard.layer.mode: must be OUTERMOST or INNERMOST, got "
          "\"ALL\"",
          "retryGuard.sunshine: is unknown; known here: budget, backoff, "
          "layer, circuitBreaker, deadline, idempotency, mode, keyHeader, "
          "amplificationAlarm",
          "retryGuard.budget.tokenBucket.tokenRatio: must be in (0, 1], got 2",
          "retryGuard.layer.maxHops: must be in [1, 255], got 0",
      }));
}

TEST(PolicyParse, NamesTheBlockAsItIsTold) {
  EXPECT_EQ(FaultsIn(R"({"backoff": {"floor": "61s"}})", RG_POLICY_METHOD,
                     "methodConfig[2].retryGuard"),
            Lines{"methodConfig[2].retryGuard.backoff.floor: must be in [0s, "
                  "60s], got 61s"});
}

TEST(PolicyParse, AddsToTheFaultsOfOtherBlocks) {
  Faults faults;
  rg_faults_add(faults.get(), RG_FAULT_VALUE, "methodConfig[0]", "is wrong");
  rg_policy_block *good = rg_policy_block_parse(
      "{}", 2, RG_POLICY_METHOD, "methodConfig[1].retryGuard", faults.get());
  EXPECT_NE(good, nullptr) << "not its fault";
  rg_policy_block_destroy(good);
  EXPECT_EQ(rg_policy_block_parse("[]", 2, RG_POLICY_METHOD,
                                  "methodConfig[2].retryGuard", faults.get()),
            nullptr);
  EXPECT_EQ(faults.lines(),
            (Lines{"methodConfig[0]: is wrong",
                   "methodConfig[2].retryGuard: must be an object, got an "
                   "array"}));
}

TEST(PolicyParse, ReadsNoFurtherThanItsLength) {
  const std::string text = "{}garbage";
  Faults faults;
  rg_policy_block *block = rg_policy_block_parse(
      text.data(), 2, RG_POLICY_CHANNEL, "retryGuard", faults.get());
  EXPECT_NE(block, nullptr);
  rg_policy_block_destroy(block);
}

TEST(PolicyParse, TakesWhatAMethodMayOverride) {
  EXPECT_EQ(FaultsIn(R"({"budget": {"disabled": true},
                         "backoff": {"jitter": "NATIVE", "floor": "1s"},
                         "layer": {"disabled": false},
                         "deadline": {"disabled": true, "hopMargin": "1s",
                                      "minAttempt": "1s", "adaptive": true,
                                      "attemptTimeout": "1s",
                                      "minRemaining": "1s"},
                         "idempotency": "GENERATE", "keyHeader": "k",
                         "mode": "OFF"})",
                     RG_POLICY_METHOD),
            Lines{});
  EXPECT_EQ(
      FaultsIn(R"({"budget": {}, "layer": {"name": null}})", RG_POLICY_METHOD),
      Lines{});
}

TEST(PolicyParse, RefusesAtAMethodWhatIsSharedAndSaysWhereItBelongs) {
  const std::string target =
      ": belongs to the whole target, not to a method: set it in the "
      "retryGuard at the top level of the service config";
  const std::string channel =
      ": belongs to the whole channel, not to a method: set it in the "
      "retryGuard at the top level of the service config";
  EXPECT_EQ(FaultsIn(R"({"budget": {"tokenBucket": {"tokenRatio": 0.1}},
                   "layer": {"mode": "OUTERMOST", "name": "", "maxHops": 1,
                             "baggage": false},
                   "circuitBreaker": {}})",
                     RG_POLICY_METHOD),
            (Lines{"retryGuard.budget.tokenBucket" + target,
                   "retryGuard.layer.mode" + channel,
                   "retryGuard.layer.name" + channel,
                   "retryGuard.layer.maxHops" + channel,
                   "retryGuard.layer.baggage" + channel,
                   "retryGuard.circuitBreaker" + target}));
  EXPECT_EQ(FaultsIn(R"({"budget": {"window": {}}})", RG_POLICY_METHOD),
            Lines{"retryGuard.budget.window" + target});
}

TEST(PolicyParse, RefusesToSwitchTheBudgetOnForOneMethod) {
  EXPECT_EQ(FaultsIn(R"({"budget": {"disabled": false}})", RG_POLICY_METHOD),
            Lines{"retryGuard.budget.disabled: can only be true for a method, "
                  "false belongs to the whole target: set it in the retryGuard "
                  "at the top level of the service config"});
}

TEST(PolicyParse, BoundsTheFaultsOfABlockMadeOfNonsense) {
  std::string json = "{";
  for (int i = 0; i < 10000; i++)
    json += (i > 0 ? ",\"x" : "\"x") + std::to_string(i) + "\":1";
  json += "}";
  EXPECT_EQ(FaultsIn(json).size(), size_t{RG_FAULTS_MAX});
}
