// SPDX-License-Identifier: Apache-2.0
#include "config/duration.h"

#include <gtest/gtest.h>

#include <string>

namespace {

rg_duration_status Parse(const std::string &text, rg_duration *duration) {
  return rg_duration_parse(text.data(), text.size(), duration);
}

std::string Write(rg_duration duration) {
  char text[RG_DURATION_TEXT_SIZE];
  rg_duration_write(duration, text);
  return text;
}

TEST(Duration, IsMadeOfNanoseconds) {
  char text[RG_DURATION_TEXT_SIZE];
  rg_duration_write(rg_duration_from_ns(UINT64_C(1500000001)), text);
  EXPECT_STREQ(text, "1.500000001s");
  rg_duration_write(rg_duration_from_ns(UINT64_MAX), text);
  EXPECT_STREQ(text, "18446744073.709551615s");
}

TEST(Duration, OfMoreMillisecondsThanItCountsIsTheLongest) {
  char text[RG_DURATION_TEXT_SIZE];
  EXPECT_STREQ(rg_duration_write_ms(1500, text), "1.5s");
  EXPECT_STREQ(rg_duration_write_ms(UINT64_MAX, text), "9223372036854775.807s");
}

}  // namespace

TEST(Duration, IsReadExactly) {
  struct {
    const char *text;
    int64_t seconds;
    int32_t nanos;
  } const cases[] = {
      {"0s", 0, 0},
      {"3s", 3, 0},
      {"0.1s", 0, 100000000},
      {"0.3s", 0, 300000000},
      {"1.000000001s", 1, 1},
      {"0.999999999s", 0, 999999999},
      {"007s", 7, 0},
      {"1.50s", 1, 500000000},
      {"-1s", -1, 0},
      {"-0.05s", 0, -50000000},
      {"-2.5s", -2, -500000000},
      {"-0s", 0, 0},
      {"315576000000s", 315576000000, 0},
      {"-315576000000.000000000s", -315576000000, 0},
      {"315575999999.999999999s", 315575999999, 999999999},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(c.text);
    rg_duration duration = {-1, -1};
    ASSERT_EQ(Parse(c.text, &duration), RG_DURATION_OK);
    EXPECT_EQ(duration.seconds, c.seconds);
    EXPECT_EQ(duration.nanos, c.nanos);
  }
}

TEST(Duration, MustBeDigitsWithAnS) {
  for (const char *text : {"",
                           "s",
                           "-s",
                           "-",
                           ".",
                           ".s",
                           "1",
                           "1.s",
                           ".5s",
                           "1.5",
                           "1 s",
                           " 1s",
                           "1s ",
                           "+1s",
                           "--1s",
                           "1ms",
                           "1S",
                           "1e3s",
                           "0x1s",
                           "1,5s",
                           "1.5.5s",
                           "1.0000000001s",
                           "1.0000000000s",
                           "1.-5s",
                           "1.5ss",
                           "infs",
                           "nan"}) {
    SCOPED_TRACE(text);
    rg_duration duration;
    EXPECT_EQ(Parse(text, &duration), RG_DURATION_MALFORMED);
  }
}

TEST(Duration, MayNotContainANul) {
  rg_duration duration;
  EXPECT_EQ(Parse(std::string("1s\0", 3), &duration), RG_DURATION_MALFORMED);
  EXPECT_EQ(Parse(std::string("1\0s", 3), &duration), RG_DURATION_MALFORMED);
}

TEST(Duration, IsAtMostTenThousandYears) {
  for (const std::string &text :
       {std::string("315576000000.000000001s"),
        std::string("-315576000000.000000001s"), std::string("315576000001s"),
        std::string("9223372036854775808s"),
        std::string("18446744073709551617s"), std::string(1000, '9') + "s"}) {
    SCOPED_TRACE(text);
    rg_duration duration = {7, 7};
    EXPECT_EQ(Parse(text, &duration), RG_DURATION_TOO_LONG);
    EXPECT_EQ(duration.seconds, 7) << "left alone";
  }
}

TEST(Duration, IsWrittenWithoutNeedlessZeros) {
  EXPECT_EQ(Write({0, 0}), "0s");
  EXPECT_EQ(Write({3600, 0}), "3600s");
  EXPECT_EQ(Write({0, 100000000}), "0.1s");
  EXPECT_EQ(Write({1, 1}), "1.000000001s");
  EXPECT_EQ(Write({0, -50000000}), "-0.05s");
  EXPECT_EQ(Write({-2, -500000000}), "-2.5s");
  EXPECT_EQ(Write({-RG_DURATION_MAX_S, 0}), "-315576000000s");
}

TEST(Duration, OfMillisecondsIsExact) {
  EXPECT_EQ(Write(rg_duration_from_ms(100)), "0.1s");
  EXPECT_EQ(Write(rg_duration_from_ms(3600000)), "3600s");
  EXPECT_EQ(Write(rg_duration_from_ms(1001)), "1.001s");
}

TEST(Duration, IsComparedToTheNanosecond) {
  rg_duration ordered[] = {{-1, 0}, {0, -1}, {0, 0},
                           {0, 1},  {1, 0},  {RG_DURATION_MAX_S, 0}};
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++) {
      int order = rg_duration_compare(ordered[a], ordered[b]);
      EXPECT_EQ(order < 0, a < b) << a << " " << b;
      EXPECT_EQ(order == 0, a == b) << a << " " << b;
    }
}

TEST(Duration, InNanosecondsSaturates) {
  EXPECT_EQ(rg_duration_ns({3, 1}), 3000000001u);
  EXPECT_EQ(rg_duration_ns({0, -1}), 0u);
  EXPECT_EQ(rg_duration_ns({-1, 0}), 0u);
  EXPECT_EQ(rg_duration_ns({RG_DURATION_MAX_S, 0}), UINT64_MAX);
}
