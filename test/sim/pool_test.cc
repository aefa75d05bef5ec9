// SPDX-License-Identifier: Apache-2.0
#include "sim/pool.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <set>
#include <vector>

namespace {

struct Thing {
  rg_pooled pooled;
  unsigned char bytes[21];
};

class Pool : public testing::Test {
 protected:
  void Init(size_t limit) { rg_pool_init(&pool_, sizeof(Thing), limit); }
  ~Pool() override { rg_pool_clean_up(&pool_); }

  Thing *Take() { return static_cast<Thing *>(rg_pool_take(&pool_)); }

  rg_pool pool_ = {};
};

TEST_F(Pool, GivesObjectsOfTheirOwn) {
  Init(5000);
  std::set<Thing *> things;
  for (int i = 0; i < 5000; i++) {
    Thing *thing = Take();
    ASSERT_NE(thing, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(thing) % alignof(max_align_t), 0u);
    std::memset(thing->bytes, i, sizeof thing->bytes);
    things.insert(thing);
  }
  EXPECT_EQ(things.size(), 5000u);
}

TEST_F(Pool, GivesNoMoreThanItsLimitAtATime) {
  Init(2);
  Thing *first = Take();
  EXPECT_NE(Take(), nullptr);
  EXPECT_EQ(Take(), nullptr);
  rg_pool_give(&pool_, first);
  EXPECT_NE(Take(), nullptr);
  EXPECT_EQ(Take(), nullptr);
}

TEST_F(Pool, GivesNothingWithALimitOfNothing) {
  Init(0);
  EXPECT_EQ(Take(), nullptr);
}

TEST_F(Pool, ZeroesWhatItGivesAgain) {
  Init(1);
  Thing *thing = Take();
  std::memset(thing->bytes, 0xff, sizeof thing->bytes);
  rg_pool_give(&pool_, thing);
  ASSERT_EQ(Take(), thing);
  EXPECT_EQ(thing->pooled.next, nullptr);
  for (unsigned char byte : thing->bytes) EXPECT_EQ(byte, 0);
}

// So that an appointment with what is gone is not kept by what came after it.
TEST_F(Pool, NeverGivesASerialAgain) {
  Init(1);
  Thing *thing = Take();
  uint32_t serial = thing->pooled.serial;
  for (int i = 0; i < 10; i++) {
    rg_pool_give(&pool_, thing);
    EXPECT_GT(thing->pooled.serial, serial);  // it can be looked at when gone
    ASSERT_EQ(Take(), thing);
    EXPECT_GT(thing->pooled.serial, serial);
    thing->pooled.serial += 5;  // its owner counts on
    serial = thing->pooled.serial;
  }
}

TEST_F(Pool, NeedsNoMoreMemoryForObjectsThatComeAndGo) {
  Init(100000);
  std::vector<Thing *> things(1000);
  for (int round = 0; round < 100; round++) {
    for (Thing *&thing : things) thing = Take();
    for (Thing *thing : things) rg_pool_give(&pool_, thing);
  }
  std::set<Thing *> different;
  for (Thing *&thing : things) different.insert(thing = Take());
  EXPECT_EQ(different.size(), things.size());
  EXPECT_EQ(pool_.used, things.size());
}

}  // namespace
