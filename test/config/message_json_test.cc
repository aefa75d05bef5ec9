// SPDX-License-Identifier: Apache-2.0
#include "config/message_json.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "config/sample_message.h"

TEST(MessageJson, LeavesAbsentWhatIsAbsent) {
  SamplePtr s = ReadGood("{}");
  EXPECT_FALSE(s->has_truth || s->has_i32 || s->has_u32 || s->has_i64 ||
               s->has_u64 || s->has_real_32 || s->has_real_64 ||
               s->has_colour || s->has_raw);
  EXPECT_EQ(s->some_text, nullptr);
  EXPECT_EQ(s->how_long, nullptr);
  EXPECT_EQ(s->child, nullptr);
  EXPECT_EQ(s->pick_case, RETRY_GUARD__TEST__SAMPLE__PICK__NOT_SET);
  EXPECT_EQ(s->n_numbers, 0u);
}

TEST(MessageJson, ReadsEveryKindOfField) {
  SamplePtr s = ReadGood(R"({
    "truth": true, "i32": -5, "u32": 5, "i64": -6, "u64": 6,
    "real32": 0.5, "real64": -0.25, "colour": "DARK_BLUE",
    "someText": "grün", "howLong": "-1.5s", "child": {"i32": 7},
    "secondPick": "x", "numbers": [1, "-2"], "texts": ["", "b"],
    "children": [{}, {"u32": 8}], "colours": ["RED", 1],
    "durations": ["1s", "0.1s"], "reals": [1, 0.5] })");
  EXPECT_TRUE(s->has_truth && s->truth);
  EXPECT_TRUE(s->has_i32);
  EXPECT_EQ(s->i32, -5);
  EXPECT_EQ(s->u32, 5u);
  EXPECT_EQ(s->i64, -6);
  EXPECT_EQ(s->u64, 6u);
  EXPECT_EQ(s->real_32, 0.5f);
  EXPECT_EQ(s->real_64, -0.25);
  EXPECT_EQ(s->colour, RETRY_GUARD__TEST__COLOUR__DARK_BLUE);
  EXPECT_STREQ(s->some_text, "grün");
  EXPECT_EQ(s->how_long->seconds, -1);
  EXPECT_EQ(s->how_long->nanos, -500000000);
  EXPECT_EQ(s->child->i32, 7);
  EXPECT_EQ(s->pick_case, RETRY_GUARD__TEST__SAMPLE__PICK_SECOND_PICK);
  EXPECT_STREQ(s->second_pick, "x");
  ASSERT_EQ(s->n_numbers, 2u);
  EXPECT_EQ(s->numbers[0], 1);
  EXPECT_EQ(s->numbers[1], -2);
  ASSERT_EQ(s->n_texts, 2u);
  EXPECT_STREQ(s->texts[1], "b");
  ASSERT_EQ(s->n_children, 2u);
  EXPECT_EQ(s->children[1]->u32, 8u);
  ASSERT_EQ(s->n_colours, 2u);
  EXPECT_EQ(s->colours[1], RETRY_GUARD__TEST__COLOUR__GREEN);
  ASSERT_EQ(s->n_durations, 2u);
  EXPECT_EQ(s->durations[1]->nanos, 100000000);
  ASSERT_EQ(s->n_reals, 2u);
  EXPECT_EQ(s->reals[0], 1.0);
}

TEST(MessageJson, TakesTheNamesOfTheSchemaToo) {
  SamplePtr s = ReadGood(
      R"({"some_text": "a", "how_long": "1s", "real_64": 2, "first_pick": 3})");
  EXPECT_STREQ(s->some_text, "a");
  EXPECT_EQ(s->how_long->seconds, 1);
  EXPECT_EQ(s->real_64, 2.0);
  EXPECT_EQ(s->first_pick, 3u);
}

TEST(MessageJson, TakesNullAsAbsent) {
  SamplePtr s = ReadGood(
      R"({"truth": null, "i32": null, "colour": null, "someText": null,
          "howLong": null, "child": null, "texts": null, "raw": null,
          "firstPick": null, "second_pick": null, "thirdPick": {}})");
  EXPECT_FALSE(s->has_truth || s->has_i32 || s->has_colour);
  EXPECT_EQ(s->some_text, nullptr);
  EXPECT_EQ(s->how_long, nullptr);
  EXPECT_EQ(s->child, nullptr);
  EXPECT_EQ(s->pick_case, RETRY_GUARD__TEST__SAMPLE__PICK_THIRD_PICK);
}

TEST(MessageJson, NamesTheElementOfAnArray) {
  EXPECT_EQ(
      FaultsIn(R"({"numbers": [1, 2.5, null, "x"], "texts": [[], "b"],
                   "children": [{}, {"children": [{"u32": -1}]}, 3]})"),
      (Lines{
          "root.numbers[1]: must be a whole number, got 2.5",
          "root.numbers[2]: must be a whole number, got null",
          "root.numbers[3]: must be a whole number, got \"x\"",
          "root.texts[0]: must be a string, got an array",
          "root.children[1].children[0].u32: must be in [0, 4294967295], got "
          "-1",
          "root.children[2]: must be an object, got a number",
      }));
}

TEST(MessageJson, RefusesUnknownKeysAndSaysWhichThereAre) {
  EXPECT_EQ(FaultsOf("howLong", "\"1s\""), Lines{});
  Lines faults = FaultsOf("howlong", "\"1s\"");
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].rfind("root.howlong: is unknown; known here: truth, i32, "
                            "u32, i64, u64, real32, real64, colour, someText, ",
                            0),
            0u)
      << faults[0];
}

TEST(MessageJson, QuotesKeysThatAreNoNames) {
  for (auto [key, path] : {
           std::pair{"a.b", "root[\"a.b\"]"},
           std::pair{"", "root[\"\"]"},
           std::pair{"1st", "root[\"1st\"]"},
           std::pair{"a\\nb", "root[\"a\\u000ab\"]"},
           std::pair{"gr\xc3\xb6\xc3\x9f"
                     "e",
                     "root[\"größe\"]"},
           std::pair{"_x9", "root._x9"},
       }) {
    Lines faults = FaultsOf(key, "1");
    ASSERT_EQ(faults.size(), 1u) << key;
    EXPECT_EQ(faults[0].substr(0, faults[0].find(": ")), path);
  }
}

TEST(MessageJson, CutsPathsThatGrowTooLong) {
  Lines faults = FaultsOf(std::string(100000, 'k'), "1");
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_LT(faults[0].size(), 1000u);
}

TEST(MessageJson, RefusesTwoSpellingsOfOneField) {
  for (const char *json : {R"({"someText": "a", "some_text": "b"})",
                           R"({"some_text": "b", "someText": "a"})",
                           R"({"some_text": null, "someText": null})"})
    EXPECT_EQ(FaultsIn(json),
              Lines{"root.someText: is given twice: as someText and as "
                    "some_text"})
        << json;
}

TEST(MessageJson, RefusesTwoMembersOfAOneof) {
  EXPECT_EQ(FaultsIn(R"({"secondPick": "a", "firstPick": 1})"),
            Lines{"root.secondPick: must not stand beside firstPick"});
  EXPECT_EQ(
      FaultsIn(R"({"first_pick": "wrong", "thirdPick": {}, "secondPick": 2})"),
      (Lines{"root.firstPick: must be a whole number, got a string",
             "root.thirdPick: must not stand beside firstPick",
             "root.secondPick: must not stand beside firstPick"}));
}

TEST(MessageJson, KeepsWhatIsRightBesideWhatIsWrong) {
  Faults faults;
  SamplePtr s = Read(R"({"u32": 1, "i32": "x", "numbers": [1, "y", 3],
                         "firstPick": true})",
                     &faults);
  ASSERT_NE(s, nullptr);
  EXPECT_EQ(faults.lines().size(), 3u);
  EXPECT_TRUE(s->has_u32);
  EXPECT_FALSE(s->has_i32);
  EXPECT_EQ(s->n_numbers, 2u);
  EXPECT_EQ(s->pick_case, RETRY_GUARD__TEST__SAMPLE__PICK__NOT_SET);
}

TEST(MessageJson, MustBeAnObject) {
  for (auto [json, got] :
       {std::pair{"null", "null"}, std::pair{"[]", "an array"},
        std::pair{"3", "a number"}, std::pair{"0.5", "a number"},
        std::pair{"\"{}\"", "a string"}, std::pair{"true", "a boolean"}})
    EXPECT_EQ(FaultsIn(json),
              Lines{std::string("root: must be an object, got ") + got});
}
