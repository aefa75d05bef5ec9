// SPDX-License-Identifier: Apache-2.0
#include "host/target.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "host/fresh_name.h"
#include "host/heap_count.h"
#include "host/stats.h"
#include "support/race.h"
#include "support/random.h"

namespace {

using rg_test::FreshName;
using rg_test::Random;

constexpr uint64_t kSecond = UINT64_C(1000000000);
constexpr uint64_t kNow = 100 * kSecond;

rg_budget_policy Bucket(uint32_t initial_milli, uint64_t max_milli = 0) {
  rg_budget_policy policy = {};
  policy.kind = RG_BUDGET_TOKEN_BUCKET;
  policy.bucket.ratio_milli = 100;
  policy.bucket.burst_ns = 3 * kSecond;
  policy.bucket.initial_milli = initial_milli;
  policy.bucket.max_milli = max_milli;
  return policy;
}

rg_budget_policy Window(uint32_t percent, uint64_t min_retries_milli) {
  rg_budget_policy policy = {};
  policy.kind = RG_BUDGET_WINDOW;
  policy.window.percent = percent;
  policy.window.interval_ns = 10 * kSecond;
  policy.window.min_retries_milli = min_retries_milli;
  return policy;
}

void Adopt(rg_target *target, uint64_t number, const rg_budget_policy &budget) {
  rg_policy policy = {};
  policy.budget = budget;
  rg_target_adopt(target, number, &policy, kNow);
}

uint64_t Adopt(rg_target *target, const rg_budget_policy &budget) {
  const uint64_t number = rg_target_next_policy_number();
  Adopt(target, number, budget);
  return number;
}

bool Take(rg_target *target) {
  rg_token token = {};
  return rg_budget_take(&target->budget, kNow, &token);
}

uint64_t Level(rg_target *target) {
  return rg_budget_level(&target->budget, kNow);
}

bool Exists(const std::string &name) {
  return rg_target_visit(
      name.c_str(), [](rg_target *, void *) {}, nullptr);
}

std::string Name(const std::string &stem, int i) {
  return stem + "/" + std::to_string(i);
}

// A target that a channel came to and left.
void ComeAndGo(const std::string &name) {
  rg_target *target = rg_target_acquire(name.c_str());
  ASSERT_NE(target, nullptr);
  Adopt(target, Bucket(1000));
  rg_target_release(target);
}

// Pushes out what was idle; the new ones are Name(result, 0) and so on.
std::string FillIdle() {
  const std::string stem = FreshName("idle");
  for (int i = 0; i < RG_TARGETS_IDLE_MAX; i++) ComeAndGo(Name(stem, i));
  return stem;
}

TEST(Target, KeepsWithinItsMemoryBudget) {
  EXPECT_LE(sizeof(rg_target), 4096u);
}

TEST(Target, IsSharedByAllChannelsToOneName) {
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

TEST(Target, TellsNamesApartByEveryByte) {
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

TEST(Target, KeepsItsOwnCopyOfTheName) {
  std::string name = "dns:///copied";
  rg_target *target = rg_target_acquire(name.c_str());
  name[0] = '!';
  EXPECT_STREQ(target->name, "dns:///copied");
  rg_target_release(target);
}

TEST(Target, ReleasingNullDoesNothing) { rg_target_release(nullptr); }

TEST(Target, IsNullWhenMemoryIsOut) {
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

TEST(Target, ThatExistsNeedsNoMemory) {
  rg_target *target = rg_target_acquire(FreshName("known").c_str());
  const std::string name = target->name;
  const uint64_t before = rg_test::HeapAllocations();
  EXPECT_EQ(rg_target_acquire(name.c_str()), target);
  EXPECT_EQ(rg_test::HeapAllocations(), before);
  rg_target_release(target);
  rg_target_release(target);
}

TEST(Target, IsNotVisitedBeforeAPolicyWasInForce) {
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

TEST(TargetIdle, KeepsItsBudgetUntilAChannelReturns) {
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
TEST(TargetIdle, AThousandChannelsForACallEachShareOneBudget) {
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

TEST(TargetIdle, AsManyAsTheBoundAreKept) {
  const std::string kept = FillIdle();
  for (int i = 0; i < RG_TARGETS_IDLE_MAX; i++)
    EXPECT_TRUE(Exists(Name(kept, i))) << i;
}

TEST(TargetIdle, TheOldestGoesFirst) {
  const std::string old = FillIdle();
  for (int i = 0; i + 1 < RG_TARGETS_IDLE_MAX; i++) {
    ComeAndGo(FreshName("newer"));
    EXPECT_FALSE(Exists(Name(old, i))) << i;
    EXPECT_TRUE(Exists(Name(old, i + 1))) << i;
  }
}

TEST(TargetIdle, ItsAgeCountsFromWhenItsLastChannelLeft) {
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

TEST(TargetIdle, WithAChannelATargetIsNeverReclaimed) {
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

TEST(TargetIdle, AReclaimedTargetReturnsAsANewOne) {
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

TEST(TargetIdle, TenThousandTargetsLeaveNoMoreThanTheBound) {
  const std::string stem = FreshName("many");
  for (int i = 0; i < 10000; i++) ComeAndGo(Name(stem, i));
  EXPECT_EQ(CountExisting(stem, 10000), RG_TARGETS_IDLE_MAX);
  EXPECT_TRUE(Exists(Name(stem, 9999)));
}

// Also when they were all in use at the same time.
TEST(TargetIdle, TenThousandTargetsDroppedAtOnceLeaveNoMoreThanTheBound) {
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

class TargetPolicy : public testing::Test {
 protected:
  TargetPolicy() : target_(rg_target_acquire(FreshName("policy").c_str())) {}
  ~TargetPolicy() override { rg_target_release(target_); }

  rg_target *const target_;
};

TEST_F(TargetPolicy, NumbersGrow) {
  const uint64_t first = rg_target_next_policy_number();
  EXPECT_GT(first, 0u);
  EXPECT_GT(rg_target_next_policy_number(), first);
}

TEST_F(TargetPolicy, TheFirstFillsTheBudget) {
  const uint64_t number = Adopt(target_, Bucket(5000));
  EXPECT_EQ(target_->policy_number, number);
  EXPECT_EQ(Level(target_), 5000u);
}

TEST_F(TargetPolicy, AnOlderOrTheSameOneChangesNothing) {
  const rg_budget_policy policy = Bucket(5000);
  const rg_budget_policy other = Bucket(1000, 1000);
  const uint64_t older = rg_target_next_policy_number();
  const uint64_t number = Adopt(target_, policy);
  for (uint64_t late : {UINT64_C(0), older, number}) {
    Adopt(target_, late, other);
    EXPECT_EQ(target_->policy_number, number);
    EXPECT_EQ(Level(target_), 5000u);
  }
}

// As when a resolver delivers the same service config again and again.
TEST_F(TargetPolicy, ANewerOneThatIsEqualLeavesTheLevelAlone) {
  Adopt(target_, Bucket(5000));
  ASSERT_TRUE(Take(target_));
  for (int i = 0; i < 100; i++) {
    const uint64_t number = Adopt(target_, Bucket(5000));
    EXPECT_EQ(target_->policy_number, number);
    EXPECT_EQ(Level(target_), 4000u);
  }
}

// Its calls in flight give their tokens back as if nothing had happened.
TEST_F(TargetPolicy, ANewerOneThatIsEqualKeepsTokensRefundable) {
  Adopt(target_, Bucket(5000));
  rg_token token = {};
  ASSERT_TRUE(rg_budget_take(&target_->budget, kNow, &token));
  Adopt(target_, Bucket(5000));
  rg_budget_refund(&target_->budget, token);
  EXPECT_EQ(Level(target_), 5000u);
}

TEST_F(TargetPolicy, AChangedOneKeepsTheFilledFraction) {
  Adopt(target_, Bucket(10000));
  for (int i = 0; i < 4; i++) ASSERT_TRUE(Take(target_));
  Adopt(target_, Bucket(5000));
  EXPECT_EQ(Level(target_), 3000u);
  Adopt(target_, Window(0, 20000));
  EXPECT_EQ(Level(target_), 12000u);
}

TEST_F(TargetPolicy, AnEmptyBudgetStaysEmpty) {
  Adopt(target_, Bucket(1000));
  ASSERT_TRUE(Take(target_));
  for (const rg_budget_policy &policy :
       {Bucket(10000), Window(20, 10000), Bucket(3000, 2000)}) {
    Adopt(target_, policy);
    EXPECT_EQ(Level(target_), 0u);
    EXPECT_FALSE(Take(target_));
  }
}

TEST_F(TargetPolicy, EachFieldOfABudgetMakesADifference) {
  rg_budget_policy policy = Bucket(4000, 8000);
  policy.window = Window(20, 1000).window;
  uint64_t *const wide[] = {&policy.bucket.burst_ns, &policy.bucket.max_milli,
                            &policy.window.interval_ns,
                            &policy.window.min_retries_milli};
  uint32_t *const narrow[] = {&policy.bucket.ratio_milli,
                              &policy.bucket.initial_milli,
                              &policy.window.percent};
  Adopt(target_, policy);
  uint32_t updates = target_->budget.current;
  for (uint64_t *field : wide) {
    ++*field;
    Adopt(target_, policy);
    EXPECT_EQ(target_->budget.current, ++updates);
  }
  for (uint32_t *field : narrow) {
    ++*field;
    Adopt(target_, policy);
    EXPECT_EQ(target_->budget.current, ++updates);
  }
  policy.kind = RG_BUDGET_UNLIMITED;
  Adopt(target_, policy);
  EXPECT_EQ(target_->budget.current, ++updates);
}

TEST_F(TargetPolicy, AdoptingWhatIsInForceNeedsNoHeap) {
  const rg_budget_policy policy = Bucket(1000);
  const uint64_t before = rg_test::HeapAllocations();
  Adopt(target_, policy);
  Adopt(target_, policy);
  EXPECT_EQ(rg_test::HeapAllocations(), before);
}

rg_breaker_policy Breaker(rg_breaker_scope scope) {
  rg_breaker_policy policy = {};
  policy.scope = scope;
  policy.failure_codes = 1u << 14;
  policy.failure_ratio_milli = 500;
  policy.min_requests = 1000;
  policy.consecutive_failures = 1;
  policy.window_ns = 10 * kSecond;
  policy.cooldown_ns = 5 * kSecond;
  policy.probes = 1;
  policy.probe_timeout_ns = 5 * kSecond;
  return policy;
}

rg_policy PolicyWith(rg_breaker_scope scope) {
  rg_policy policy = {};
  policy.budget = Bucket(1000);
  policy.breaker = Breaker(scope);
  return policy;
}

rg_breaker_key MethodKey(uint64_t method) {
  rg_breaker_key key = {};
  key.method = method;
  return key;
}

TEST_F(TargetPolicy, TheFirstMakesTheBreakersAndLaterOnesKeepTheirState) {
  rg_policy policy = PolicyWith(RG_BREAKER_PER_TARGET);
  rg_target_adopt(target_, rg_target_next_policy_number(), &policy, kNow);
  rg_breaker *breaker = &target_->breakers.whole;
  rg_breaker_admission admission = rg_breaker_admit(breaker, kNow);
  ASSERT_EQ(
      rg_breaker_settle(breaker, &admission.permit, RG_RESULT_FAILURE, kNow, 0),
      RG_SETTLED_OPENED);
  policy.breaker.min_requests = 7;
  rg_target_adopt(target_, rg_target_next_policy_number(), &policy, kNow);
  EXPECT_EQ(rg_breaker_state_of(breaker), RG_BREAKER_OPEN);
  EXPECT_EQ(breaker->min_requests, 7u);
}

TEST_F(TargetPolicy, AnOlderOneLeavesTheBreakersAlone) {
  const uint64_t older = rg_target_next_policy_number();
  rg_policy policy = PolicyWith(RG_BREAKER_PER_TARGET);
  rg_target_adopt(target_, rg_target_next_policy_number(), &policy, kNow);
  policy = PolicyWith(RG_BREAKER_PER_METHOD);
  policy.breaker.min_requests = 7;
  rg_target_adopt(target_, older, &policy, kNow);
  EXPECT_EQ(target_->breakers.whole.min_requests, 1000u);
  EXPECT_EQ(target_->breakers.scope, uint32_t{RG_BREAKER_PER_TARGET});
  EXPECT_EQ(target_->breakers.scoped, nullptr);
}

TEST_F(TargetPolicy, BreakersOfScopesNeedOneAllocationEver) {
  const rg_policy policy = PolicyWith(RG_BREAKER_PER_METHOD);
  const uint64_t before = rg_test::HeapAllocations();
  for (int i = 0; i < 3; i++)
    rg_target_adopt(target_, rg_target_next_policy_number(), &policy, kNow);
  EXPECT_EQ(rg_test::HeapAllocations(), before + 1);
}

TEST_F(TargetPolicy, WithoutMemoryForBreakersOfScopesTheTargetsOwnServes) {
  if (!rg_test::EmptyHeap::IsPossible()) GTEST_SKIP();
  const rg_policy policy = PolicyWith(RG_BREAKER_PER_METHOD);
  const uint64_t number = rg_target_next_policy_number();
  {
    const rg_test::EmptyHeap heap;
    rg_target_adopt(target_, number, &policy, kNow);
  }
  const rg_breaker_key key = MethodKey(1);
  EXPECT_EQ(target_->policy_number, number);
  EXPECT_EQ(rg_breakers_find(&target_->breakers, &key, kNow),
            &target_->breakers.whole);
  rg_target_adopt(target_, rg_target_next_policy_number(), &policy, kNow);
  EXPECT_NE(rg_breakers_find(&target_->breakers, &key, kNow),
            &target_->breakers.whole);
}

// The memory is taken before the lock, so more than one thread may bring some.
TEST(TargetThreads, BreakersOfScopesAreMadeOnce) {
  for (int round = 0; round < 50; round++) {
    const std::string name = FreshName("scopes");
    const rg_policy policy = PolicyWith(RG_BREAKER_PER_METHOD);
    const rg_breaker_key key = MethodKey(1);
    std::atomic<rg_breaker *> seen[4] = {};
    rg_test::Race(4, [&](int thread) {
      rg_target *target = rg_target_acquire(name.c_str());
      rg_target_adopt(target, rg_target_next_policy_number(), &policy, kNow);
      rg_breaker *breaker = rg_breakers_find(&target->breakers, &key, kNow);
      rg_breaker_admission admission = rg_breaker_admit(breaker, kNow);
      rg_breaker_settle(breaker, &admission.permit, RG_RESULT_SUCCESS, kNow, 0);
      seen[thread] = breaker;
      rg_target_release(target);
    });
    const rg_target *target = rg_target_acquire(name.c_str());
    const rg_scoped_breaker *scoped = target->breakers.scoped;
    for (const auto &breaker : seen) {
      EXPECT_GE(breaker.load(), &scoped[0].breaker);
      EXPECT_LE(breaker.load(), &scoped[RG_BREAKERS_MAX - 1].breaker);
    }
    rg_target_release(const_cast<rg_target *>(target));
  }
}

TEST(TargetThreads, ANameIsOneTargetHoweverManyChannelsComeAtOnce) {
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

TEST(TargetThreads, NumbersAreHandedOutOnce) {
  std::vector<uint64_t> numbers(8 * 1000);
  rg_test::Race(8, [&numbers](int thread) {
    for (size_t i = 0; i < 1000; i++)
      numbers[static_cast<size_t>(thread) * 1000 + i] =
          rg_target_next_policy_number();
  });
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
}

// More names than may be idle, so that targets are reclaimed all the time.
TEST(TargetThreads, ChannelsComeAndGo) {
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
TEST(TargetThreads, AForkLeavesTheChildAFreeLock) {
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
TEST(TargetThreads, AForkLeavesTheChildStatsToRead) {
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

TEST(TargetThreads, TheNewestPolicyWins) {
  rg_target *target = rg_target_acquire(FreshName("racing").c_str());
  std::vector<rg_budget_policy> policies;
  for (uint32_t i = 0; i < 200; i++) policies.push_back(Bucket(1000 * (i + 1)));
  const uint64_t first = rg_target_next_policy_number();
  for (size_t i = 1; i < policies.size(); i++) rg_target_next_policy_number();
  rg_test::Race(8, [&](int thread) {
    Random random(static_cast<uint64_t>(thread));
    for (int i = 0; i < 400; i++) {
      // Each thread ends with the newest; before, in any order.
      const size_t pick = i < 399 ? random.Below(policies.size()) : 199;
      Adopt(target, first + pick, policies[pick]);
      Take(target);
    }
  });
  EXPECT_EQ(target->policy_number, first + 199);
  EXPECT_EQ(target->budget_policy.bucket.initial_milli, 200000u);
  rg_target_release(target);
}

TEST(TargetThreads, TheFirstPolicyFillsTheBudgetOnce) {
  for (int round = 0; round < 50; round++) {
    const std::string name = FreshName("first-policy");
    const rg_budget_policy policy = Bucket(5000);
    const uint64_t number = rg_target_next_policy_number();
    std::atomic<int> taken{0};
    rg_test::Race(4, [&](int) {
      rg_target *target = rg_target_acquire(name.c_str());
      Adopt(target, number, policy);
      for (int i = 0; i < 3; i++) taken += Take(target) ? 1 : 0;
      rg_target_release(target);
    });
    EXPECT_EQ(taken, 5);
  }
}

}  // namespace
