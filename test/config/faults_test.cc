// SPDX-License-Identifier: Apache-2.0
#include "config/faults.h"

#include <gtest/gtest.h>

#include <string>

#include "config/found_faults.h"

TEST(Faults, StartEmpty) {
  Faults faults;
  EXPECT_TRUE(faults.empty());
  EXPECT_EQ(rg_faults_total(faults.get()), 0u);
}

TEST(Faults, KeepCopiesInTheOrderInWhichTheyWereFound) {
  Faults faults;
  std::string path = "a";
  rg_faults_add(faults.get(), RG_FAULT_VALUE, path.c_str(), "got %d", 1);
  path = "b";
  rg_faults_add(faults.get(), RG_FAULT_VALUE, path.c_str(), "%s",
                "100 % wrong");
  EXPECT_EQ(faults.lines(), (Lines{"a: got 1", "b: 100 % wrong"}));
  EXPECT_FALSE(faults.empty());
}

TEST(Faults, KeepALongMessageWhole) {
  Faults faults;
  std::string text(100000, 'x');
  rg_faults_add(faults.get(), RG_FAULT_VALUE, "a", "%s", text.c_str());
  EXPECT_EQ(faults.lines(), Lines{"a: " + text});
}

// Parsers quote what they did not understand, and long paths are cut.
TEST(Faults, ShowNothingThatATerminalOrALogWouldTrip) {
  Faults faults;
  rg_faults_add(faults.get(), RG_FAULT_VALUE, "a[\"\xe2\x82", "near '%s'",
                "\x1b[\xc6");
  EXPECT_EQ(faults.lines(), Lines{"a[\"??: near '?[?'"});
}

TEST(Faults, AreCountedButNotKeptBeyondTheirBound) {
  Faults faults;
  for (int i = 0; i < RG_FAULTS_MAX + 5; i++)
    rg_faults_add(faults.get(), RG_FAULT_VALUE, "a", "number %d", i);
  EXPECT_EQ(faults.get()->count, size_t{RG_FAULTS_MAX});
  EXPECT_EQ(faults.get()->unlisted, 5u);
  EXPECT_EQ(rg_faults_total(faults.get()), size_t{RG_FAULTS_MAX} + 5);
  EXPECT_FALSE(faults.get()->out_of_memory);
}

TEST(Faults, OfMemoryCountAsFaults) {
  Faults faults;
  rg_faults_add_out_of_memory(faults.get());
  EXPECT_FALSE(faults.empty());
  EXPECT_TRUE(faults.get()->out_of_memory);
}

TEST(Faults, AreEmptyAgainAfterTheCleanUp) {
  Faults faults;
  rg_faults_add(faults.get(), RG_FAULT_VALUE, "a", "b");
  rg_faults_clean_up(faults.get());
  EXPECT_TRUE(faults.empty());
  rg_faults_clean_up(faults.get());
}
