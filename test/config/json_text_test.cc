// SPDX-License-Identifier: Apache-2.0
#include "config/json_text.h"

#include <gtest/gtest.h>

#include <string>

#include "config/sample_message.h"

TEST(JsonText, RefusesKeysGivenTwice) {
  EXPECT_EQ(FaultsIn(R"({"u32": 1, "i32": 2, "u32": 1})"),
            Lines{"root.u32: is given more than once"});
  EXPECT_EQ(FaultsIn(R"({"u32": 1, "\u00753\u0032": 1})"),
            Lines{"root.u32: is given more than once"})
      << "however it is spelt";
  EXPECT_EQ(
      FaultsIn(R"({"children": [{"u32": 1}, {"child": {"i32": 1, "i32": 2}}],
                   "u32": null, "u32": 3, "u32": 4})"),
      (Lines{"root.children[1].child.i32: is given more than once",
             "root.u32: is given more than once",
             "root.u32: is given more than once"}));
}

TEST(JsonText, FindsTheOtherFaultsBesideAKeyGivenTwice) {
  EXPECT_EQ(FaultsIn(R"({"u32": 1, "u32": 1, "truth": 0})"),
            (Lines{"root.u32: is given more than once",
                   "root.truth: must be true or false, got a number"}));
}

TEST(JsonText, IsNotConfusedByBracketsAndQuotesInStrings) {
  SamplePtr s = ReadGood(
      R"({"someText": "\",\"u32\":[{\\", "u32": 1, "child": {"u32": 2}})");
  EXPECT_STREQ(s->some_text, "\",\"u32\":[{\\");
}

TEST(JsonText, MustNotBeEmpty) {
  EXPECT_EQ(FaultsIn(""), Lines{"root: is empty"});
  EXPECT_EQ(FaultsIn(" \t\r\n"), Lines{"root: is empty"});
  Faults faults;
  EXPECT_EQ(rg_message_from_json(&retry_guard__test__sample__descriptor,
                                 nullptr, 0, "root", nullptr, faults.get()),
            nullptr);
  EXPECT_EQ(faults.lines(), Lines{"root: is empty"});
}

TEST(JsonText, MustBeJson) {
  struct {
    std::string json;
    const char *fault;
  } const cases[] = {
      {"{", "root: is not valid JSON: the text ends too early"},
      {R"({"child": {"u32": 1)",
       "root.child.u32: is not valid JSON: the text ends too early"},
      {R"({"someText": "a)",
       "root.someText: is not valid JSON: the text ends too early"},
      {R"({"u32" 1})",
       "root.u32: is not valid JSON at line 1, column 8: ':' expected near "
       "'1'"},
      {"{\n\"u32\": 01}",
       "root.u32: is not valid JSON at line 2, column 8: invalid token near "
       "'0'"},
      {R"({"u32": 1,})",
       "root: is not valid JSON at line 1, column 11: string or '}' expected "
       "near '}'"},
      {R"({'u32': 1})",
       "root: is not valid JSON at line 1, column 2: string or '}' expected "
       "near '''"},
      {R"({"numbers": [1 2]})",
       "root.numbers[0]: is not valid JSON at line 1, column 16: ']' expected "
       "near '2'"},
      {R"({"real64": NaN})",
       "root.real64: is not valid JSON at line 1, column 14: invalid token "
       "near 'NaN'"},
      {"{\"u32\": \x01}",
       "root.u32: is not valid JSON at line 1, column 9: invalid token near "
       "'?'"},
      {"{\"someText\": \"a\nb\"}",
       "root.someText: is not valid JSON at line 1, column 15: unexpected "
       "newline near '\"a'"},
      {R"({"someText": "\u00e€"})",
       "root.someText: is not valid JSON at line 1, column 20: invalid escape "
       "near '\"\\u00e?'"},
      {"{} {}", "root: is followed by more text at line 1, column 4"},
      {"{}}", "root: is followed by more text at line 1, column 3"},
  };
  for (const auto &c : cases) EXPECT_EQ(FaultsIn(c.json), Lines{c.fault});
}

TEST(JsonText, RefusesNulBytesAndCharacters) {
  EXPECT_EQ(FaultsIn(std::string("{\"u32\": 1\0}", 11)),
            Lines{"root: is not valid JSON: it has a NUL byte"});
  EXPECT_EQ(FaultsIn(std::string("{}\0", 3)),
            Lines{"root: is not valid JSON: it has a NUL byte"});
  EXPECT_EQ(FaultsIn(R"({"child": {"someText": "a\u0000b"}})"),
            Lines{"root.child.someText: must not contain a NUL character"});
  EXPECT_EQ(FaultsIn(R"({"child": {"some\u0000Text": "a"}})"),
            Lines{"root.child: has a key with a NUL character"});
}

TEST(JsonText, RefusesWhatIsNotUtf8) {
  EXPECT_EQ(FaultsIn("{\"child\": {\"someText\": \"a\xff\"}}"),
            Lines{"root.child.someText: is not valid UTF-8"});
  EXPECT_EQ(FaultsIn("{\"child\": {\"u32\": 1, \"some\xc3Text\": 1}}"),
            Lines{"root.child: is not valid UTF-8"});
  EXPECT_EQ(FaultsIn("{\"someText\": \"\xed\xa0\x80\"}"),
            Lines{"root.someText: is not valid UTF-8"})
      << "a surrogate";
  EXPECT_EQ(FaultsIn("\xff"), Lines{"root: is not valid UTF-8"});
  EXPECT_EQ(FaultsIn("{\"someText\": \"\xc3"),
            Lines{"root.someText: is not valid UTF-8"});
}

TEST(JsonText, NestsOnlySoDeep) {
  auto nested = [](int depth) {
    std::string json;
    for (int i = 1; i < depth; i++) json += R"({"child": )";
    json += "{}";
    for (int i = 1; i < depth; i++) json += "}";
    return json;
  };
  ReadGood(nested(255));
  EXPECT_EQ(FaultsIn(nested(256)), Lines{"root: nests deeper than 255 levels"});
  EXPECT_EQ(FaultsIn(std::string(1000000, '[')),
            Lines{"root: nests deeper than 255 levels"});
}
