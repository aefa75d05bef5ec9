// SPDX-License-Identifier: Apache-2.0
#include "host/hop_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/race.h"
#include "support/random.h"

namespace {

using rg_test::Random;

constexpr size_t kPlacesOfARow = 8;
constexpr size_t kPlaces = 32768;

// An address that nothing has: nobody may look at what is there.
const void *Address(uint64_t number) {
  return reinterpret_cast<const void *>(static_cast<uintptr_t>(number * 16));
}

const void *RandomAddress(Random *random) {
  return Address(1 + random->Below(UINT64_C(1) << 40));
}

void RemoveAll(const std::vector<const void *> &all) {
  for (const void *address : all) rg_hop_set_remove(address);
}

// Adds addresses until one finds no place; returns that one.
const void *AddUntilRefused(Random *random, std::vector<const void *> *added) {
  for (;;) {
    const void *address = RandomAddress(random);
    if (rg_hop_set_contains(address)) continue;
    if (!rg_hop_set_add(address)) return address;
    added->push_back(address);
  }
}

TEST(HopSet, ContainsNothingButWhatWasAdded) {
  int hop = 0;
  int other = 0;
  EXPECT_FALSE(rg_hop_set_contains(&hop));
  ASSERT_TRUE(rg_hop_set_add(&hop));
  EXPECT_TRUE(rg_hop_set_contains(&hop));
  EXPECT_FALSE(rg_hop_set_contains(&other));
  rg_hop_set_remove(&hop);
  EXPECT_FALSE(rg_hop_set_contains(&hop));
}

TEST(HopSet, NeverContainsNull) { EXPECT_FALSE(rg_hop_set_contains(nullptr)); }

TEST(HopSet, AnAddressComesAndGoesAsOftenAsItLikes) {
  int hop = 0;
  for (size_t i = 0; i < 2 * kPlaces; i++) {
    ASSERT_TRUE(rg_hop_set_add(&hop));
    ASSERT_TRUE(rg_hop_set_contains(&hop));
    rg_hop_set_remove(&hop);
    ASSERT_FALSE(rg_hop_set_contains(&hop));
  }
}

TEST(HopSet, RemovingWhatIsNotThereChangesNothing) {
  int hop = 0;
  int other = 0;
  ASSERT_TRUE(rg_hop_set_add(&hop));
  rg_hop_set_remove(&other);
  EXPECT_TRUE(rg_hop_set_contains(&hop));
  rg_hop_set_remove(&hop);
  rg_hop_set_remove(&hop);
  EXPECT_FALSE(rg_hop_set_contains(&hop));
}

// Calls lie in arenas next to each other.
TEST(HopSet, HasPlaceForThousandsOfNeighbours) {
  std::vector<const void *> added;
  for (uint64_t i = 0; i < 4096; i++) {
    const void *address = Address(UINT64_C(0x7f0000000000) / 16 + i * 128);
    ASSERT_TRUE(rg_hop_set_add(address)) << i;
    added.push_back(address);
  }
  for (const void *address : added) EXPECT_TRUE(rg_hop_set_contains(address));
  RemoveAll(added);
}

TEST(HopSet, AFullRowRefusesAndKeepsWhatItHas) {
  Random random(1);
  std::vector<const void *> added;
  const void *refused = AddUntilRefused(&random, &added);
  EXPECT_LT(added.size(), kPlaces);
  EXPECT_FALSE(rg_hop_set_contains(refused));
  for (const void *address : added) ASSERT_TRUE(rg_hop_set_contains(address));
  RemoveAll(added);
  for (const void *address : added) ASSERT_FALSE(rg_hop_set_contains(address));
}

TEST(HopSet, ARowHasEightPlacesAndEachCanBeReused) {
  Random random(2);
  std::vector<const void *> added;
  const void *refused = AddUntilRefused(&random, &added);
  size_t neighbours = 0;
  for (const void *address : added) {
    rg_hop_set_remove(address);
    if (rg_hop_set_add(refused)) {
      neighbours++;
      EXPECT_TRUE(rg_hop_set_contains(refused));
      EXPECT_FALSE(rg_hop_set_contains(address));
      rg_hop_set_remove(refused);
    }
    ASSERT_TRUE(rg_hop_set_add(address));
  }
  EXPECT_EQ(neighbours, kPlacesOfARow);
  RemoveAll(added);
}

// Threads that share rows but no address, as server calls do.
TEST(HopSet, ThreadsDoNotDisturbEachOther) {
  constexpr int kThreads = 8;
  constexpr uint64_t kAddresses = 512;
  rg_test::Race(kThreads, [](int thread) {
    Random random(static_cast<uint64_t>(thread));
    bool present[kAddresses] = {};
    const auto address = [thread](uint64_t i) {
      return Address(1 + i * kThreads + static_cast<uint64_t>(thread));
    };
    for (int step = 0; step < 20000; step++) {
      const uint64_t i = random.Below(kAddresses);
      ASSERT_EQ(rg_hop_set_contains(address(i)), present[i]);
      if (present[i])
        rg_hop_set_remove(address(i));
      else
        ASSERT_TRUE(rg_hop_set_add(address(i)));
      present[i] = !present[i];
    }
    for (uint64_t i = 0; i < kAddresses; i++)
      if (present[i]) rg_hop_set_remove(address(i));
  });
  for (uint64_t i = 0; i <= kAddresses * kThreads; i++)
    ASSERT_FALSE(rg_hop_set_contains(Address(i))) << i;
}

// All want the few places of one row: none is given to two.
TEST(HopSet, ThreadsThatWantOneRowGetEightPlaces) {
  Random random(3);
  std::vector<const void *> row;
  std::vector<const void *> added;
  const void *refused = AddUntilRefused(&random, &added);
  for (const void *address : added) {
    rg_hop_set_remove(address);
    if (rg_hop_set_add(refused)) {
      row.push_back(address);
      rg_hop_set_remove(refused);
    }
    ASSERT_TRUE(rg_hop_set_add(address));
  }
  row.push_back(refused);
  RemoveAll(added);
  std::atomic<int> got{0};
  rg_test::Race(static_cast<int>(row.size()), [&](int i) {
    const void *mine = row[static_cast<size_t>(i)];
    for (int round = 0; round < 2000; round++) {
      if (!rg_hop_set_add(mine)) continue;
      ASSERT_TRUE(rg_hop_set_contains(mine));
      rg_hop_set_remove(mine);
      ASSERT_FALSE(rg_hop_set_contains(mine));
    }
    if (rg_hop_set_add(mine)) got++;
  });
  EXPECT_EQ(got, static_cast<int>(kPlacesOfARow));
  RemoveAll(row);
}

}  // namespace
