// SPDX-License-Identifier: Apache-2.0

// What metrics tell of the breakers of services, methods and backends, and that
// no counter ever falls.
#include "host/breaker_series.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/scoped_policy.h"
#include "support/race.h"
#include "support/random.h"

namespace rg_test {
namespace {

constexpr uint64_t kSecond = UINT64_C(1000000000);

// The breakers of one target, one for each method.
class World {
 public:
  World() {
    std::free(rg_breakers_configure(breakers_, &policy_, true,
                                    rg_breakers_reserve(breakers_, &policy_)));
  }
  World(const World &) = delete;
  ~World() {
    rg_breakers_clean_up(breakers_);
    std::free(breakers_);
  }

  rg_breaker *Find(const std::string &path, uint64_t at) {
    const rg_breaker_key key = rg_breakers_key(path.data(), path.size());
    return rg_breakers_find(breakers_, &key, at);
  }
  rg_breaker *Find(const std::string &path) { return Find(path, ++now); }
  void Count(const std::string &path, rg_breaker_tally tally) {
    rg_breakers_count(breakers_, Find(path), tally);
  }
  // Its breaker fails, and counts that, as calls would have it do.
  void Fail(const std::string &path) {
    rg_breaker *breaker = Find(path);
    rg_permit permit = rg_breaker_admit(breaker, now).permit;
    if (rg_breaker_settle(breaker, &permit, RG_RESULT_FAILURE, now, 0) ==
        RG_SETTLED_OPENED)
      rg_breakers_count(breakers_, breaker, RG_TALLY_OPENED);
  }
  void CountOpened(rg_breaker *breaker) {
    rg_breakers_count(breakers_, breaker, RG_TALLY_OPENED);
  }
  // Uses other methods until all places have changed hands.
  void Fill(const std::string &stem = "/filler/") {
    for (int i = 0; i < RG_BREAKERS_MAX; i++) Find(stem + std::to_string(i));
  }

  std::map<std::string, rg_told_breaker> Tell() {
    std::vector<rg_told_breaker> told(RG_BREAKER_SERIES_OF_TARGET_MAX + 1);
    const size_t count = rg_breaker_series_tell(breakers_, now, told.data());
    std::map<std::string, rg_told_breaker> all;
    for (size_t i = 0; i < count; i++)
      EXPECT_TRUE(all.emplace(told[i].name, told[i]).second)
          << "twice: " << told[i].name;
    return all;
  }
  uint64_t Opened(const std::string &name) {
    auto all = Tell();
    return all.count(name) == 0 ? 0 : all[name].tallies[RG_TALLY_OPENED];
  }

  uint64_t now = 1000000 * kSecond;

 private:
  rg_breakers *const breakers_ =
      static_cast<rg_breakers *>(std::calloc(1, sizeof(rg_breakers)));
  const rg_breaker_policy policy_ = OpensAtOnce(RG_BREAKER_PER_METHOD);
};

class BreakerSeries : public testing::Test, public World {};

TEST_F(BreakerSeries, TellsOfNoneThatNeverOpened) {
  Find("/shop.Ledger/Add");
  EXPECT_TRUE(Tell().empty());
}

TEST_F(BreakerSeries, TellsWhatABreakerThatOpenedDoesAndDid) {
  Fail("/shop.Ledger/Add");
  Count("/shop.Ledger/Add", RG_TALLY_REJECTIONS);
  Find("/shop.Ledger/Read");
  auto all = Tell();
  ASSERT_EQ(all.size(), 1u);
  const rg_told_breaker &add = all["/shop.Ledger/Add"];
  EXPECT_EQ(add.states[RG_BREAKER_OPEN], 1u);
  EXPECT_EQ(add.states[RG_BREAKER_CLOSED], 0u);
  EXPECT_EQ(add.tallies[RG_TALLY_OPENED], 1u);
  EXPECT_EQ(add.tallies[RG_TALLY_REJECTIONS], 1u);
}

TEST_F(BreakerSeries, KeepsTheCountersOfOneThatLostItsPlace) {
  Fail("/shop.Ledger/Add");
  ASSERT_EQ(Opened("/shop.Ledger/Add"), 1u);
  Fill();
  auto all = Tell();
  EXPECT_EQ(all["/shop.Ledger/Add"].tallies[RG_TALLY_OPENED], 1u);
  for (uint64_t count : all["/shop.Ledger/Add"].states) EXPECT_EQ(count, 0u);
  Fail("/shop.Ledger/Add");
  EXPECT_EQ(Opened("/shop.Ledger/Add"), 2u);
}

// Nobody has seen a series of its own, so there is none to go on with.
TEST_F(BreakerSeries, SumsUpThoseThatCameAndWentUnseen) {
  Fail("/shop.Ledger/Add");
  Fill();
  auto all = Tell();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all["other"].tallies[RG_TALLY_OPENED], 1u);
}

TEST_F(BreakerSeries, NamesSoManyOfATarget) {
  const int count = RG_BREAKER_SERIES_OF_TARGET_MAX + 20;
  for (int i = 0; i < count; i++) {
    Fail("/s/" + std::to_string(i));
    Tell();
  }
  auto all = Tell();
  EXPECT_EQ(all.size(), RG_BREAKER_SERIES_OF_TARGET_MAX + 1u);
  EXPECT_EQ(all.count("/s/0"), 1u);
  EXPECT_EQ(all["other"].tallies[RG_TALLY_OPENED], 20u);
  EXPECT_EQ(all["other"].states[RG_BREAKER_OPEN], 20u);
}

// Names are forgotten while it waits for one.
TEST_F(BreakerSeries, NamesANewOneWhereOldNamesGoInTheSameLook) {
  for (int i = 0; i < RG_BREAKER_SERIES_OF_TARGET_MAX; i++) {
    Fail("/s/" + std::to_string(i));
    Tell();
  }
  Fill();
  now += (RG_BREAKER_SERIES_KEPT_S + 1) * kSecond;
  Fail("/shop.Ledger/Add");
  Tell();
  EXPECT_EQ(Opened("/shop.Ledger/Add"), 1u);
}

TEST_F(BreakerSeries, NamesSoManyOfTheProcess) {
  std::vector<std::unique_ptr<World>> worlds;
  size_t named = 0;
  for (size_t i = 0; i <= RG_BREAKER_SERIES_MAX / RG_BREAKERS_MAX; i++) {
    worlds.push_back(std::make_unique<World>());
    for (int n = 0; n < RG_BREAKERS_MAX; n++)
      worlds.back()->Fail("/s/" + std::to_string(n));
    auto all = worlds.back()->Tell();
    named += all.size() - all.count("other");
  }
  EXPECT_EQ(named, size_t{RG_BREAKER_SERIES_MAX});
  worlds.clear();
  Fail("/shop.Ledger/Add");
  EXPECT_EQ(Opened("/shop.Ledger/Add"), 1u) << "names come back";
}

TEST_F(BreakerSeries, GivesNoNameToWhatWasToldOfWithoutOne) {
  for (int i = 0; i < RG_BREAKER_SERIES_OF_TARGET_MAX; i++) {
    Fail("/s/" + std::to_string(i));
    Tell();
  }
  Fail("/late/x");
  ASSERT_EQ(Opened("other"), 1u);
  now += (RG_BREAKER_SERIES_KEPT_S + 1) * kSecond;
  Tell();  // forgets those without a place
  EXPECT_EQ(Opened("other"), 1u);
  EXPECT_EQ(Opened("/late/x"), 0u) << "though names are free again";
  Fill();
  Fail("/late/x");
  EXPECT_EQ(Opened("other"), 1u);
  EXPECT_EQ(Opened("/late/x"), 1u) << "it was made anew";
}

TEST_F(BreakerSeries, ForgetsANameAfterAnHourWithoutItsBreaker) {
  Fail("/shop.Ledger/Add");
  Tell();
  Fill();
  now += RG_BREAKER_SERIES_KEPT_S * kSecond;
  EXPECT_EQ(Tell().count("/shop.Ledger/Add"), 1u);
  now += kSecond;
  EXPECT_EQ(Tell().count("/shop.Ledger/Add"), 0u);
}

TEST_F(BreakerSeries, HasNoNameForOneThatWouldBeTakenForAnother) {
  Fail("/" + std::string(1000, 'a') + std::string(200, 'x'));
  Fail("/" + std::string(1000, 'b') + std::string(200, 'x'));
  Fail("other");
  auto all = Tell();
  EXPECT_EQ(all.size(), 1u);
  EXPECT_EQ(all["other"].tallies[RG_TALLY_OPENED], 3u);
}

bool Fell(const std::map<std::string, rg_told_breaker> &before,
          const std::map<std::string, rg_told_breaker> &after) {
  for (const auto &entry : before) {
    const auto now = after.find(entry.first);
    if (now == after.end()) return true;
    for (int i = 0; i < RG_TALLIES; i++)
      if (now->second.tallies[i] < entry.second.tallies[i]) return true;
  }
  return false;
}

// Hundreds of methods share 64 places and 100 names, and all of them fail.
TEST_F(BreakerSeries, NeverCountsLessWithHundredsOfMethods) {
  Random random(1);
  std::map<std::string, rg_told_breaker> before;
  uint64_t opened = 0;
  for (int round = 0; round < 200; round++) {
    for (int i = 0; i < 20; i++) {
      const std::string path = "/s/" + std::to_string(random.Below(300));
      Fail(path);
      if (random.OneIn(3)) Count(path, RG_TALLY_REJECTIONS);
    }
    auto after = Tell();
    ASSERT_FALSE(Fell(before, after)) << round;
    before = after;
  }
  for (const auto &entry : before)
    opened += entry.second.tallies[RG_TALLY_OPENED];
  EXPECT_GT(opened, 1000u);
}

TEST_F(BreakerSeries, NeverCountsLessWhileThreadsTakePlaces) {
  Race(4, [this](int thread) {
    Random random(static_cast<uint64_t>(thread));
    std::map<std::string, rg_told_breaker> before;
    for (uint64_t i = 0; i < 3000; i++) {
      if (thread == 0 && i % 10 == 0) {
        auto after = Tell();
        ASSERT_FALSE(Fell(before, after));
        before = after;
        continue;
      }
      const std::string path = "/s/" + std::to_string(random.Below(300));
      rg_breaker *breaker = Find(path, now + i);
      if (breaker != nullptr) CountOpened(breaker);
    }
  });
}

}  // namespace
}  // namespace rg_test
