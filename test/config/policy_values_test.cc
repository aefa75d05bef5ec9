// SPDX-License-Identifier: Apache-2.0
#include "config/policy_values.h"

#include <gtest/gtest.h>
#include <jansson.h>

#include <map>
#include <set>
#include <string>

#include "config/every_field.h"

namespace rg_test {
namespace {

class Block {
 public:
  Block(const std::string &json, rg_policy_scope scope) {
    rg_faults faults;
    rg_faults_init(&faults);
    block_ =
        rg_policy_block_parse(json.data(), json.size(), scope, "", &faults);
    EXPECT_TRUE(rg_faults_empty(&faults)) << json;
    rg_faults_clean_up(&faults);
  }
  ~Block() { rg_policy_block_destroy(block_); }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  const rg_policy_block *get() const { return block_; }

 private:
  rg_policy_block *block_;
};

using Values = std::map<std::string, std::string>;

// Path to "value (source)".
Values ValuesOf(const rg_policy_block *channel, const rg_policy_block *method) {
  const char *sources[] = {"default", "channel", "method"};
  rg_policy_value values[RG_POLICY_VALUES_MAX];
  size_t count = rg_policy_values(channel, method, values);
  Values result;
  for (size_t i = 0; i < count; i++)
    result[values[i].path] =
        std::string(values[i].text) + " (" + sources[values[i].source] + ")";
  return result;
}

TEST(PolicyValues, AreTheDefaultsWithoutBlocks) {
  Values values = ValuesOf(nullptr, nullptr);
  EXPECT_EQ(values["mode"], "ENFORCE (default)");
  EXPECT_EQ(values["budget.disabled"], "false (default)");
  EXPECT_EQ(values["budget.tokenBucket.tokenRatio"], "0.1 (default)");
  EXPECT_EQ(values["budget.tokenBucket.burst"], "3s (default)");
  EXPECT_EQ(values["budget.tokenBucket.initialTokens"], "1 (default)");
  EXPECT_EQ(values["budget.tokenBucket.maxTokens"], "none (default)");
  EXPECT_EQ(values.count("budget.window.percent"), 0u);
  EXPECT_EQ(values["backoff.jitter"], "FULL (default)");
  EXPECT_EQ(values["layer.name"], "\"\" (default)");
  EXPECT_EQ(values["circuitBreaker.scope"], "TARGET (default)");
  EXPECT_EQ(values["circuitBreaker.failureStatusCodes"],
            "UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL, "
            "UNAVAILABLE (default)");
  EXPECT_EQ(values["circuitBreaker.cooldownJitter"], "0.2 (default)");
  EXPECT_EQ(values["circuitBreaker.probeTimeout"], "2s (default)");
  EXPECT_EQ(values["deadline.attemptTimeout"], "none (default)");
  EXPECT_EQ(values["idempotency"], "ANY (default)");
  EXPECT_EQ(values["keyHeader"], "\"idempotency-key\" (default)");
}

// The paths of all in `json` that has no fields of its own.
void AddLeaves(const json_t *json, const std::string &path,
               std::set<std::string> *leaves) {
  if (!json_is_object(json)) {
    leaves->insert(path);
    return;
  }
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)json, key, value) {
    AddLeaves(value, path.empty() ? key : path + "." + key, leaves);
  }
}

TEST(PolicyValues, KnowEveryFieldOfTheSchema) {
  json_t *json = json_loads(kEveryField, 0, nullptr);
  std::set<std::string> leaves;
  AddLeaves(json, "", &leaves);
  json_decref(json);
  Block channel(kEveryField, RG_POLICY_CHANNEL);
  std::set<std::string> said;
  for (const auto &[path, value] : ValuesOf(channel.get(), nullptr)) {
    said.insert(path);
    EXPECT_NE(value.find("(channel)"), std::string::npos) << path;
  }
  EXPECT_EQ(said, leaves);
}

TEST(PolicyValues, HaveRoomForAllCodes) {
  const std::string all =
      "CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, "
      "ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED, "
      "FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, "
      "UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED";
  std::string list = all;
  for (size_t at = 0; (at = list.find(", ", at)) != std::string::npos; at += 3)
    list.replace(at, 2, "\",\"");
  Block channel(
      "{\"circuitBreaker\":{\"failureStatusCodes\":[\"" + list + "\"]}}",
      RG_POLICY_CHANNEL);
  EXPECT_EQ(
      ValuesOf(channel.get(), nullptr)["circuitBreaker.failureStatusCodes"],
      all + " (channel)");
}

TEST(PolicyValues, SayWhereTheyComeFrom) {
  Block channel(R"({"budget": {"window": {"percent": 10}},
                    "backoff": {"jitter": "EQUAL", "floor": "0.02s"},
                    "layer": {"name": "edge"}, "mode": "SHADOW",
                    "circuit_breaker": {"scope": "BACKEND",
                                        "max_cooldown": "60s"}})",
                RG_POLICY_CHANNEL);
  Block method(R"({"backoff": {"jitter": "NATIVE"}, "mode": "ENFORCE",
                   "budget": {"disabled": true}})",
               RG_POLICY_METHOD);
  Values values = ValuesOf(channel.get(), method.get());
  EXPECT_EQ(values["mode"], "ENFORCE (method)");
  EXPECT_EQ(values["budget.disabled"], "true (method)");
  EXPECT_EQ(values["budget.window.percent"], "10 (channel)");
  EXPECT_EQ(values["budget.window.interval"], "10s (default)");
  EXPECT_EQ(values["budget.window.minRetryRate"], "1 in 10s (default)");
  EXPECT_EQ(values.count("budget.tokenBucket.tokenRatio"), 0u);
  EXPECT_EQ(values["backoff.jitter"], "NATIVE (method)");
  EXPECT_EQ(values["backoff.floor"], "0.02s (channel)");
  EXPECT_EQ(values["layer.name"], "\"edge\" (channel)");
  EXPECT_EQ(values["circuitBreaker.scope"], "BACKEND (channel)");
  EXPECT_EQ(values["circuitBreaker.maxCooldown"], "60s (channel)");
}

}  // namespace
}  // namespace rg_test
