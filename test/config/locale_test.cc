// SPDX-License-Identifier: Apache-2.0

// The host program's locale must not matter. In German 1.5 is "1,5"; in Pashto
// the decimal point takes two bytes.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "config/found_faults.h"
#include "config/service_config.h"
#include "config/text.h"

namespace {

// Puts the process into a locale, whose numbers are compiled into a folder of
// the test's own where the system does not have it.
class Locale : public testing::TestWithParam<const char *> {
 protected:
  void SetUp() override {
    if (Enter() || (Compile() && Enter())) return;
    GTEST_SKIP() << GetParam() << " is not there and cannot be compiled: "
                 << "localedef or the sources of the locales are missing";
  }

  void TearDown() override {
    std::setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  static std::string DecimalPoint() { return std::localeconv()->decimal_point; }

 private:
  static std::string Name() { return std::string(GetParam()) + ".UTF-8"; }

  static bool Enter() {
    return std::setlocale(LC_NUMERIC, Name().c_str()) != nullptr &&
           DecimalPoint() != ".";
  }

  bool Compile() {
    folder_ = testing::TempDir() + "/rg_locale_XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr) return false;
    std::ofstream(folder_ + "/source")
        << "LC_NUMERIC\ncopy \"" << GetParam() << "\"\nEND LC_NUMERIC\n";
    // It complains of the categories that are not there, hence -c.
    const std::string command = "cd '" + folder_ +
                                "' && localedef -c -i source -f UTF-8 ./" +
                                Name() + " >/dev/null 2>&1";
    if (std::system(command.c_str()) == -1) return false;
    return setenv("LOCPATH", folder_.c_str(), 1) == 0;
  }

  std::string folder_;
};

std::string Number(double value) {
  char text[RG_TEXT_NUMBER_SIZE];
  rg_text_number(value, text);
  return text;
}

void ExpectRightNumbers() {
  Block block(R"({"budget": {"tokenBucket": {"tokenRatio": 0.25,
                 "burst": "0.5s", "initialTokens": 1.5e0}}})");
  ASSERT_EQ(block.faults(), Lines{});
  rg_policy policy;
  rg_policy_resolve(block.get(), nullptr, &policy);
  EXPECT_EQ(policy.budget.bucket.ratio_milli, 250u);
  EXPECT_EQ(policy.budget.bucket.burst_ns, 500000000u);
  EXPECT_EQ(policy.budget.bucket.initial_milli, 1500u);
}

void ExpectRightServiceConfig() {
  const std::string json = R"({"methodConfig": [{"name": [{}], "retryPolicy": {
      "maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1.5s",
      "backoffMultiplier": 1.5, "retryableStatusCodes": ["UNAVAILABLE"]}}],
      "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.25},
      "retryGuard": {"budget": {"tokenBucket": {"tokenRatio": 0.25}}}})";
  rg_report report;
  rg_report_init(&report);
  rg_service_config *config =
      rg_service_config_read(json.data(), json.size(), &report);
  ASSERT_NE(config, nullptr);
  EXPECT_TRUE(rg_faults_empty(&report.errors));
  EXPECT_TRUE(rg_faults_empty(&report.warnings));
  EXPECT_EQ(config->methods[0].retry.multiplier_micro, 1500000u);
  EXPECT_EQ(config->methods[0].retry.max_backoff_ms, 1500u);
  EXPECT_EQ(config->throttling.ratio_milli, 250u);
  rg_policy policy;
  rg_service_config_policy(config, nullptr, &policy);
  EXPECT_EQ(policy.budget.bucket.ratio_milli, 250u);
  rg_service_config_destroy(config);
  rg_report_clean_up(&report);
}

void ExpectRightFaults() {
  EXPECT_EQ(Number(1.5), "1.5");
  EXPECT_EQ(Number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(
      Block(R"({"budget": {"tokenBucket": {"tokenRatio": 1.5}}})").faults(),
      Lines{"retryGuard.budget.tokenBucket.tokenRatio: must be in (0, 1], got "
            "1.5"});
}

}  // namespace

TEST_P(Locale, DoesNotMatterAndIsLeftAsItWas) {
  const std::string before = DecimalPoint();
  ExpectRightNumbers();
  ExpectRightServiceConfig();
  ExpectRightFaults();
  EXPECT_EQ(DecimalPoint(), before);
}

INSTANTIATE_TEST_SUITE_P(Of, Locale, testing::Values("de_DE", "ps_AF"),
                         [](const auto &test) {
                           std::string name = test.param;
                           name.erase(name.find('_'), 1);
                           return name;
                         });
