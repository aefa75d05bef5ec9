// SPDX-License-Identifier: Apache-2.0

// Many calls at a time whose verbs come in any order, held against what must be
// true of all of them together.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "host/call.h"
#include "host/call_fixture.h"
#include "support/race.h"
#include "support/random.h"

namespace {

using namespace rg_test;

constexpr int kCalls = 100000;
constexpr uint64_t kAtATime = 50;

// A call of the walk, with every attempt that it ever began.
struct Walker {
  Call call;
  bool has_own_key;
  bool retry_in_backoff = false;
  std::vector<Attempt> attempts = {};

  bool began() const { return call.raw().attempts_begun > 0; }
};

struct Sums {
  uint64_t calls_begun = 0;  // with at least one attempt
  uint64_t succeeded = 0;    // and earned

  void Add(const Sums &other) {
    calls_begun += other.calls_begun;
    succeeded += other.succeeded;
  }
};

// Mostly one that is worth a retry.
rg_outcome RandomOutcome(Random *random) {
  rg_outcome outcome = Outcome(kUnavailable);
  outcome.pushback.delay_ms = random->Bits();
  outcome.committed = random->OneIn(20);
  outcome.local = random->OneIn(20);
  if (random->OneIn(3))
    outcome.status = static_cast<uint32_t>(random->Below(kStatusMax + 1));
  if (random->OneIn(3))
    outcome.network = static_cast<rg_network>(random->Below(3));
  if (random->OneIn(4))
    outcome.pushback.kind = static_cast<rg_pushback_kind>(random->Below(3));
  return outcome;
}

void BeginAttempt(Walker *walker, Random *random) {
  // The first one is not after a failed pick.
  const uint32_t previous =
      walker->began() ? static_cast<uint32_t>(random->Below(5)) : 0;
  rg_attempt_facts facts = Facts(previous, 1 + random->Below(100));
  facts.has_own_key = walker->has_own_key;
  walker->attempts.emplace_back();
  const rg_refusal refusal =
      walker->call.Begin(&walker->attempts.back(), facts, random->Bits())
          .refusal;
  EXPECT_TRUE(refusal != RG_REFUSED_RETRY || !walker->retry_in_backoff);
  walker->retry_in_backoff = false;
}

// Any of them, also one that ended or was refused.
Attempt *AnyAttempt(Walker *walker, Random *random) {
  return &walker->attempts[random->Below(walker->attempts.size())];
}

// One that went well ends the call.
void EndAttempt(Walker *walker, Random *random, Sums *sums) {
  if (walker->attempts.empty()) return;
  Attempt *attempt =
      random->OneIn(4) ? AnyAttempt(walker, random) : &walker->attempts.back();
  if (random->OneIn(10)) {
    walker->call.Drop(attempt);
    return;
  }
  const rg_verdict verdict =
      walker->call.End(attempt, RandomOutcome(random), random->Bits());
  if (verdict.action == RG_ACTION_RETRY) walker->retry_in_backoff = true;
  if (walker->call.raw().ended) sums->succeeded++;
}

// Ends the call, perhaps more than once, and lets its attempts report late.
void End(Walker *walker, Random *random, Sums *sums) {
  const uint32_t status = random->OneIn(2) ? RG_STATUS_OK : kUnavailable;
  if (walker->began()) sums->calls_begun++;
  const rg_call &raw = walker->call.raw();
  if (status == RG_STATUS_OK && !raw.stopped && !raw.ended) sums->succeeded++;
  walker->call.End(status);
  while (random->OneIn(3)) walker->call.End(RG_STATUS_OK);
  for (Attempt &attempt : walker->attempts) {
    if (random->OneIn(3)) {
      EXPECT_EQ(walker->call.End(&attempt, RandomOutcome(random)).action,
                RG_ACTION_LEAVE);
    } else {
      walker->call.Drop(&attempt);
    }
  }
}

// One random verb; false when it was the last.
bool Step(Walker *walker, Random *random, Sums *sums) {
  switch (random->Below(8)) {
    case 0:
      if (random->OneIn(4)) walker->call.Commit();
      if (random->OneIn(16)) walker->call.Compress();
      return true;
    case 1:
      if (random->OneIn(8)) walker->call.Set(kMarked);
      return true;
    case 2:
      if (!random->OneIn(2)) return true;
      End(walker, random, sums);
      return false;
    case 3:
    case 4:
      BeginAttempt(walker, random);
      return true;
    default:
      EndAttempt(walker, random, sums);
      if (!walker->call.raw().ended) return true;
      End(walker, random, sums);
      return false;
  }
}

// With everything that may come between a call and its retry. A probe that got
// lost would keep the breaker half-open for an hour.
rg_method_policy WalkMethod(const rg_budget_policy &budget) {
  rg_method_policy method = Method(budget);
  method.policy.breaker = BreakerAfter(12);
  method.policy.breaker.cooldown_ns = kMs;
  method.policy.breaker.probes = 2;
  method.policy.breaker.probe_timeout_ns = 3600 * kSecond;
  method.policy.deadline.min_remaining_ns = 10 * kMs;
  method.policy.deadline.attempt_timeout_ns = 100 * kMs;
  method.policy.deadline.adaptive = true;
  method.policy.idempotency.mode = RG_IDEMPOTENCY_KEY;
  return method;
}

class CallWalk : public CallTest {
 protected:
  // With another policy from time to time.
  Walker NewWalker(int number, Random *random, uint64_t *now) {
    Walker walker = {Call(target_, nullptr, !random->OneIn(8), now),
                     !random->OneIn(8)};
    if (random->OneIn(8)) walker.call.Set(kMarked);
    walker.call.Name("/shop.Ledger/" + std::to_string(random->Below(100)));
    if (random->OneIn(2)) walker.call.Admit();
    walker.call.Bind(
        &methods_[static_cast<size_t>(number / 200) % methods_.size()],
        *now + random->Below(2 * kSecond));
    return walker;
  }

  // Makes `calls` calls, kAtATime of them at a time.
  Sums Walk(int calls, uint64_t seed) {
    Random random(seed);
    Sums sums;
    uint64_t now = now_;
    std::vector<Walker> walkers;
    for (int made = 0; made < calls || !walkers.empty();) {
      now += random.Below(kMs);
      if (made < calls && walkers.size() < kAtATime)
        walkers.push_back(NewWalker(made++, &random, &now));
      const size_t i = random.Below(walkers.size());
      if (Step(&walkers[i], &random, &sums)) continue;
      walkers[i] = walkers.back();
      walkers.pop_back();
    }
    end_ = std::max(end_.load(), now);
    return sums;
  }

  // A walk of any length leaves nothing behind.
  void ExpectSettled(const Sums &walked) {
    const rg_target_counters &c = counters();
    const rg_attempt_sums a = sums();
    EXPECT_EQ(c.tokens_outstanding, 0u);
    EXPECT_EQ(a.calls, walked.calls_begun);
    EXPECT_EQ(a.attempts, a.calls + a.retries);
    EXPECT_GT(a.marks_made + a.marks_forwarded, 0u);
    EXPECT_EQ(c.fail_open, 0u);
    // Each kind of thing has happened.
    EXPECT_GT(a.retries, 0u);
    EXPECT_GT(a.transparent_retries, 0u);
    EXPECT_GT(c.undecided_retries, 0u);
    EXPECT_GT(c.rejected_retries, 0u);
    for (const auto &stop : c.stops) EXPECT_GT(stop, 0u);
    EXPECT_GT(c.refused_remaining, 0u);
    EXPECT_GT(c.breaker_rejections, 0u);
    EXPECT_GT(c.breaker_probes, 0u);
    EXPECT_GT(c.breaker_closed, 0u);
    ExpectNoProbeLost();
  }

  void ExpectNoProbeLost() {
    EXPECT_FALSE(rg_breaker_rejects(&target_->breakers.whole, end_ + kSecond));
  }

  std::vector<rg_method_policy> methods_;
  std::atomic<uint64_t> end_{0};
};

TEST_F(CallWalk, WithABucketEachTokenIsAccountedFor) {
  methods_ = {WalkMethod(Bucket(0))};
  const Sums walked = Walk(kCalls, 1);
  ExpectSettled(walked);
  EXPECT_EQ(sums().retries * 1000 + Level(), walked.succeeded * 100);
}

TEST_F(CallWalk, WithAWindowRetriesAreAShareOfTheCalls) {
  methods_ = {WalkMethod(Window(20, 10000))};
  const Sums walked = Walk(kCalls, 2);
  ExpectSettled(walked);
  EXPECT_EQ(sums().retries * 1000 + Level(), 10000 + walked.calls_begun * 200);
}

TEST_F(CallWalk, WithoutABudgetNothingIsStoppedForIt) {
  methods_ = {WalkMethod(Unlimited())};
  Walk(kCalls / 10, 3);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(sums().attempts, sums().calls + sums().retries);
  EXPECT_EQ(counters().stops[RG_STOP_BUDGET], 0u);
}

TEST_F(CallWalk, InShadowTokensAndPermitsAreSettledToo) {
  methods_ = {WalkMethod(Bucket(0)), WalkMethod(Bucket(0))};
  methods_[0].policy.mode = RG_MODE_SHADOW;
  const Sums walked = Walk(kCalls / 2, 5);
  ExpectSettled(walked);
  EXPECT_EQ(sums().retries * 1000 + Level(), walked.succeeded * 100);
}

// More methods and backends than places.
TEST_F(CallWalk, BreakersOfEveryScopeAreSettled) {
  for (rg_breaker_scope scope : {RG_BREAKER_PER_SERVICE, RG_BREAKER_PER_METHOD,
                                 RG_BREAKER_PER_BACKEND}) {
    Renew(0);
    methods_ = {WalkMethod(Bucket(0))};
    methods_[0].policy.breaker.scope = scope;
    methods_[0].policy.breaker.consecutive_failures = 3;
    const Sums walked = Walk(kCalls / 5, 6);
    EXPECT_EQ(counters().tokens_outstanding, 0u);
    EXPECT_GT(counters().breaker_probes, 0u);
    EXPECT_EQ(sums().retries * 1000 + Level(), walked.succeeded * 100);
    for (int i = 0; i < RG_BREAKERS_MAX; i++)
      EXPECT_FALSE(rg_breaker_rejects(&target_->breakers.scoped[i].breaker,
                                      end_ + kSecond));
  }
}

// A token may be lost with the budget that it came from; none is made.
TEST_F(CallWalk, ABudgetThatChangesMeanwhileIsNotOverdrawn) {
  for (uint32_t i = 0; i < 50; i++) {
    methods_.push_back(WalkMethod(Bucket(0)));
    // Says nothing to a bucket, but makes the budget another one.
    methods_.back().policy.budget.window.percent = i;
  }
  const Sums walked = Walk(kCalls / 10, 4);
  ExpectSettled(walked);
  EXPECT_LE(sums().retries * 1000 + Level(), walked.succeeded * 100);
}

TEST_F(CallWalk, ThreadsTogetherTakeNoMoreThanWasEarned) {
  constexpr int kThreads = 4;
  methods_ = {WalkMethod(Bucket(0))};
  std::vector<Sums> parts(kThreads);
  Race(kThreads, [&](int thread) {
    parts[static_cast<size_t>(thread)] =
        Walk(kCalls / 20, 100 + static_cast<uint64_t>(thread));
  });
  Sums walked;
  for (const Sums &part : parts) walked.Add(part);
  ExpectSettled(walked);
  EXPECT_EQ(sums().retries * 1000 + Level(), walked.succeeded * 100);
}

}  // namespace
