// SPDX-License-Identifier: Apache-2.0
#include "config/message_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "config/sample_message.h"

TEST(MessageValue, ReadsWholeNumbersToTheLastBit) {
  SamplePtr s = ReadGood(
      R"({"i64": 9223372036854775807, "u64": "18446744073709551615",
          "numbers": [-9223372036854775808, "-9223372036854775808",
                      9007199254740993, "9223372036854775807", "-0"]})");
  EXPECT_EQ(s->i64, INT64_MAX);
  EXPECT_EQ(s->u64, UINT64_MAX);
  ASSERT_EQ(s->n_numbers, 5u);
  EXPECT_EQ(s->numbers[0], INT64_MIN);
  EXPECT_EQ(s->numbers[1], INT64_MIN);
  EXPECT_EQ(s->numbers[2], 9007199254740993);
  EXPECT_EQ(s->numbers[3], INT64_MAX);
  EXPECT_EQ(s->numbers[4], 0);
  s = ReadGood(R"({"i32": -2147483648, "u32": 4294967295})");
  EXPECT_EQ(s->i32, INT32_MIN);
  EXPECT_EQ(s->u32, UINT32_MAX);
}

TEST(MessageValue, TakesAWholeNumberInAnyNotation) {
  SamplePtr s = ReadGood(
      R"({"u32": 1e3, "i32": -5.0, "i64": 9.007199254740992e15, "u64": -0.0})");
  EXPECT_EQ(s->u32, 1000u);
  EXPECT_EQ(s->i32, -5);
  EXPECT_EQ(s->i64, 9007199254740992);
  EXPECT_EQ(s->u64, 0u);
}

TEST(MessageValue, RefusesWholeNumbersThatDoNotFit) {
  struct {
    const char *name;
    const char *value;
    const char *fault;
  } const cases[] = {
      {"u32", "-1", "must be in [0, 4294967295], got -1"},
      {"u32", "4294967296", "must be in [0, 4294967295], got 4294967296"},
      {"u32", "1e30", "must be in [0, 4294967295], got 1e+30"},
      {"u32", "99999999999999999999", "must be in [0, 4294967295], got 1e+20"},
      {"i32", "2147483648",
       "must be in [-2147483648, 2147483647], got "
       "2147483648"},
      {"i32", "-2147483649",
       "must be in [-2147483648, 2147483647], got "
       "-2147483649"},
      {"i32", "0.5", "must be a whole number, got 0.5"},
      {"u64", "-1", "must be in [0, 18446744073709551615], got -1"},
      {"u64", "\"-1\"", "must be in [0, 18446744073709551615], got \"-1\""},
      {"u64", "\"18446744073709551616\"",
       "must be in [0, 18446744073709551615], got \"18446744073709551616\""},
      {"u64", "18446744073709551615",
       "must be a string to be exact at this size, got 1.8446744073709552e+19"},
      {"i64", "\"9223372036854775808\"",
       "must be in [-9223372036854775808, 9223372036854775807], got "
       "\"9223372036854775808\""},
      {"i64", "\"-9223372036854775809\"",
       "must be in [-9223372036854775808, 9223372036854775807], got "
       "\"-9223372036854775809\""},
      {"i64", "1e18", "must be a string to be exact at this size, got 1e+18"},
      {"i64", "\"\"", "must be a whole number, got \"\""},
      {"i64", "\"-\"", "must be a whole number, got \"-\""},
      {"i64", "\"+1\"", "must be a whole number, got \"+1\""},
      {"i64", "\"1.0\"", "must be a whole number, got \"1.0\""},
      {"i64", "\" 1\"", "must be a whole number, got \" 1\""},
      {"i64", "\"1\\u0000\"", "must be a whole number, got \"1\\u0000\""},
  };
  for (const auto &c : cases)
    EXPECT_EQ(FaultsOf(c.name, c.value),
              Lines{std::string("root.") + c.name + ": " + c.fault})
        << c.value;
}

TEST(MessageValue, ReadsRealNumbersOfAnySize) {
  SamplePtr s = ReadGood(
      R"({"real64": 1.7976931348623157e308, "real32": 3.4028234e38,
          "reals": [0.1, -0.0, 5e-324, 1e-999, 12345678901234567890123,
                    -9223372036854775809, 7]})");
  EXPECT_EQ(s->real_64, 1.7976931348623157e308);
  EXPECT_EQ(s->real_32, 3.4028234e38f);
  ASSERT_EQ(s->n_reals, 7u);
  EXPECT_EQ(s->reals[0], 0.1);
  EXPECT_TRUE(std::signbit(s->reals[1]));
  EXPECT_EQ(s->reals[2], 5e-324);
  EXPECT_EQ(s->reals[3], 0.0);
  EXPECT_EQ(s->reals[4], 12345678901234567890123.0);
  EXPECT_EQ(s->reals[5], -9223372036854775808.0);
  EXPECT_EQ(s->reals[6], 7.0);
}

TEST(MessageValue, RefusesNumbersBeyondEveryType) {
  EXPECT_EQ(FaultsOf("real64", "1e999"),
            Lines{"root.real64: is too large for a number"});
  EXPECT_EQ(FaultsIn(R"({"children": [{}, {"reals": [0, -1e999]}]})"),
            Lines{"root.children[1].reals[1]: is too large for a number"});
  EXPECT_EQ(FaultsOf("real32", "3.5e38"),
            Lines{"root.real32: must be a number that fits a float, got "
                  "3.5e+38"});
}

TEST(MessageValue, RefusesTheWrongTypeAndSaysWhatItFound) {
  struct {
    const char *name;
    const char *value;
    const char *fault;
  } const cases[] = {
      {"truth", "1", "must be true or false, got a number"},
      {"truth", "\"true\"", "must be true or false, got a string"},
      {"i32", "\"1\"", "must be a whole number, got a string"},
      {"u64", "true", "must be a whole number, got a boolean"},
      {"u64", "[]", "must be a whole number, got an array"},
      {"real64", "\"0.5\"", "must be a number, got a string"},
      {"real64", "\"NaN\"", "must be a number, got a string"},
      {"real64", "{}", "must be a number, got an object"},
      {"someText", "7", "must be a string, got a number"},
      {"howLong", "7", "must be a duration such as \"0.1s\", got a number"},
      {"howLong", "{\"seconds\": 1}",
       "must be a duration such as \"0.1s\", got an object"},
      {"howLong", "\"100ms\"",
       "must be a duration such as \"0.1s\", got \"100ms\""},
      {"howLong", "\"1s\\u0000\"",
       "must be a duration such as \"0.1s\", got \"1s\\u0000\""},
      {"howLong", "\"999999999999s\"",
       "must be in [-315576000000s, 315576000000s], got \"999999999999s\""},
      {"child", "[]", "must be an object, got an array"},
      {"child", "\"\"", "must be an object, got a string"},
      {"texts", "\"a\"", "must be an array, got a string"},
      {"children", "{}", "must be an array, got an object"},
      {"raw", "\"QQ==\"", "cannot be set in JSON"},
  };
  for (const auto &c : cases)
    EXPECT_EQ(FaultsOf(c.name, c.value),
              Lines{std::string("root.") + c.name + ": " + c.fault})
        << c.value;
}

TEST(MessageValue, RefusesEnumsThatAreNoNames) {
  const std::string must = "root.colour: must be RED, GREEN or DARK_BLUE, got ";
  EXPECT_EQ(FaultsOf("colour", "\"red\""), Lines{must + "\"red\""});
  EXPECT_EQ(FaultsOf("colour", "\"\""), Lines{must + "\"\""});
  EXPECT_EQ(FaultsOf("colour", "\"RED\\u0000\""),
            Lines{must + "\"RED\\u0000\""});
  EXPECT_EQ(FaultsOf("colour", "2"), Lines{must + "2"});
  EXPECT_EQ(FaultsOf("colour", "4294967296"), Lines{must + "4294967296"});
  EXPECT_EQ(FaultsOf("colour", "0.5"), Lines{must + "a number"});
  EXPECT_EQ(FaultsOf("colour", "true"), Lines{must + "a boolean"});
}
