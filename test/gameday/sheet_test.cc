// SPDX-License-Identifier: Apache-2.0
#include "gameday/sheet.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "gameday/tally.h"

namespace {

// The path of a new file, which is gone after the test.
class Sheet : public testing::Test {
 protected:
  void SetUp() override {
    int file = mkstemp(path_);
    ASSERT_GE(file, 0);
    close(file);
  }
  void TearDown() override { unlink(path_); }

  char path_[32] = "/tmp/rg_sheet_XXXXXX";
};

TEST_F(Sheet, WhatAProcessSawIsThereForTheOthers) {
  rg_sheet *own = rg_sheet_new(path_, 20);
  rg_sheet *others = rg_sheet_open(path_);
  ASSERT_NE(own, nullptr);
  ASSERT_NE(others, nullptr);
  rg_record record = rg_sheet_record(others);
  rg_record_arrival(&record, 15 * RG_RECORD_SLICE_NS, 3);
  rg_sheet_close(others);
  EXPECT_EQ(rg_sheet_record(own).slices[15].arrivals[2], 1u);
  rg_sheet_close(own);
}

TEST_F(Sheet, AFileThatIsNoneIsRefused) {
  EXPECT_EQ(rg_sheet_open(path_), nullptr);
  EXPECT_EQ(rg_sheet_open("/nowhere/at/all"), nullptr);
}

// One of 500 is late: that may be. Two are too many.
TEST_F(Sheet, APunctualProcessIsSeldomLate) {
  constexpr uint64_t kDue = 1000000000;
  rg_sheet *sheet = rg_sheet_new(path_, 1);
  ASSERT_NE(sheet, nullptr);
  for (int i = 0; i < 498; i++)
    rg_sheet_note_time(sheet, kDue, kDue + 50000000);
  rg_sheet_note_time(sheet, kDue, kDue - 1);
  rg_sheet_note_time(sheet, kDue, kDue + 50000001);
  rg_tally tally{};
  tally.punctuality = sheet->punctuality;
  EXPECT_TRUE(rg_tally_is_punctual(&tally));
  EXPECT_EQ(tally.punctuality.latest_ns, 50000001u);
  rg_sheet_note_time(sheet, kDue, kDue + 90000000);
  tally.punctuality = sheet->punctuality;
  EXPECT_FALSE(rg_tally_is_punctual(&tally));
  rg_sheet_close(sheet);
}

TEST_F(Sheet, APunctualProcessIsNeverVeryLate) {
  rg_tally tally{};
  tally.punctuality = {100000, 1, 100000000};
  EXPECT_TRUE(rg_tally_is_punctual(&tally));
  tally.punctuality.latest_ns++;
  EXPECT_FALSE(rg_tally_is_punctual(&tally));
}

}  // namespace
