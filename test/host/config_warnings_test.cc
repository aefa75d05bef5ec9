// SPDX-License-Identifier: Apache-2.0
#include "host/config_warnings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rg_test {
namespace {

using Lines = std::vector<std::string>;

Lines WarningsOf(const std::string &json) {
  Lines lines;
  rg_config_warnings(
      json.data(), json.size(),
      [](const char *line, void *arg) {
        static_cast<Lines *>(arg)->push_back(line);
      },
      &lines);
  return lines;
}

TEST(ConfigWarnings, AreToldOnce) {
  const std::string json = R"({"retryGuard": {}, "retryPolicy": {}})";
  EXPECT_EQ(
      WarningsOf(json),
      (Lines{"service config: retryPolicy: is ignored here: it belongs in "
             "a methodConfig entry",
             "service config: retryGuard: has no retries to guard: no "
             "methodConfig entry has a retryPolicy"}));
  EXPECT_EQ(WarningsOf(json), Lines{});
  EXPECT_EQ(WarningsOf(json + " ").size(), 2u) << "another config";
}

TEST(ConfigWarnings, LeaveConfigsWithoutTheGuardAlone) {
  EXPECT_EQ(WarningsOf(R"({"retryPolicy": {}})"), Lines{});
  EXPECT_EQ(WarningsOf(R"({"retry": 1, "guard": 2})"), Lines{});
  EXPECT_EQ(WarningsOf(""), Lines{});
  EXPECT_EQ(WarningsOf("retry"), Lines{});
}

TEST(ConfigWarnings, FindAMisspeltGuard) {
  for (const char *name : {"retry_guard", "RetryGuard", "retryguard",
                           "retry-guard", "RETRY_GUARD"})
    EXPECT_EQ(WarningsOf(std::string(R"({")") + name + R"(": {}})"),
              (Lines{std::string("service config: ") +
                     (name[5] == '-' ? "[\"retry-guard\"]" : name) +
                     ": is unknown to gRPC, which ignores it; write it "
                     "\"retryGuard\""}))
        << name;
}

TEST(ConfigWarnings, AreBounded) {
  std::string json = R"({"retryGuard": {})";
  for (int i = 0; i < 200; i++) json += ", \"x" + std::to_string(i) + "\": 1";
  Lines lines = WarningsOf(json + "}");
  EXPECT_EQ(lines.size(), size_t{RG_CONFIG_WARNINGS_LINES} + 1);
  EXPECT_EQ(lines.back(), "service config: and 181 more warnings");
}

TEST(ConfigWarnings, AreToldAgainWhenForgotten) {
  auto config = [](int i) {
    return R"({"retryGuard": {}, "z": )" + std::to_string(i) + "}";
  };
  for (int i = 0; i <= RG_CONFIG_WARNINGS_REMEMBERED; i++)
    EXPECT_EQ(WarningsOf(config(i)).size(), 2u);
  EXPECT_EQ(WarningsOf(config(RG_CONFIG_WARNINGS_REMEMBERED)), Lines{});
  EXPECT_EQ(WarningsOf(config(0)).size(), 2u);
}

}  // namespace
}  // namespace rg_test
