// SPDX-License-Identifier: Apache-2.0
#include "preload/settings.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace {

constexpr const char *kNames[] = {
    "RETRY_GUARD_SERVICE_CONFIG", "RETRY_GUARD_LAYER",
    "RETRY_GUARD_ACCEPT_MARKS",   "RETRY_GUARD_MODE",
    "RETRY_GUARD_STRICT",         "RETRY_GUARD_METRICS"};

class Settings : public testing::Test {
 protected:
  void SetUp() override {
    for (const char *name : kNames) unsetenv(name);
  }
  void TearDown() override { SetUp(); }

  void Read() {
    char text[RG_SETTINGS_FAULT_SIZE] = "";
    good_ = rg_settings_read(&settings_, text);
    fault_ = text;
  }

  void ExpectDefaults() const {
    EXPECT_EQ(settings_.service_config, nullptr);
    EXPECT_EQ(settings_.layer_name, nullptr);
    EXPECT_TRUE(settings_.accept_marks);
    EXPECT_EQ(settings_.mode, RETRY_GUARD_MODE_OF_POLICY);
    EXPECT_FALSE(settings_.strict);
  }

  rg_settings settings_;
  bool good_ = false;
  std::string fault_;
};

TEST_F(Settings, WithoutAnyAreTheDefaults) {
  Read();
  EXPECT_TRUE(good_);
  ExpectDefaults();
}

TEST_F(Settings, AnEmptyValueIsNone) {
  for (const char *name : kNames) setenv(name, "", 1);
  Read();
  EXPECT_TRUE(good_);
  ExpectDefaults();
}

TEST_F(Settings, AreTakenFromTheEnvironment) {
  setenv("RETRY_GUARD_SERVICE_CONFIG", "/etc/shop.json", 1);
  setenv("RETRY_GUARD_LAYER", "checkout", 1);
  setenv("RETRY_GUARD_ACCEPT_MARKS", "0", 1);
  setenv("RETRY_GUARD_MODE", "SHADOW", 1);
  setenv("RETRY_GUARD_STRICT", "1", 1);
  Read();
  EXPECT_TRUE(good_);
  EXPECT_STREQ(settings_.service_config, "/etc/shop.json");
  EXPECT_STREQ(settings_.layer_name, "checkout");
  EXPECT_FALSE(settings_.accept_marks);
  EXPECT_EQ(settings_.mode, RETRY_GUARD_MODE_SHADOW);
  EXPECT_TRUE(settings_.strict);
}

TEST_F(Settings, ASwitchHasFourSpellings) {
  for (const char *value : {"1", "true", "0", "false"}) {
    setenv("RETRY_GUARD_ACCEPT_MARKS", value, 1);
    Read();
    EXPECT_TRUE(good_);
    EXPECT_EQ(settings_.accept_marks, value[0] == '1' || value[0] == 't');
  }
}

TEST_F(Settings, EveryModeHasItsName) {
  const std::pair<const char *, retry_guard_mode> modes[] = {
      {"ENFORCE", RETRY_GUARD_MODE_ENFORCE},
      {"SHADOW", RETRY_GUARD_MODE_SHADOW},
      {"OFF", RETRY_GUARD_MODE_OFF}};
  for (const auto &[name, mode] : modes) {
    setenv("RETRY_GUARD_MODE", name, 1);
    Read();
    EXPECT_TRUE(good_);
    EXPECT_EQ(settings_.mode, mode);
  }
}

TEST_F(Settings, AValueThatIsNotKnownIsNamedWithWhatIsAllowed) {
  setenv("RETRY_GUARD_MODE", "off", 1);
  Read();
  EXPECT_FALSE(good_);
  EXPECT_EQ(fault_,
            "RETRY_GUARD_MODE must be ENFORCE, SHADOW or OFF, got 'off'");
  ExpectDefaults();
  unsetenv("RETRY_GUARD_MODE");
  setenv("RETRY_GUARD_ACCEPT_MARKS", "no", 1);
  Read();
  EXPECT_FALSE(good_);
  EXPECT_EQ(fault_,
            "RETRY_GUARD_ACCEPT_MARKS must be 0, 1, true or false, got 'no'");
}

TEST_F(Settings, TheFirstOfSeveralFaultsIsTold) {
  for (const char *name : kNames)
    setenv(name, std::string(300, 'x').c_str(), 1);
  Read();
  EXPECT_FALSE(good_);
  EXPECT_EQ(fault_, "RETRY_GUARD_STRICT must be 0, 1, true or false, got '" +
                        std::string(80, 'x') + "'");
}

TEST_F(Settings, StrictnessIsKnownBesideAnotherFault) {
  setenv("RETRY_GUARD_MODE", "maybe", 1);
  setenv("RETRY_GUARD_STRICT", "true", 1);
  Read();
  EXPECT_FALSE(good_);
  EXPECT_TRUE(settings_.strict);
}

TEST_F(Settings, ALayerNameHasAtMost64Bytes) {
  setenv("RETRY_GUARD_LAYER", std::string(64, 'x').c_str(), 1);
  Read();
  EXPECT_TRUE(good_);
  setenv("RETRY_GUARD_LAYER", std::string(65, 'x').c_str(), 1);
  Read();
  EXPECT_FALSE(good_);
  EXPECT_EQ(settings_.layer_name, nullptr);
}

}  // namespace
