// SPDX-License-Identifier: Apache-2.0

// Lines of Prometheus' text format.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cli/exposition.h"

namespace {

bool IsSample(const std::string &line) {
  rg_sample sample;
  return rg_sample_read(line.data(), line.size(), &sample);
}

double ValueOf(const std::string &line) {
  rg_sample sample;
  EXPECT_TRUE(rg_sample_read(line.data(), line.size(), &sample)) << line;
  return sample.value;
}

// "(none)": there is no such label.
std::string LabelOf(const std::string &line, const char *key,
                    size_t size = 64) {
  rg_sample sample;
  std::string value(size, '?');
  EXPECT_TRUE(rg_sample_read(line.data(), line.size(), &sample)) << line;
  bool found = rg_sample_label(&sample, key, value.data(), size);
  return found ? value.c_str() : "(none)";
}

TEST(Exposition, ReadsValues) {
  EXPECT_EQ(ValueOf("a 1"), 1);
  EXPECT_EQ(ValueOf("a{b=\"c\"} 0.125"), 0.125);
  EXPECT_EQ(ValueOf("a 1e3 1700000000000"), 1000);
  EXPECT_TRUE(std::isinf(ValueOf("a +Inf")));
  EXPECT_EQ(ValueOf("a{b=\"} 7\"} 8"), 8);
}

TEST(Exposition, KnowsWhatASampleIsCalled) {
  const std::string line = "calls_total 1";
  rg_sample sample;
  ASSERT_TRUE(rg_sample_read(line.data(), line.size(), &sample));
  EXPECT_TRUE(rg_sample_is(&sample, "calls_total"));
  EXPECT_FALSE(rg_sample_is(&sample, "calls"));
  EXPECT_FALSE(rg_sample_is(&sample, "calls_total_x"));
}

TEST(Exposition, FindsLabels) {
  const std::string line = R"(a{target="x",state="open"} 1)";
  EXPECT_EQ(LabelOf(line, "target"), "x");
  EXPECT_EQ(LabelOf(line, "state"), "open");
  EXPECT_EQ(LabelOf(line, "tar"), "(none)");
  EXPECT_EQ(LabelOf("a 1", "target"), "(none)");
  EXPECT_EQ(LabelOf("a{} 1", "target"), "(none)");
}

TEST(Exposition, UndoesEscapes) {
  EXPECT_EQ(LabelOf(R"(a{b="q\"w\\e\nr,c=\"d"} 1)", "b"), "q\"w\\e\nr,c=\"d");
  EXPECT_EQ(LabelOf(R"(a{x="\"",b="y"} 1)", "b"), "y");
}

TEST(Exposition, CutsLongValues) {
  EXPECT_EQ(LabelOf(R"(a{b="12345678"} 1)", "b", 5), "1234");
}

TEST(Exposition, TakesNothingElseForASample) {
  for (const char *line :
       {"", "# HELP a b", "# EOF", "a", "a ", "{} 1", "a{", "a{b=\"c} 1",
        "a{b=\"c\\", "a{b=\"c\"", "a{b=\"c\"}", "a x", " a 1"})
    EXPECT_FALSE(IsSample(line)) << line;
}

TEST(Exposition, IsPatientWithLabelsThatAreNone) {
  for (const char *line : {"a{b} 1", "a{b=} 1", "a{=\"c\"} 1", "a{,} 1",
                           "a{b=c} 1", "a{b=\"c\"d=\"e\"} 1"})
    EXPECT_EQ(LabelOf(line, "zz"), "(none)") << line;
}

}  // namespace
