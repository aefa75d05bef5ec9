// SPDX-License-Identifier: Apache-2.0
#include "config/service_config.h"

#include <gtest/gtest.h>

#include <string>

#include "config/read_config.h"
#include "config/service_config_table.h"

namespace rg_test {
namespace {

TEST(ServiceConfig, SaysWhatIsWrongWithEachOfTheTable) {
  EXPECT_GE(ServiceConfigCases().size(), 120u);
  for (const ServiceConfigCase &c : ServiceConfigCases()) {
    ReadConfig read(c.json);
    EXPECT_EQ(read.errors(), c.errors) << c.json;
    EXPECT_EQ(read.warnings(), c.warnings) << c.json;
  }
}

TEST(ServiceConfig, TellsWhatToWriteInstead) {
  EXPECT_EQ(ReadConfig(Top(R"("retry_guard": {})")).message(),
            "is unknown to gRPC, which ignores it; write it \"retryGuard\"");
  EXPECT_EQ(ReadConfig(Top(R"("retryPolicy": {})")).message(),
            "is ignored here: it belongs in a methodConfig entry");
  EXPECT_EQ(ReadConfig(Top(R"("retry_policies": {})")).message(),
            "is unknown to gRPC, which ignores it");
  EXPECT_EQ(ReadConfig(Member(R"("retryThrotling": {})")).message(),
            "is unknown to gRPC, which ignores it");
  EXPECT_EQ(ReadConfig(Member(R"("max_tokens": 1)")).message(),
            "is unknown to gRPC, which ignores it; write it \"maxTokens\", in "
            "retryThrottling");
  EXPECT_EQ(ReadConfig(Retry("initialBackoff", "\"-0.05s\"")).message(),
            "is \"-0.05s\", which gRPC reads as \"0.05s\": write it without a "
            "sign");
  EXPECT_EQ(ReadConfig(Retry("initialBackoff", "\"0.0015s\"")).message(),
            "is \"0.0015s\", which gRPC reads as \"0.001s\": it counts whole "
            "milliseconds");
  EXPECT_EQ(
      ReadConfig(Throttling(R"({"maxTokens": 10, "tokenRatio": 1})")).message(),
      "is 1, which gRPC reads as 0.001: write it with a decimal point");
}

TEST(ServiceConfig, HoldsWhatGrpcReads) {
  ReadConfig read(
      Member(R"("timeout": "1.5s", "retryGuard": {"mode": "OFF"})"));
  ASSERT_EQ(read.get()->count, 1u);
  const rg_method_config &method = read.get()->methods[0];
  EXPECT_TRUE(method.has_retry);
  EXPECT_EQ(method.retry.max_attempts, 3u);
  EXPECT_EQ(method.retry.initial_backoff_ms, 100u);
  EXPECT_EQ(method.retry.max_backoff_ms, 1000u);
  EXPECT_EQ(method.retry.multiplier_micro, 2000000u);
  EXPECT_EQ(method.retry.retryable_codes, 1u << 14);
  EXPECT_TRUE(method.has_timeout);
  EXPECT_EQ(method.timeout_ms, 1500u);
  EXPECT_TRUE(rg_service_config_is_guarded(read.get()));
  EXPECT_FALSE(rg_service_config_guards(read.get(), &method));
  EXPECT_TRUE(rg_service_config_guards(read.get(), nullptr));
}

TEST(ServiceConfig, IsGuardedWhereAnyModeIsNotOff) {
  auto is_guarded = [](const std::string &json) {
    ReadConfig read(json);
    return rg_service_config_is_guarded(read.get());
  };
  EXPECT_TRUE(is_guarded(R"({"retryGuard": {}})"));
  EXPECT_TRUE(is_guarded(R"({"retryGuard": {"mode": "SHADOW"}})"));
  EXPECT_FALSE(is_guarded(R"({"retryGuard": {"mode": "OFF"}})"));
  EXPECT_FALSE(is_guarded(R"({})"));
  EXPECT_TRUE(is_guarded(R"({"retryGuard": {"mode": "OFF"}, "methodConfig": [
      {"name": [{}], "retryGuard": {"mode": "ENFORCE"}}]})"));
}

TEST(ServiceConfig, ClampsTheAttemptsAsGrpcDoes) {
  EXPECT_EQ(ReadConfig(Retry("maxAttempts", "9"))
                .get()
                ->methods[0]
                .retry.max_attempts,
            5u);
}

TEST(ServiceConfig, FindsTheMostSpecificEntry) {
  ReadConfig read(R"({"methodConfig": [
      {"name": [{}]},
      {"name": [{"service": "s.S"}, {"service": "s.T", "method": "M"}]},
      {"name": [{"service": "s.S", "method": "M"}]}]})");
  const rg_service_config *config = read.get();
  EXPECT_EQ(rg_service_config_find(config, "s.S", "M"), 2u);
  EXPECT_EQ(rg_service_config_find(config, "s.S", "N"), 1u);
  EXPECT_EQ(rg_service_config_find(config, "s.T", "M"), 1u);
  EXPECT_EQ(rg_service_config_find(config, "s.T", "N"), 0u);
  EXPECT_EQ(rg_service_config_find(config, "s", "S"), 0u);
  EXPECT_EQ(rg_service_config_find(ReadConfig("{}").get(), "s.S", "M"),
            RG_NATIVE_NO_ENTRY);
}

TEST(ServiceConfig, ListsAllItsFaultsIfAsked) {
  std::string json = R"({"methodConfig": [)";
  for (int i = 0; i < 500; i++) json += i > 0 ? ", {}" : "{}";
  json += "]}";
  ReadConfig few(json);
  EXPECT_EQ(few.report().warnings.count, size_t{RG_FAULTS_MAX});
  EXPECT_EQ(rg_faults_total(&few.report().warnings), 500u);
  rg_report report;
  rg_report_init(&report);
  report.warnings.limit = 1000;
  rg_service_config_destroy(
      rg_service_config_read(json.data(), json.size(), &report));
  EXPECT_EQ(report.warnings.count, 500u);
  rg_report_clean_up(&report);
}

}  // namespace
}  // namespace rg_test
