// SPDX-License-Identifier: Apache-2.0
#include "sim/record.h"

#include <gtest/gtest.h>

namespace {

constexpr uint64_t kSlice = RG_RECORD_SLICE_NS;

class Record : public testing::Test {
 protected:
  void Init(uint64_t duration_ns) {
    ASSERT_TRUE(rg_record_init(&record_, duration_ns));
  }
  ~Record() override { rg_record_clean_up(&record_); }

  size_t SliceOf(uint64_t at) {
    return static_cast<size_t>(rg_record_at(&record_, at) - record_.slices);
  }

  rg_record record_ = {};
};

TEST_F(Record, HasASliceForEachTenthOfASecond) {
  Init(20 * kSlice);
  EXPECT_EQ(record_.count, 20u);
  EXPECT_EQ(SliceOf(0), 0u);
  EXPECT_EQ(SliceOf(kSlice - 1), 0u);
  EXPECT_EQ(SliceOf(kSlice), 1u);
  EXPECT_EQ(SliceOf(20 * kSlice - 1), 19u);
}

TEST_F(Record, PutsWhatComesLaterIntoTheLastSlice) {
  Init(20 * kSlice);
  EXPECT_EQ(SliceOf(20 * kSlice), 19u);
  EXPECT_EQ(SliceOf(UINT64_MAX), 19u);
}

TEST_F(Record, HasASliceForTheShortestTime) {
  Init(1);
  EXPECT_EQ(record_.count, 1u);
  EXPECT_EQ(SliceOf(0), 0u);
}

TEST_F(Record, IsEmptyAtFirst) {
  Init(3 * kSlice);
  for (size_t i = 0; i < record_.count; i++) {
    EXPECT_EQ(record_.slices[i].calls, 0u);
    EXPECT_EQ(rg_slice_arrivals(&record_.slices[i]), 0u);
  }
}

TEST_F(Record, TellsArrivalsApartByTheNumberOfTheAttempt) {
  Init(3 * kSlice);
  for (uint32_t attempt = 1; attempt <= RG_RECORD_ATTEMPTS; attempt++)
    for (uint32_t i = 0; i < attempt; i++)
      rg_record_arrival(&record_, kSlice, attempt);
  const rg_slice &slice = record_.slices[1];
  for (uint32_t i = 0; i < RG_RECORD_ATTEMPTS; i++)
    EXPECT_EQ(slice.arrivals[i], i + 1);
  EXPECT_EQ(rg_slice_arrivals(&slice), 1u + 2 + 3 + 4 + 5 + 6);
  EXPECT_EQ(rg_slice_arrivals(&record_.slices[0]), 0u);
}

TEST_F(Record, CountsTheSixthAttemptAndAllLaterOnesAsOne) {
  Init(kSlice);
  for (uint32_t attempt : {6u, 7u, 1000u, UINT32_MAX})
    rg_record_arrival(&record_, 0, attempt);
  EXPECT_EQ(record_.slices[0].arrivals[RG_RECORD_ATTEMPTS - 1], 4u);
  EXPECT_EQ(rg_slice_arrivals(&record_.slices[0]), 4u);
}

}  // namespace
