// SPDX-License-Identifier: Apache-2.0
#include "config/json_raw.h"

#include <gtest/gtest.h>

#include <string>

namespace {

// Whether it is read; a sanitizer sees what that writes.
bool Reads(const std::string &text) {
  rg_faults faults;
  rg_faults_init(&faults);
  rg_json_raw raw;
  bool read = rg_json_raw_load(&raw, text.data(), text.size(), "root", &faults);
  EXPECT_EQ(read, rg_faults_empty(&faults)) << text;
  if (read) rg_json_raw_clean_up(&raw);
  rg_faults_clean_up(&faults);
  return read;
}

std::string Repeated(const std::string &text, int times) {
  std::string result;
  for (int i = 0; i < times; i++) result += text;
  return result;
}

// Each index may be longer than its number: there must be room for all.
TEST(JsonRaw, HasRoomForANumberWhereverItBegins) {
  for (const char *before : {"e", "E", ".", "+", "e+", "x", "\"\"", " ", ""})
    for (const char *number : {"1", "-", "-1", "1e", "0e1", "1.", "-.1"})
      for (const char *after : {" ", "", ",", "e", "+"})
        EXPECT_FALSE(
            Reads(Repeated(std::string(before) + number + after, 2000) + "]"));
}

TEST(JsonRaw, ReadsManyNumbers) {
  EXPECT_TRUE(Reads("[" + Repeated("1,-2.5e3,", 5000) + "0]"));
}

}  // namespace
