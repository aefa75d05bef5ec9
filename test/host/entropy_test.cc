// SPDX-License-Identifier: Apache-2.0
#include "host/entropy.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <set>
#include <thread>
#include <vector>

#include "support/race.h"

namespace {

using Draws = std::array<uint64_t, 64>;

Draws Draw() {
  Draws draws = {};
  for (uint64_t &draw : draws) draw = rg_entropy_next();
  return draws;
}

// What a forked child draws, or its own child `generations` - 1 forks down.
Draws DrawInChild(int generations = 1) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Draws draws = generations > 1 ? DrawInChild(generations - 1) : Draw();
    const bool sent = write(ends[1], &draws, sizeof draws) == sizeof draws;
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  Draws draws = {};
  EXPECT_EQ(read(ends[0], &draws, sizeof draws),
            static_cast<ssize_t>(sizeof draws));
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return draws;
}

// Two of 64 random bits are the same once in 10^19 pairs.
void ExpectNothingInCommon(const std::vector<Draws> &all) {
  std::set<uint64_t> values;
  for (const Draws &draws : all) values.insert(draws.begin(), draws.end());
  EXPECT_EQ(values.size(), all.size() * std::tuple_size_v<Draws>);
}

TEST(Entropy, DoesNotRepeatItself) {
  std::set<uint64_t> values;
  for (int i = 0; i < 100000; i++) values.insert(rg_entropy_next());
  EXPECT_EQ(values.size(), 100000u);
}

TEST(Entropy, ThreadsDrawDifferently) {
  std::vector<Draws> all(8);
  rg_test::Race(8, [&all](int i) { all[static_cast<size_t>(i)] = Draw(); });
  ExpectNothingInCommon(all);
}

TEST(Entropy, AForkedChildDrawsDifferently) {
  const Draws before = Draw();
  const Draws child = DrawInChild();
  ExpectNothingInCommon({before, child, Draw()});
}

TEST(Entropy, ChildrenOfOneParentDrawDifferently) {
  Draw();
  ExpectNothingInCommon({DrawInChild(), DrawInChild(), DrawInChild()});
}

TEST(Entropy, AGrandchildDrawsDifferently) {
  Draw();
  ExpectNothingInCommon({DrawInChild(), DrawInChild(2), DrawInChild(3)});
}

TEST(Entropy, AChildOfAThreadThatNeverDrewDrawsDifferently) {
  std::vector<Draws> all;
  std::thread([&all] {
    all.push_back(DrawInChild());
    all.push_back(DrawInChild());
    all.push_back(Draw());
  }).join();
  ExpectNothingInCommon(all);
}

// 2^16 draws set each bit 2^15 times, give or take 128 (one sigma).
TEST(Entropy, SetsEachBitHalfOfTheTime) {
  std::array<int, 64> set = {};
  for (int i = 0; i < 1 << 16; i++) {
    const uint64_t draw = rg_entropy_next();
    for (size_t bit = 0; bit < set.size(); bit++)
      set[bit] += static_cast<int>(draw >> bit & 1);
  }
  for (size_t bit = 0; bit < set.size(); bit++)
    EXPECT_NEAR(set[bit], 1 << 15, 8 * 128) << bit;
}

// The upper byte decides where in a range a delay lies. Chi-square of 256 bins
// is 255, give or take 22.6.
TEST(Entropy, SpreadsItsUpperByteEvenly) {
  constexpr int kPerBin = 256;
  std::array<int, 256> bins = {};
  for (int i = 0; i < 256 * kPerBin; i++) bins[rg_entropy_next() >> 56]++;
  double chi_square = 0;
  for (int bin : bins)
    chi_square +=
        (bin - kPerBin) * static_cast<double>(bin - kPerBin) / kPerBin;
  EXPECT_LT(chi_square, 255 + 8 * 22.6);
  EXPECT_GT(chi_square, 255 - 8 * 22.6);
}

}  // namespace
