// SPDX-License-Identifier: Apache-2.0
#include "cli/retry_config.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

namespace {

// The service config, written as short as can be.
std::string Config(
    const std::vector<std::string> &safe,
    const rg_retry_settings &settings = rg_retry_settings_usual()) {
  std::vector<rg_method> items;
  for (const std::string &path : safe)
    items.push_back({const_cast<char *>(path.c_str()), path.find('/'), true});
  rg_methods methods{items.data(), items.size(), items.size()};
  json_t *config = rg_retry_config(&methods, &settings);
  char *text = json_dumps(config, JSON_COMPACT | JSON_REAL_PRECISION(15));
  std::string copy = text != nullptr ? text : "";
  free(text);
  json_decref(config);
  return copy;
}

size_t Count(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at++)
    count++;
  return count;
}

TEST(RetryConfig, HasAnEntryForEachService) {
  std::string config = Config({"a.B/C", "a.B/D", "a.BB/C", "B/C"});
  EXPECT_EQ(Count(config, "retryPolicy"), 3u);
  EXPECT_EQ(Count(config, R"("name":[{"service":"a.B","method":"C"},)"
                          R"({"service":"a.B","method":"D"}])"),
            1u);
  EXPECT_EQ(Count(config, R"("name":[{"service":"a.BB","method":"C"}])"), 1u);
  EXPECT_EQ(Count(config, R"("name":[{"service":"B","method":"C"}])"), 1u);
}

TEST(RetryConfig, OfNoSafeMethodsIsAGuardAlone) {
  EXPECT_EQ(Config({}), R"({"retryGuard":{},"methodConfig":[]})");
}

TEST(RetryConfig, WritesNumbersAsPeopleDo) {
  rg_retry_settings settings = rg_retry_settings_usual();
  for (auto [multiplier, text] :
       {std::pair(2.0, ":2,"), std::pair(1.5, ":1.5,"),
        std::pair(1e300, ":1e300,"), std::pair(0.25, ":0.25,")}) {
    settings.backoff_multiplier = multiplier;
    EXPECT_EQ(Count(Config({"a.B/C"}, settings),
                    "\"backoffMultiplier\"" + std::string(text)),
              1u)
        << text << " " << Config({"a.B/C"}, settings);
  }
}

}  // namespace
