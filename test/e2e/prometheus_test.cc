// SPDX-License-Identifier: Apache-2.0

// What a real Prometheus makes of the metrics of a running program, of the
// alerts and of the dashboard. Skipped where it is not installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "e2e/prometheus.h"
#include "e2e/tiers.h"
#include "metrics/http.h"
#include "support/eventually.h"

namespace {

using rg_test::Eventually;
using rg_test::Get;
using rg_test::IsInstalled;
using rg_test::Json;
using rg_test::kPause;
using rg_test::Prometheus;
using rg_test::Shell;
using testing::HasSubstr;

// A retry for each call that fails, as far as the budget goes.
constexpr char kConfig[] =
    R"({"retryGuard":{"circuitBreaker":{"minRequests":1000},
        "budget":{"tokenBucket":{"initialTokens":40,"maxTokens":1000}}},
        "methodConfig":[{"name":[{"service":"retry_guard.test.Echo"}],
        "retryPolicy":{"maxAttempts":2,"initialBackoff":"0.01s",
        "maxBackoff":"0.01s","backoffMultiplier":1,
        "retryableStatusCodes":["UNAVAILABLE"]}}]})";

// The same with a breaker for each method, which opens soon.
constexpr char kScopes[] =
    R"({"retryGuard":{"circuitBreaker":{"scope":"METHOD",
        "consecutiveFailures":4,"cooldown":"0.5s"},
        "budget":{"tokenBucket":{"initialTokens":40,"maxTokens":1000}}},
        "methodConfig":[{"name":[{"service":"retry_guard.test.Echo"}],
        "retryPolicy":{"maxAttempts":2,"initialBackoff":"0.01s",
        "maxBackoff":"0.01s","backoffMultiplier":1,
        "retryableStatusCodes":["UNAVAILABLE"]}}]})";

class WatchedTier : public testing::Test {
 protected:
  explicit WatchedTier(const char *config = kConfig)
      : front_({"--next", leaf_.address(), "--guard", "--service-config",
                config, "--metrics", "127.0.0.1:0"}) {}

  void SetUp() override {
    if (!IsInstalled("prometheus") || !IsInstalled("promtool"))
      GTEST_SKIP() << "Prometheus is not installed";
    char line[128];
    ASSERT_TRUE(rg_process_read_line(const_cast<rg_process *>(front_.process()),
                                     line, sizeof line, 20000));
    ASSERT_EQ(std::string(line).rfind("metrics ", 0), 0u) << line;
    metrics_ = std::string(line).substr(strlen("metrics "));
  }

  Tier leaf_{{}};
  Tier front_;
  std::string metrics_;
};

TEST_F(WatchedTier, IsCountedByPrometheusAsByItsServers) {
  Prometheus prometheus(RG_SCRATCH_DIR "/prometheus_counts", metrics_);
  RetryGuard__Test__Plan fails = Plan(GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(front_.Call(100), 100u);
  EXPECT_EQ(front_.Call(50, &fails), 0u);
  const double requests = static_cast<double>(leaf_.Read()->requests);
  EXPECT_GT(requests, 150) << "some were retried";
  EXPECT_LT(requests, 250) << "and some were not";

  EXPECT_TRUE(Eventually(
      [&] { return prometheus.Value("retry_guard_calls_total") == 150; },
      kPause));
  EXPECT_EQ(prometheus.Value("sum(retry_guard_attempts_total{kind!~"
                             "\"transparent\"})"),
            requests);
  EXPECT_EQ(prometheus.Value("retry_guard_attempts_total{kind=\"retry\"}"),
            requests - 150);
  EXPECT_EQ(
      prometheus.Value("retry_guard_retries_stopped_total{reason=\"budget\"}"),
      200 - requests);
  EXPECT_EQ(prometheus.Value("retry_guard_retry_delay_seconds_count"),
            requests - 150);
  EXPECT_EQ(prometheus.Value("retry_guard_calls_total{target=\"dns:///" +
                             leaf_.address() + "\"}"),
            150);
  EXPECT_NEAR(prometheus.Value("retry_guard_amplification_ratio"),
              (requests - 150) / 150, 0.001);
}

// Every query of a file like this, with what Grafana puts for its variables.
std::vector<std::string> Queries(const std::string &path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  Json dashboard(json_loads(text.c_str(), 0, nullptr));
  EXPECT_NE(dashboard, nullptr) << path;
  std::vector<std::string> queries;
  size_t i, n;
  json_t *panel, *target;
  json_array_foreach(json_object_get(dashboard.get(), "panels"), i, panel) {
    json_array_foreach(json_object_get(panel, "targets"), n, target) {
      std::string query = json_string_value(json_object_get(target, "expr"));
      query =
          std::regex_replace(query, std::regex("\\$__rate_interval"), "30s");
      queries.push_back(
          std::regex_replace(query, std::regex("\\$(job|target)"), ".*"));
    }
  }
  return queries;
}

class WatchedTierWithScopes : public WatchedTier {
 protected:
  WatchedTierWithScopes() : WatchedTier(kScopes) {}
};

TEST_F(WatchedTierWithScopes, NamesTheMethodWhoseBreakerIsOpen) {
  Prometheus prometheus(RG_SCRATCH_DIR "/prometheus_scopes", metrics_);
  RetryGuard__Test__Plan fails = Plan(GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(front_.Call(5), 5u);
  const std::string method = "{scope=\"/retry_guard.test.Echo/Call\"";
  // Again and again, since it does not stay open.
  EXPECT_TRUE(Eventually(
      [&] {
        front_.Call(5, &fails);
        return prometheus.Value("retry_guard_scope_breaker_state" + method +
                                ",state=\"open\"}") == 1 &&
               prometheus.Value("retry_guard_breaker_state{state=\"open\"}") ==
                   1;
      },
      kPause));
  EXPECT_GT(prometheus.Value("retry_guard_scope_breaker_rejections_total" +
                             method + "}"),
            0);
  const std::string file = RG_SCRATCH_DIR "/metrics_of_scopes.txt";
  std::ofstream(file) << Get(metrics_, "/metrics").body;
  EXPECT_EQ(Shell("promtool check metrics <'" + file + "'"), "");
}

TEST_F(WatchedTierWithScopes, ShowsSomethingInEveryPanelOfTheDashboard) {
  Prometheus prometheus(RG_SCRATCH_DIR "/prometheus_panels", metrics_);
  RetryGuard__Test__Plan fails = Plan(GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(front_.Call(20), 20u);
  front_.Call(10, &fails);
  std::vector<std::string> queries = Queries(RG_METRICS_DIR "/dashboard.json");
  EXPECT_GE(queries.size(), 14u);
  for (const std::string &query : queries)
    EXPECT_TRUE(Eventually(
        [&] { return json_array_size(prometheus.Query(query).get()) > 0; },
        kPause))
        << query;
}

TEST_F(WatchedTier, GivesATextThatPromtoolFindsNoFaultWith) {
  front_.Call(3);
  const std::string file = RG_SCRATCH_DIR "/metrics.txt";
  std::filesystem::create_directories(RG_SCRATCH_DIR);
  std::ofstream(file) << Get(metrics_, "/metrics").body;
  EXPECT_EQ(Shell("promtool check metrics <'" + file + "'"), "");
}

// Prometheus asks for the other format, and has no such check of it.
TEST_F(WatchedTier, IsScrapedAsOpenMetrics) {
  front_.Call(3);
  Prometheus prometheus(RG_SCRATCH_DIR "/prometheus_open", metrics_);
  EXPECT_TRUE(Eventually(
      [&] { return prometheus.Value("up{job=\"tier\"}") == 1; }, kPause));
  EXPECT_EQ(prometheus.Value("retry_guard_calls_total"), 3);
  EXPECT_EQ(prometheus.Value("retry_guard_build_info"), 1);
}

TEST(Alerts, AreValidAndFireOnlyInAStorm) {
  if (!IsInstalled("promtool")) GTEST_SKIP() << "Prometheus is not installed";
  EXPECT_THAT(Shell("promtool check rules " RG_METRICS_DIR "/alerts.yml"),
              HasSubstr("SUCCESS: 5 rules found"));
  EXPECT_THAT(Shell("promtool test rules " RG_METRICS_DIR "/alerts_test.yml"),
              HasSubstr("SUCCESS"));
}

}  // namespace
