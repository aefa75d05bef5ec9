// SPDX-License-Identifier: Apache-2.0

// What the blocks come to.
#include <gtest/gtest.h>

#include <string>

#include "config/every_field.h"
#include "config/found_faults.h"
#include "config/policy_facts.h"

namespace {

rg_policy Resolve(const std::string &channel, const std::string &method = "") {
  Block channel_block(channel.empty() ? "{}" : channel);
  Block method_block(method.empty() ? "{}" : method, RG_POLICY_METHOD);
  EXPECT_EQ(channel_block.faults(), Lines{}) << channel;
  EXPECT_EQ(method_block.faults(), Lines{}) << method;
  rg_policy policy;
  rg_policy_resolve(channel.empty() ? nullptr : channel_block.get(),
                    method.empty() ? nullptr : method_block.get(), &policy);
  return policy;
}

rg_token_bucket_policy Bucket(const std::string &fields) {
  rg_policy policy = Resolve(R"({"budget": {"tokenBucket": )" + fields + "}}");
  EXPECT_EQ(policy.budget.kind, RG_BUDGET_TOKEN_BUCKET);
  return policy.budget.bucket;
}

rg_retry_window_policy Window(const std::string &fields) {
  rg_policy policy = Resolve(R"({"budget": {"window": )" + fields + "}}");
  EXPECT_EQ(policy.budget.kind, RG_BUDGET_WINDOW);
  return policy.budget.window;
}

uint64_t FloorMs(const std::string &floor) {
  return Resolve(R"({"backoff": {"floor": ")" + floor + R"("}})")
      .backoff.floor_ms;
}

constexpr uint64_t kSecond = 1000000000;

}  // namespace

TEST(PolicyResolve, StartsFromTheDefaults) {
  rg_policy policy = Resolve("");
  EXPECT_EQ(policy.budget.kind, RG_BUDGET_TOKEN_BUCKET);
  EXPECT_TRUE(policy.budgeted);
  EXPECT_EQ(policy.budget.bucket.ratio_milli, 100u);
  EXPECT_EQ(policy.budget.bucket.burst_ns, 3 * kSecond);
  EXPECT_EQ(policy.budget.bucket.initial_milli, 1000u);
  EXPECT_EQ(policy.budget.bucket.max_milli, 0u);
  EXPECT_EQ(policy.backoff.jitter, RG_JITTER_FULL);
  EXPECT_EQ(policy.backoff.floor_ms, 0u);
  EXPECT_FALSE(policy.layer.disabled);
  EXPECT_EQ(policy.layer.mode, RG_LAYER_OUTERMOST);
  EXPECT_EQ(policy.layer.name_length, 0u);
  EXPECT_EQ(policy.layer.max_hops, 16u);
}

TEST(PolicyResolve, TakesEmptyBlocksAsDefaults) {
  for (const char *json :
       {"{}", R"({"budget": {}, "backoff": {}, "layer": {}})",
        R"({"budget": {"disabled": false}})",
        R"({"budget": {"tokenBucket": {}}})",
        R"({"budget": null, "backoff": {"jitter": null}})"})
    EXPECT_EQ(PolicyFacts(Resolve(json)), PolicyFacts(Resolve(""))) << json;
  EXPECT_EQ(PolicyFacts(Resolve("", "{}")), PolicyFacts(Resolve("")));
}

TEST(PolicyResolve, KeepsTheBucketInThousandths) {
  rg_token_bucket_policy bucket = Bucket(
      R"({"tokenRatio": 0.6, "burst": "2.5s", "initialTokens": 2.5,
          "maxTokens": 100})");
  EXPECT_EQ(bucket.ratio_milli, 600u);
  EXPECT_EQ(bucket.burst_ns, 2500000000u);
  EXPECT_EQ(bucket.initial_milli, 2500u);
  EXPECT_EQ(bucket.max_milli, 100000u);
}

TEST(PolicyResolve, RoundsARatioToTheNearestThousandthButNotToNothing) {
  // Every thousandth is itself, though few of them are exact in binary.
  for (unsigned milli = 1; milli <= 1000; milli++) {
    std::string ratio =
        std::to_string(milli / 1000) + "." +
        std::string(3 - std::to_string(milli % 1000).size(), '0') +
        std::to_string(milli % 1000);
    EXPECT_EQ(Bucket("{\"tokenRatio\": " + ratio + "}").ratio_milli, milli);
  }
  EXPECT_EQ(Bucket(R"({"tokenRatio": 1})").ratio_milli, 1000u);
  EXPECT_EQ(Bucket(R"({"tokenRatio": 0.12345})").ratio_milli, 123u);
  EXPECT_EQ(Bucket(R"({"tokenRatio": 0.1236})").ratio_milli, 124u);
  EXPECT_EQ(Bucket(R"({"tokenRatio": 0.0004})").ratio_milli, 1u);
  EXPECT_EQ(Bucket(R"({"tokenRatio": 5e-324})").ratio_milli, 1u);
  EXPECT_EQ(Bucket(R"({"tokenRatio": 0.9999})").ratio_milli, 1000u);
}

TEST(PolicyResolve, TellsNoTokensFromNoBound) {
  EXPECT_EQ(Bucket(R"({"initialTokens": 0})").initial_milli, 0u);
  EXPECT_EQ(Bucket(R"({"initialTokens": 1000})").initial_milli, 1000000u);
  EXPECT_EQ(Bucket(R"({"maxTokens": 0.0001})").max_milli, 1u)
      << "0 would be no bound";
  EXPECT_EQ(Bucket(R"({"maxTokens": 1000000})").max_milli, 1000000000u);
}

TEST(PolicyResolve, SpreadsTheMinimumRateOverTheInterval) {
  rg_retry_window_policy window = Window("{}");
  EXPECT_EQ(window.percent, 20u);
  EXPECT_EQ(window.interval_ns, 10 * kSecond);
  EXPECT_EQ(window.min_retries_milli, 1000u) << "one in 10 s, for 10 s";

  EXPECT_EQ(Window(R"({"interval": "60s"})").min_retries_milli, 6000u);
  EXPECT_EQ(Window(R"({"interval": "0.1s"})").min_retries_milli, 10u);
  EXPECT_EQ(Window(R"({"minRetryRate": {"count": 0}})").min_retries_milli, 0u);
  EXPECT_EQ(Window(R"({"minRetryRate": {"interval": "1s"}})").min_retries_milli,
            10000u);
  EXPECT_EQ(Window(R"({"minRetryRate": {"count": 10, "interval": "1s"}})")
                .min_retries_milli,
            100000u);
  EXPECT_EQ(Window(R"({"minRetryRate": {"count": 2, "interval": "3s"}})")
                .min_retries_milli,
            6666u)
      << "20/3 retries, rounded down";
  EXPECT_EQ(Window(R"({"interval": "3600s",
                       "minRetryRate": {"count": 1000000, "interval": "0.1s"}})")
                .min_retries_milli,
            36000000000000u)
      << "a million times 36,000, in thousandths";
}

TEST(PolicyResolve, ReadsTheWindow) {
  rg_retry_window_policy window =
      Window(R"({"percent": 0, "interval": "0.5s"})");
  EXPECT_EQ(window.percent, 0u);
  EXPECT_EQ(window.interval_ns, kSecond / 2);
  EXPECT_EQ(Window(R"({"percent": 100})").percent, 100u);
}

TEST(PolicyResolve, RoundsTheFloorUpSoThatNoRetryIsEarlier) {
  EXPECT_EQ(FloorMs("0s"), 0u);
  EXPECT_EQ(FloorMs("0.001s"), 1u);
  EXPECT_EQ(FloorMs("0.000000001s"), 1u);
  EXPECT_EQ(FloorMs("0.001000001s"), 2u);
  EXPECT_EQ(FloorMs("60s"), 60000u);
}

TEST(PolicyResolve, ReadsBackoffAndLayer) {
  rg_policy policy = Resolve(
      R"({"backoff": {"jitter": "EQUAL"},
          "layer": {"disabled": true, "name": "checkout", "maxHops": 255}})");
  EXPECT_EQ(policy.backoff.jitter, RG_JITTER_EQUAL);
  EXPECT_TRUE(policy.layer.disabled);
  EXPECT_EQ(std::string(policy.layer.name, policy.layer.name_length),
            "checkout");
  EXPECT_EQ(policy.layer.max_hops, 255u);
  EXPECT_EQ(Resolve(R"({"backoff": {"jitter": "NATIVE"}})").backoff.jitter,
            RG_JITTER_NATIVE);
  EXPECT_EQ(Resolve(R"({"backoff": {"jitter": 1}})").backoff.jitter,
            RG_JITTER_EQUAL);
}

TEST(PolicyResolve, KeepsANameOfTheFullLength) {
  const std::string name(64, 'n');
  rg_policy policy = Resolve(R"({"layer": {"name": ")" + name + R"("}})");
  EXPECT_EQ(std::string(policy.layer.name, policy.layer.name_length), name);
}

TEST(PolicyResolve, MakesADisabledBudgetUnlimited) {
  rg_policy policy =
      Resolve(R"({"budget": {"disabled": true, "window": {"percent": 5}}})");
  EXPECT_EQ(policy.budget.kind, RG_BUDGET_UNLIMITED);
  EXPECT_FALSE(policy.budgeted);
}

TEST(PolicyResolve, LetsAMethodOverrideFieldByField) {
  const char *channel =
      R"({"backoff": {"jitter": "EQUAL", "floor": "1s"},
          "layer": {"disabled": true, "name": "shop", "maxHops": 3}})";
  rg_policy policy = Resolve(channel, R"({"backoff": {"floor": "2s"},
                                          "layer": {"disabled": false}})");
  EXPECT_EQ(policy.backoff.jitter, RG_JITTER_EQUAL) << "the channel's";
  EXPECT_EQ(policy.backoff.floor_ms, 2000u);
  EXPECT_FALSE(policy.layer.disabled);
  EXPECT_EQ(std::string(policy.layer.name, policy.layer.name_length), "shop");
  EXPECT_EQ(policy.layer.max_hops, 3u);

  policy = Resolve(channel, R"({"backoff": {"jitter": "FULL"}})");
  EXPECT_EQ(policy.backoff.jitter, RG_JITTER_FULL)
      << "the default, but it is said";
  EXPECT_EQ(policy.backoff.floor_ms, 1000u);
  EXPECT_TRUE(policy.layer.disabled);
}

TEST(PolicyResolve, LetsAMethodSetItsFloorBackToNothing) {
  EXPECT_EQ(Resolve(R"({"backoff": {"floor": "1s"}})",
                    R"({"backoff": {"floor": "0s"}})")
                .backoff.floor_ms,
            0u);
}

TEST(PolicyResolve, TakesAMethodOutOfTheBudgetAndLeavesTheBudgetAlone) {
  const char *channel = R"({"budget": {"tokenBucket": {"tokenRatio": 0.5}}})";
  rg_policy policy = Resolve(channel, R"({"budget": {"disabled": true}})");
  EXPECT_FALSE(policy.budgeted);
  EXPECT_EQ(policy.budget.kind, RG_BUDGET_TOKEN_BUCKET)
      << "the other methods of the target go on using it";
  EXPECT_EQ(policy.budget.bucket.ratio_milli, 500u);
  EXPECT_TRUE(Resolve(channel, R"({"budget": {}})").budgeted);
}

TEST(PolicyResolve, NeedsNoBlockOfTheChannel) {
  rg_policy policy = Resolve("", R"({"backoff": {"floor": "2s"}})");
  EXPECT_EQ(policy.backoff.floor_ms, 2000u);
  EXPECT_EQ(policy.budget.bucket.ratio_milli, 100u);
}

TEST(PolicyResolve, StartsTheBreakerFromItsDefaults) {
  const rg_breaker_policy breaker = Resolve("").breaker;
  EXPECT_FALSE(breaker.disabled);
  EXPECT_EQ(breaker.scope, RG_BREAKER_PER_TARGET);
  EXPECT_EQ(breaker.failure_codes,
            1u << 14 | 1u << 4 | 1u << 8 | 1u << 13 | 1u << 2);
  EXPECT_EQ(breaker.failure_ratio_milli, 500u);
  EXPECT_EQ(breaker.min_requests, 20u);
  EXPECT_EQ(breaker.consecutive_failures, 0u);
  EXPECT_EQ(breaker.window_ns, 10 * kSecond);
  EXPECT_EQ(breaker.cooldown_ns, 2 * kSecond);
  EXPECT_EQ(breaker.max_cooldown_ns, 0u);
  EXPECT_EQ(breaker.cooldown_jitter_milli, 200u);
  EXPECT_EQ(breaker.probes, 1u);
  EXPECT_EQ(breaker.probe_timeout_ns, 2 * kSecond);
}

TEST(PolicyResolve, StartsTheRestFromItsDefaults) {
  const rg_policy policy = Resolve("");
  EXPECT_EQ(policy.mode, RG_MODE_ENFORCE);
  EXPECT_EQ(policy.idempotency.mode, RG_IDEMPOTENCY_ANY);
  EXPECT_STREQ(policy.idempotency.key_header, "idempotency-key");
  EXPECT_FALSE(policy.deadline.disabled);
  EXPECT_FALSE(policy.deadline.adaptive);
  EXPECT_EQ(policy.deadline.hop_margin_ns, 0u);
  EXPECT_EQ(policy.deadline.min_attempt_ns, 0u);
  EXPECT_EQ(policy.deadline.attempt_timeout_ns, 0u);
  EXPECT_EQ(policy.deadline.min_remaining_ns, 0u);
  EXPECT_FALSE(policy.layer.baggage);
}

TEST(PolicyResolve, ReadsEveryFieldOfABreaker) {
  const rg_policy policy = Resolve(kEveryField);
  const rg_breaker_policy &breaker = policy.breaker;
  EXPECT_FALSE(breaker.disabled);
  EXPECT_EQ(breaker.scope, RG_BREAKER_PER_METHOD);
  EXPECT_EQ(breaker.failure_codes, 1u << 14 | 1u << 10);
  EXPECT_EQ(breaker.failure_ratio_milli, 400u);
  EXPECT_EQ(breaker.min_requests, 5u);
  EXPECT_EQ(breaker.consecutive_failures, 7u);
  EXPECT_EQ(breaker.window_ns, 20 * kSecond);
  EXPECT_EQ(breaker.cooldown_ns, kSecond);
  EXPECT_EQ(breaker.max_cooldown_ns, 60 * kSecond);
  EXPECT_EQ(breaker.cooldown_jitter_milli, 100u);
  EXPECT_EQ(breaker.probes, 2u);
  EXPECT_EQ(breaker.probe_timeout_ns, 2 * kSecond);
}

TEST(PolicyResolve, ReadsEveryFieldOfADeadlineAndOfWhatIsSafe) {
  const rg_policy policy = Resolve(kEveryField);
  EXPECT_EQ(policy.deadline.hop_margin_ns, 5000000u);
  EXPECT_EQ(policy.deadline.min_attempt_ns, 20000000u);
  EXPECT_TRUE(policy.deadline.adaptive);
  EXPECT_EQ(policy.deadline.attempt_timeout_ns, 250000000u);
  EXPECT_EQ(policy.deadline.min_remaining_ns, 30000000u);
  EXPECT_EQ(policy.idempotency.mode, RG_IDEMPOTENCY_KEY);
  EXPECT_STREQ(policy.idempotency.key_header, "request-id");
  EXPECT_EQ(policy.mode, RG_MODE_SHADOW);
  EXPECT_EQ(policy.layer.mode, RG_LAYER_INNERMOST);
  EXPECT_TRUE(policy.layer.baggage);
}

TEST(PolicyResolve, KnowsEveryNameOfAnEnum) {
  const char *const kScopes[] = {"TARGET", "SERVICE", "METHOD", "BACKEND"};
  for (int i = 0; i < 4; i++)
    EXPECT_EQ(Resolve(std::string(R"({"circuitBreaker": {"scope": ")") +
                      kScopes[i] + R"("}})")
                  .breaker.scope,
              i);
  const char *const kModes[] = {"ENFORCE", "SHADOW", "OFF"};
  for (int i = 0; i < 3; i++)
    EXPECT_EQ(Resolve(std::string(R"({"mode": ")") + kModes[i] + R"("})").mode,
              i);
  const char *const kIdempotencies[] = {"ANY", "KEY", "GENERATE"};
  for (int i = 0; i < 3; i++)
    EXPECT_EQ(Resolve(std::string(R"({"idempotency": ")") + kIdempotencies[i] +
                      R"("})")
                  .idempotency.mode,
              i);
}

// Shorter than the default as well as longer.
TEST(PolicyResolve, LetsAProbeTakeAsLongAsTheCooldownUnlessToldOtherwise) {
  EXPECT_EQ(Resolve(R"({"circuitBreaker": {"cooldown": "2s"}})")
                .breaker.probe_timeout_ns,
            2 * kSecond);
  EXPECT_EQ(Resolve(R"({"circuitBreaker": {"cooldown": "60s"}})")
                .breaker.probe_timeout_ns,
            60 * kSecond);
  EXPECT_EQ(Resolve(R"({"circuitBreaker":
                        {"cooldown": "2s", "probeTimeout": "3s"}})")
                .breaker.probe_timeout_ns,
            3 * kSecond);
}

TEST(PolicyResolve, KeepsRatiosOfABreakerInThousandths) {
  const auto breaker = [](const char *fields) {
    return Resolve(std::string(R"({"circuitBreaker": {)") + fields + "}}")
        .breaker;
  };
  EXPECT_EQ(breaker(R"("failureRatio": 0)").failure_ratio_milli, 0u);
  EXPECT_EQ(breaker(R"("failureRatio": 0.0004)").failure_ratio_milli, 0u);
  EXPECT_EQ(breaker(R"("failureRatio": 0.9996)").failure_ratio_milli, 1000u);
  EXPECT_EQ(breaker(R"("failureRatio": 1)").failure_ratio_milli, 1000u);
  EXPECT_EQ(breaker(R"("cooldownJitter": 0)").cooldown_jitter_milli, 0u);
  EXPECT_EQ(breaker(R"("cooldownJitter": 1)").cooldown_jitter_milli, 1000u);
}

TEST(PolicyResolve, LetsAMethodOverrideDeadlineIdempotencyAndModeByField) {
  const rg_policy policy =
      Resolve(R"({"deadline": {"hopMargin": "1s", "minAttempt": "2s",
                               "adaptive": true, "disabled": true},
                  "idempotency": "KEY", "keyHeader": "a", "mode": "SHADOW"})",
              R"({"deadline": {"hopMargin": "0s", "disabled": false},
                  "keyHeader": "b", "mode": "ENFORCE"})");
  EXPECT_EQ(policy.deadline.hop_margin_ns, 0u);
  EXPECT_EQ(policy.deadline.min_attempt_ns, 2 * kSecond) << "the channel's";
  EXPECT_TRUE(policy.deadline.adaptive);
  EXPECT_FALSE(policy.deadline.disabled);
  EXPECT_EQ(policy.idempotency.mode, RG_IDEMPOTENCY_KEY);
  EXPECT_STREQ(policy.idempotency.key_header, "b");
  EXPECT_EQ(policy.mode, RG_MODE_ENFORCE);
}

TEST(PolicyResolve, GivesAMethodTheChannelsBreakerAndLayerMode) {
  const rg_policy policy =
      Resolve(R"({"circuitBreaker": {"disabled": true, "minRequests": 3},
                  "layer": {"mode": "INNERMOST", "baggage": true}})",
              R"({"layer": {"disabled": false}, "idempotency": "ANY"})");
  EXPECT_TRUE(policy.breaker.disabled);
  EXPECT_EQ(policy.breaker.min_requests, 3u);
  EXPECT_EQ(policy.layer.mode, RG_LAYER_INNERMOST);
  EXPECT_TRUE(policy.layer.baggage);
}

TEST(PolicyResolve, KeepsAKeyHeaderOfTheFullLength) {
  const std::string name(64, 'k');
  EXPECT_EQ(
      Resolve(R"({"keyHeader": ")" + name + R"("})").idempotency.key_header,
      name);
}
