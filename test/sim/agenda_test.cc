// SPDX-License-Identifier: Apache-2.0
#include "sim/agenda.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "support/random.h"

namespace {

class Agenda : public testing::Test {
 protected:
  ~Agenda() override { rg_agenda_clean_up(&agenda_); }

  void Plan(uint64_t at, uint32_t serial) {
    ASSERT_TRUE(rg_agenda_plan(&agenda_, at, nullptr, this, serial));
  }

  // The serials of all that is left, in the order in which they come.
  std::vector<uint32_t> Rest() {
    std::vector<uint32_t> serials;
    rg_appointment next;
    while (rg_agenda_next(&agenda_, &next)) serials.push_back(next.serial);
    return serials;
  }

  rg_agenda agenda_ = {};
};

using Serials = std::vector<uint32_t>;

void Nothing(rg_sim_fleet *, void *, uint32_t) {}

TEST_F(Agenda, IsEmptyZeroed) { EXPECT_EQ(Rest(), Serials{}); }

TEST_F(Agenda, GivesBackWhatWasPlanned) {
  ASSERT_TRUE(rg_agenda_plan(&agenda_, 7, Nothing, this, 3));
  rg_appointment next;
  ASSERT_TRUE(rg_agenda_next(&agenda_, &next));
  EXPECT_EQ(next.at, 7u);
  EXPECT_EQ(next.happen, &Nothing);
  EXPECT_EQ(next.subject, this);
  EXPECT_EQ(next.serial, 3u);
  EXPECT_FALSE(rg_agenda_next(&agenda_, &next));
}

TEST_F(Agenda, GoesByTime) {
  Plan(UINT64_MAX, 4);
  Plan(1, 2);
  Plan(UINT64_MAX - 1, 3);
  Plan(0, 1);
  EXPECT_EQ(Rest(), (Serials{1, 2, 3, 4}));
}

TEST_F(Agenda, GoesAtOneMomentByWhatWasPlannedFirst) {
  Serials all;
  for (uint32_t i = 0; i < 5000; i++) {
    Plan(9, i);
    all.push_back(i);
  }
  EXPECT_EQ(Rest(), all);
}

TEST_F(Agenda, CountsAllThatWasEverPlanned) {
  Plan(1, 1);
  Plan(2, 2);
  Rest();
  Plan(3, 3);
  EXPECT_EQ(agenda_.planned, 3u);
  EXPECT_EQ(agenda_.count, 1u);
}

TEST_F(Agenda, CanBeUsedAgainAfterCleaningUp) {
  Plan(1, 1);
  rg_agenda_clean_up(&agenda_);
  EXPECT_EQ(Rest(), Serials{});
  Plan(1, 2);
  EXPECT_EQ(Rest(), Serials{2});
}

// Against a list that is always sorted; many things happen at one moment.
TEST_F(Agenda, ARandomHistoryIsThatOfASortedList) {
  rg_test::Random random(1);
  std::multimap<uint64_t, uint32_t> list;
  uint64_t now = 0;
  size_t most = 0;
  for (uint32_t i = 0; i < 200000; i++) {
    const bool grows = i / 20000 % 2 == 0;
    if (random.Below(8) < (grows ? 5 : 3)) {
      const uint64_t at = now + random.Below(50);
      Plan(at, i);
      list.emplace(at, i);
      most = std::max(most, list.size());
      continue;
    }
    rg_appointment next;
    ASSERT_EQ(rg_agenda_next(&agenda_, &next), !list.empty()) << i;
    if (list.empty()) continue;
    ASSERT_EQ(std::make_pair(next.at, next.serial),
              std::make_pair(list.begin()->first, list.begin()->second))
        << i;
    now = next.at;
    list.erase(list.begin());
  }
  EXPECT_GT(most, 4000u);  // it grew more than once
  EXPECT_EQ(Rest().size(), list.size());
}

}  // namespace
