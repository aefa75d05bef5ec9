// SPDX-License-Identifier: Apache-2.0
#include "cli/glyph.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace {

std::string Shown(const std::string &text) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    rg_glyph glyph = rg_glyph_read(text.data() + at, text.size() - at);
    shown.append(glyph.shown, glyph.length);
    at += glyph.taken;
  }
  return shown;
}

size_t Columns(const std::string &text) {
  return rg_glyph_columns(text.data(), text.size());
}

TEST(Glyph, ShowsLettersAsTheyAre) {
  for (const char *text : {"shop.Ledger/Get", "Größe", "日本", "👍", "e\u0301"})
    EXPECT_EQ(Shown(text), text);
}

TEST(Glyph, ShowsWhatATerminalWouldObeyAsAnEscape) {
  EXPECT_EQ(Shown("\033[2J"), "\\u001b[2J");
  EXPECT_EQ(Shown("a\r\nb\tc\x7F"), "a\\u000d\\u000ab\\u0009c\\u007f");
  EXPECT_EQ(Shown("\u009b31m"), "\\u009b31m");
  EXPECT_EQ(Shown(std::string("a\0b", 3)), "a\\u0000b");
}

TEST(Glyph, ShowsWhatMakesATextLookLikeAnotherAsAnEscape) {
  EXPECT_EQ(Shown("\u202egnp.exe"), "\\u202egnp.exe");
  EXPECT_EQ(Shown("a\u200bb\ufeffc\u2066d"), "a\\u200bb\\ufeffc\\u2066d");
}

TEST(Glyph, ShowsBytesThatAreNotUtf8AsNumbers) {
  EXPECT_EQ(Shown("a\xffz"), "a\\xffz");
  EXPECT_EQ(Shown("\xc3"), "\\xc3");
  EXPECT_EQ(Shown("\xc3("), "\\xc3(");
  EXPECT_EQ(Shown("\x80\xbf"), "\\x80\\xbf");
  // Overlong forms, a surrogate, and beyond the last character.
  EXPECT_EQ(Shown("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(Shown("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");
  EXPECT_EQ(Shown("\xe0\x9f\xbf"), "\\xe0\\x9f\\xbf");
  EXPECT_EQ(Shown("\xf0\x80\x80\x9b"), "\\xf0\\x80\\x80\\x9b");
  EXPECT_EQ(Shown("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(Shown("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Glyph, CountsColumnsRatherThanBytes) {
  EXPECT_EQ(Columns(""), 0u);
  EXPECT_EQ(Columns("Größe"), 5u);
  EXPECT_EQ(Columns("日本"), 4u);
  EXPECT_EQ(Columns("👍"), 2u);
  EXPECT_EQ(Columns("e\u0301"), 1u);
  EXPECT_EQ(Columns("…–"), 2u);
  EXPECT_EQ(Columns("\033"), 6u);
}

TEST(Glyph, TakesAllOfAnyBytesAndShowsNoControlCharacter) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; round++) {
    std::string text(random() % 40, '\0');
    for (char &c : text) c = static_cast<char>(random());
    for (unsigned char c : Shown(text)) EXPECT_TRUE(c >= 0x20 && c != 0x7F);
    EXPECT_LE(Columns(text), Shown(text).size());
  }
}

}  // namespace
