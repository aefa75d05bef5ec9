// SPDX-License-Identifier: Apache-2.0
#include "config/text.h"

#include <gtest/gtest.h>

#include <string>

namespace {

std::string Number(double value) {
  char text[RG_TEXT_NUMBER_SIZE];
  rg_text_number(value, text);
  return text;
}

std::string Quote(const std::string &string) {
  char text[RG_TEXT_QUOTED_SIZE];
  rg_text_quote(string.data(), string.size(), text);
  return text;
}

std::string Printable(std::string text) {
  rg_text_printable(text.data());
  return text;
}

}  // namespace

TEST(Text, ShowsANumberAsShortAsItReadsBack) {
  EXPECT_EQ(Number(1.5), "1.5");
  EXPECT_EQ(Number(0.1), "0.1");
  EXPECT_EQ(Number(2), "2");
  EXPECT_EQ(Number(-0.25), "-0.25");
  EXPECT_EQ(Number(4294967295), "4294967295");
  EXPECT_EQ(Number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(Number(1e300), "1e+300");
  EXPECT_EQ(Number(-1.7976931348623157e308), "-1.7976931348623157e+308");
}

TEST(Text, QuotesAsJsonDoes) {
  EXPECT_EQ(Quote(""), R"("")");
  EXPECT_EQ(Quote("Full"), R"("Full")");
  EXPECT_EQ(Quote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(Quote("größe"), "\"größe\"");
}

TEST(Text, NeverShowsAControlCharacter) {
  EXPECT_EQ(Quote("a\nb\x7f"), R"("a\u000ab\u007f")");
  EXPECT_EQ(Quote(std::string("a\0b", 3)), R"("a\u0000b")");
}

TEST(Text, CutsALongStringBetweenCharacters) {
  EXPECT_EQ(Quote(std::string(58, 'x')), "\"" + std::string(58, 'x') + "\"");
  EXPECT_EQ(Quote(std::string(59, 'x')), "\"" + std::string(58, 'x') + "...\"");
  std::string euros;
  for (int i = 0; i < 100; i++) euros += "€";
  std::string cut = "\"";
  for (int i = 0; i < 19; i++) cut += "€";
  EXPECT_EQ(Quote(euros), cut + "...\"");
}

TEST(Text, LeavesWholeCharactersAsTheyAre) {
  for (const char *text :
       {"", "a b~", "größe", "€", "\xc2\xa0", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(Printable(text), text);
}

TEST(Text, MarksEachControlCharacter) {
  EXPECT_EQ(Printable("a\nb\x1b[2J\x7f"), "a?b?[2J?");
  EXPECT_EQ(Printable("a\xc2\x9b[2J"), "a??[2J");
}

TEST(Text, MarksEachByteOfWhatIsNoWholeCharacter) {
  EXPECT_EQ(Printable("\xc6"), "?");
  EXPECT_EQ(Printable("\xc6'"), "?'");
  EXPECT_EQ(Printable("\xe2\x82"), "??");
  EXPECT_EQ(Printable("\x80y"), "?y");
  EXPECT_EQ(Printable("\xf0\x9f\x98x"), "???x");
  // Too long for what they say, a surrogate, beyond the last character.
  EXPECT_EQ(Printable("\xc1\xbf"), "??");
  EXPECT_EQ(Printable("\xe0\x9f\xbf"), "???");
  EXPECT_EQ(Printable("\xf0\x8f\xbf\xbf"), "????");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "???");
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "????");
  EXPECT_EQ(Printable("\xf5\x80\x80\x80\xff"), "?????");
}
