// SPDX-License-Identifier: Apache-2.0
#include "cli/base64.h"

#include <gtest/gtest.h>

#include <string>

namespace {

class Base64 : public testing::Test {
 protected:
  rg_base64_status Decode(const std::string &text, size_t size = 64) {
    uint8_t bytes[64];
    result_ = rg_base64_decode(text.data(), text.size(), bytes, size);
    bytes_.assign(reinterpret_cast<char *>(bytes),
                  result_.status == RG_BASE64_OK ? result_.length : 0);
    return result_.status;
  }

  rg_base64_result result_{};
  std::string bytes_;
};

TEST_F(Base64, IsDecodedWithPaddingAndWithout) {
  for (auto [text, bytes] :
       {std::pair("Zg==", "f"), std::pair("Zg", "f"), std::pair("Zm8=", "fo"),
        std::pair("Zm8", "fo"), std::pair("Zm9v", "foo"), std::pair("", ""),
        std::pair("Zm9vYmFy", "foobar")}) {
    EXPECT_EQ(Decode(text), RG_BASE64_OK) << text;
    EXPECT_EQ(bytes_, bytes);
  }
}

TEST_F(Base64, MayHaveTheAlphabetOfUrls) {
  EXPECT_EQ(Decode("-_-_"), RG_BASE64_OK);
  std::string of_urls = bytes_;
  EXPECT_EQ(Decode("+/+/"), RG_BASE64_OK);
  EXPECT_EQ(bytes_, of_urls);
  EXPECT_EQ(bytes_, "\xfb\xff\xbf");
}

TEST_F(Base64, TellsTheFirstBadCharacter) {
  for (auto [text, at] :
       {std::pair("Zm9v!mFy", 4), std::pair(" Zg", 0), std::pair("Zm\n", 2),
        std::pair("Z\x80m", 1), std::pair("Zm,Zm;", 2)}) {
    EXPECT_EQ(Decode(text), RG_BASE64_BAD_CHARACTER) << text;
    EXPECT_EQ(result_.at, static_cast<size_t>(at)) << text;
  }
}

TEST_F(Base64, HasPaddingAtItsEndOnly) {
  for (auto [text, at] :
       {std::pair("Zg=", 2), std::pair("Zg==Zg==", 2), std::pair("Z===", 1),
        std::pair("=", 0), std::pair("====", 0), std::pair("Zm9v=", 4)}) {
    EXPECT_EQ(Decode(text), RG_BASE64_BAD_CHARACTER) << text;
    EXPECT_EQ(result_.at, static_cast<size_t>(at)) << text;
  }
}

TEST_F(Base64, ThatWasCutOffIsTold) {
  EXPECT_EQ(Decode("Z"), RG_BASE64_CUT_OFF);
  EXPECT_EQ(Decode("Zm9vY"), RG_BASE64_CUT_OFF);
}

TEST_F(Base64, IsNotDecodedBeyondTheRoomThereIs) {
  EXPECT_EQ(Decode("Zm9v", 3), RG_BASE64_OK);
  EXPECT_EQ(Decode("Zm9v", 2), RG_BASE64_TOO_LONG);
  EXPECT_EQ(result_.length, 3u);
  EXPECT_EQ(Decode("", 0), RG_BASE64_OK);
}

}  // namespace
