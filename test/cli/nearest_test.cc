// SPDX-License-Identifier: Apache-2.0
#include "cli/nearest.h"

#include <gtest/gtest.h>

#include <string>

namespace {

std::string Nearest(const std::string &word) {
  static const char *const kVerbs[] = {"check",  "explain", "init",
                                       "policy", "mark",    "help"};
  const char *nearest = rg_nearest(word.c_str(), kVerbs, 6);
  return nearest != nullptr ? nearest : "none";
}

TEST(Nearest, KnowsAWordWithASlip) {
  EXPECT_EQ(Nearest("chek"), "check");
  EXPECT_EQ(Nearest("checkk"), "check");
  EXPECT_EQ(Nearest("chock"), "check");
  EXPECT_EQ(Nearest("chcek"), "check");
  EXPECT_EQ(Nearest("polcy"), "policy");
  EXPECT_EQ(Nearest("mark"), "mark");
}

TEST(Nearest, CountsNeighboursThatAreSwappedOnce) {
  const char *const words[] = {"ls"};
  EXPECT_STREQ(rg_nearest("sl", words, 1), "ls");
}

TEST(Nearest, IsNoneForAnotherWord) {
  EXPECT_EQ(Nearest("simulate"), "none");
  EXPECT_EQ(Nearest(""), "none");
  EXPECT_EQ(Nearest("x"), "none");
}

TEST(Nearest, IsNoneForALongWord) {
  EXPECT_EQ(Nearest(std::string(32, 'x')), "none");
  EXPECT_EQ(Nearest(std::string(33, 'x')), "none");
  EXPECT_EQ(Nearest(std::string(100000, 'x')), "none");
}

TEST(Nearest, IsTheFirstOfSeveral) {
  const char *const words[] = {"bake", "cake"};
  EXPECT_STREQ(rg_nearest("take", words, 2), "bake");
}

}  // namespace
