// SPDX-License-Identifier: Apache-2.0

// The policies that come into force at a target.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "host/fresh_name.h"
#include "host/heap_count.h"
#include "host/scoped_policy.h"
#include "host/target.h"
#include "host/target_fixture.h"
#include "support/race.h"
#include "support/random.h"

namespace {

using rg_test::FreshName;
using rg_test::Random;

class TargetPolicy : public rg_test::TargetTest {
 protected:
  TargetPolicy() : target_(rg_target_acquire(FreshName("policy").c_str())) {}
  ~TargetPolicy() override { rg_target_release(target_); }

  static rg_budget_policy Window(uint32_t percent, uint64_t min_retries_milli) {
    rg_budget_policy policy = {};
    policy.kind = RG_BUDGET_WINDOW;
    policy.window.percent = percent;
    policy.window.interval_ns = 10 * kSecond;
    policy.window.min_retries_milli = min_retries_milli;
    return policy;
  }

  static rg_policy PolicyWith(rg_breaker_scope scope) {
    rg_policy policy = {};
    policy.budget = Bucket(1000);
    policy.breaker = rg_test::OpensAtOnce(scope);
    return policy;
  }

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

rg_breaker_key MethodKey(uint64_t method) {
  rg_breaker_key key = rg_breakers_key("/a/x", 4);
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

class TargetPolicyThreads : public TargetPolicy {};

// The memory is taken before the lock, so more than one thread may bring some.
TEST_F(TargetPolicyThreads, BreakersOfScopesAreMadeOnce) {
  for (int round = 0; round < 50; round++) {
    const std::string name = FreshName("scopes");
    const rg_policy policy = PolicyWith(RG_BREAKER_PER_METHOD);
    const rg_breaker_key key = MethodKey(1);
    std::atomic<rg_breaker *> seen[4] = {};
    rg_test::Race(4, [&](int thread) {
      rg_target *target = rg_target_acquire(name.c_str());
      rg_target_adopt(target, rg_target_next_policy_number(), &policy, kNow);
      // None while another thread gives the place its name.
      rg_breaker *breaker = nullptr;
      while (breaker == nullptr)
        breaker = rg_breakers_find(&target->breakers, &key, kNow);
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

TEST_F(TargetPolicyThreads, NumbersAreHandedOutOnce) {
  std::vector<uint64_t> numbers(8 * 1000);
  rg_test::Race(8, [&numbers](int thread) {
    for (size_t i = 0; i < 1000; i++)
      numbers[static_cast<size_t>(thread) * 1000 + i] =
          rg_target_next_policy_number();
  });
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
}

TEST_F(TargetPolicyThreads, TheNewestPolicyWins) {
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

TEST_F(TargetPolicyThreads, TheFirstPolicyFillsTheBudgetOnce) {
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
