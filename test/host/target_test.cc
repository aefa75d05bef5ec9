// SPDX-License-Identifier: Apache-2.0

// Targets as channels come and go; target_policy_test.cc has the policies that
// come into force.
#include "host/target.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "host/fresh_name.h"
#include "host/heap_count.h"
#include "host/stats.h"
#include "host/target_fixture.h"
#include "support/race.h"
#include "support/random.h"

namespace {

using rg_test::FreshName;
using rg_test::Random;

bool Exists(const std::string &name) {
  return rg_target_visit(
      name.c_str(), [](rg_target *, void *) {}, nullptr);
}

std::string Name(const std::string &stem, int i) {
  return stem + "/" + std::to_string(i);
}

class Target : public rg_test::TargetTest {};

TEST_F(Target, KeepsWithinItsMemoryBudget) {
  EXPECT_LE(sizeof(rg_target), 4096u);
}

TEST_F(Target, IsSharedByAllChannelsToOneName) {
  rg_target *a = rg_target_acquire("dns:///shared:1");
  rg_target *b = rg_target_acquire(std::string("dns:///shared:1").c_str());
  rg_target *other = rg_target_acquire("dns:///shared:2");
  EXPECT_EQ(a, b);
  EXPECT_NE(a, other);
  EXPECT_STREQ(a->name, "dns:///shared:1");
  rg_target_release(a);
  rg_target_release(b);
  rg_target_release(other);
}

TEST_F(Target, TellsNamesApartByEveryByte) {
  const std::string kNames[] = {"",
                                "d",
                                "dns:///apart",
                                "dns:///apart:",
                                "dns:///Apart",
                                std::string(10000, 'x')};
  std::vector<rg_target *> targets;
  for (const std::string &name : kNames)
    targets.push_back(rg_target_acquire(name.c_str()));
  for (size_t i = 0; i < targets.size(); i++) {
    EXPECT_EQ(targets[i]->name, kNames[i]);
    for (size_t j = 0; j < i; j++) EXPECT_NE(targets[i], targets[j]);
  }
  for (rg_target *target : targets) rg_target_release(target);
}

TEST_F(Target, KeepsItsOwnCopyOfTheName) {
  std::string name = "dns:///copied";
  rg_target *target = rg_target_acquire(name.c_str());
  name[0] = '!';
  EXPECT_STREQ(target->name, "dns:///copied");
  rg_target_release(target);
}

TEST_F(Target, ReleasingNullDoesNothing) { rg_target_release(nullptr); }

TEST_F(Target, IsNullWhenMemoryIsOut) {
  if (!rg_test::EmptyHeap::IsPossible()) GTEST_SKIP();
  const std::string name = FreshName("no-memory");
  rg_target *target = nullptr;
  {
    const rg_test::EmptyHeap heap;
    target = rg_target_acquire(name.c_str());
  }
  EXPECT_EQ(target, nullptr);
  target = rg_target_acquire(name.c_str());
  EXPECT_NE(target, nullptr);
  rg_target_release(target);
}

TEST_F(Target, ThatExistsNeedsNoMemory) {
  rg_target *target = rg_target_acquire(FreshName("known").c_str());
  const std::string name = target->name;
  const uint64_t before = rg_test::HeapAllocations();
  EXPECT_EQ(rg_target_acquire(name.c_str()), target);
  EXPECT_EQ(rg_test::HeapAllocations(), before);
  rg_target_release(target);
  rg_target_release(target);
}

TEST_F(Target, IsNotVisitedBeforeAPolicyWasInForce) {
  const std::string name = FreshName("visited");
  EXPECT_FALSE(Exists(name));
  rg_target *target = rg_target_acquire(name.c_str());
  EXPECT_FALSE(Exists(name));
  Adopt(target, Bucket(1000));
  rg_target *visited = nullptr;
  EXPECT_TRUE(rg_target_visit(
      name.c_str(),
      [](rg_target *found, void *arg) {
        *static_cast<rg_target **>(arg) = found;
      },
      &visited));
  EXPECT_EQ(visited, target);
  rg_target_release(target);
  EXPECT_TRUE(Exists(name));
}

class TargetIdle : public rg_test::TargetTest {
 protected:
  // A target that a channel came to and left.
  static void ComeAndGo(const std::string &name) {
    rg_target *target = rg_target_acquire(name.c_str());
    ASSERT_NE(target, nullptr);
    Adopt(target, Bucket(1000));
    rg_target_release(target);
  }

  // Pushes out what was idle; the new ones are Name(result, 0) and so on.
  static std::string FillIdle() {
    const std::string stem = FreshName("idle");
    for (int i = 0; i < RG_TARGETS_IDLE_MAX; i++) ComeAndGo(Name(stem, i));
    return stem;
  }
};

TEST_F(TargetIdle, KeepsItsBudgetUntilAChannelReturns) {
  const std::string name = FreshName("returning");
  rg_target *target = rg_target_acquire(name.c_str());
  Adopt(target, Bucket(3000));
  ASSERT_TRUE(Take(target));
  target->counters.fail_open = 7;
  rg_target_release(target);
  target = rg_target_acquire(name.c_str());
  EXPECT_EQ(Level(target), 2000u);
  EXPECT_EQ(target->counters.fail_open, 7u);
  rg_target_release(target);
}

// A program that opens a channel for each call gets no fresh budget each time.
TEST_F(TargetIdle, AThousandChannelsForACallEachShareOneBudget) {
  const std::string name = FreshName("a-channel-a-call");
  int taken = 0;
  for (int i = 0; i < 1000; i++) {
    rg_target *target = rg_target_acquire(name.c_str());
    Adopt(target, Bucket(2000));
    if (Take(target)) taken++;
    rg_target_release(target);
  }
  EXPECT_EQ(taken, 2);
}

TEST_F(TargetIdle, AsManyAsTheBoundAreKept) {
  const std::string kept = FillIdle();
  for (int i = 0; i < RG_TARGETS_IDLE_MAX; i++)
    EXPECT_TRUE(Exists(Name(kept, i))) << i;
}

TEST_F(TargetIdle, TheOldestGoesFirst) {
  const std::string old = FillIdle();
  for (int i = 0; i + 1 < RG_TARGETS_IDLE_MAX; i++) {
    ComeAndGo(FreshName("newer"));
    EXPECT_FALSE(Exists(Name(old, i))) << i;
    EXPECT_TRUE(Exists(Name(old, i + 1))) << i;
  }
}

TEST_F(TargetIdle, ItsAgeCountsFromWhenItsLastChannelLeft) {
  const std::string old = FillIdle();
  ComeAndGo(Name(old, 0));
  ComeAndGo(Name(old, 2));
  ComeAndGo(FreshName("newcomer"));
  EXPECT_TRUE(Exists(Name(old, 0)));
  EXPECT_FALSE(Exists(Name(old, 1)));
  EXPECT_TRUE(Exists(Name(old, 2)));
  ComeAndGo(FreshName("newcomer"));
  EXPECT_TRUE(Exists(Name(old, 2)));
  EXPECT_FALSE(Exists(Name(old, 3)));
}

TEST_F(TargetIdle, WithAChannelATargetIsNeverReclaimed) {
  const std::string name = FreshName("in-use");
  rg_target *first = rg_target_acquire(name.c_str());
  rg_target *second = rg_target_acquire(name.c_str());
  Adopt(first, Bucket(1000));
  rg_target_release(first);
  FillIdle();
  FillIdle();
  EXPECT_TRUE(Exists(name));
  EXPECT_EQ(rg_target_acquire(name.c_str()), second);
  rg_target_release(second);
  rg_target_release(second);
}

TEST_F(TargetIdle, AReclaimedTargetReturnsAsANewOne) {
  const std::string name = FreshName("reclaimed");
  rg_target *target = rg_target_acquire(name.c_str());
  Adopt(target, Bucket(1000));
  ASSERT_TRUE(Take(target));
  target->counters.fail_open = 7;
  rg_target_release(target);
  FillIdle();
  EXPECT_FALSE(Exists(name));
  target = rg_target_acquire(name.c_str());
  EXPECT_EQ(target->policy_number, 0u);
  EXPECT_EQ(target->counters.fail_open, 0u);
  Adopt(target, Bucket(1000));
  EXPECT_EQ(Level(target), 1000u);
  rg_target_release(target);
}

int CountExisting(const std::string &stem, int count) {
  int existing = 0;
  for (int i = 0; i < count; i++) existing += Exists(Name(stem, i)) ? 1 : 0;
  return existing;
}

TEST_F(TargetIdle, TenThousandTargetsLeaveNoMoreThanTheBound) {
  const std::string stem = FreshName("many");
  for (int i = 0; i < 10000; i++) ComeAndGo(Name(stem, i));
  EXPECT_EQ(CountExisting(stem, 10000), RG_TARGETS_IDLE_MAX);
  EXPECT_TRUE(Exists(Name(stem, 9999)));
}

// Also when they were all in use at the same time.
TEST_F(TargetIdle, TenThousandTargetsDroppedAtOnceLeaveNoMoreThanTheBound) {
  const std::string stem = FreshName("crowd");
  std::vector<rg_target *> targets;
  for (int i = 0; i < 10000; i++) {
    targets.push_back(rg_target_acquire(Name(stem, i).c_str()));
    Adopt(targets.back(), Bucket(1000));
  }
  EXPECT_EQ(CountExisting(stem, 10000), 10000);
  for (rg_target *target : targets) rg_target_release(target);
  EXPECT_EQ(CountExisting(stem, 10000), RG_TARGETS_IDLE_MAX);
}

class TargetThreads : public rg_test::TargetTest {};

TEST_F(TargetThreads, ANameIsOneTargetHoweverManyChannelsComeAtOnce) {
  for (int round = 0; round < 200; round++) {
    const std::string name = FreshName("at-once");
    rg_target *seen[4] = {};
    rg_test::Race(
        4, [&](int thread) { seen[thread] = rg_target_acquire(name.c_str()); });
    for (rg_target *target : seen) {
      EXPECT_EQ(target, seen[0]);
      rg_target_release(target);
    }
  }
}

// More names than may be idle, so that targets are reclaimed all the time.
TEST_F(TargetThreads, ChannelsComeAndGo) {
  constexpr int kNames = 3 * RG_TARGETS_IDLE_MAX;
  const std::string stem = FreshName("busy");
  rg_test::Race(8, [&stem](int thread) {
    Random random(static_cast<uint64_t>(thread));
    for (int i = 0; i < 3000; i++) {
      const std::string name =
          Name(stem, static_cast<int>(random.Below(kNames)));
      rg_target *target = rg_target_acquire(name.c_str());
      ASSERT_NE(target, nullptr);
      ASSERT_EQ(target->name, name);
      Adopt(target, Bucket(random.OneIn(2) ? 1000 : 2000));
      target->counters.fail_open++;
      Take(target);
      if (random.OneIn(8)) Exists(name);
      rg_target_release(target);
    }
  });
  EXPECT_EQ(CountExisting(stem, kNames), RG_TARGETS_IDLE_MAX);
}

// The child has one thread; a lock that another one held would stay locked.
TEST_F(TargetThreads, AForkLeavesTheChildAFreeLock) {
  const std::string name = FreshName("forked");
  rg_target *target = rg_target_acquire(name.c_str());
  std::atomic<bool> done{false};
  std::thread holder([&] {
    while (!done)
      rg_target_visit(
          name.c_str(), [](rg_target *, void *) {}, nullptr);
  });
  for (int i = 0; i < 300; i++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      rg_target_release(rg_target_acquire(name.c_str()));
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "fork " << i;
  }
  done = true;
  holder.join();
  rg_target_release(target);
}

// Whoever was busy with a target at the fork is not there to be done with it.
TEST_F(TargetThreads, AForkLeavesTheChildStatsToRead) {
  rg_target *target = rg_target_acquire(FreshName("forked").c_str());
  Adopt(target, Bucket(1000));
  target->amplification.busy = true;
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    retry_guard_stats stats = {};
    rg_stats_read(target, kNow, &stats);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  target->amplification.busy = false;
  rg_target_release(target);
}

}  // namespace
