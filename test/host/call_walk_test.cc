// SPDX-License-Identifier: Apache-2.0

// Many calls at a time whose verbs come in any order, held against what must be
// true of all of them together.
#include <gtest/gtest.h>

#include <vector>

#include "host/call.h"
#include "host/call_fixture.h"
#include "support/race.h"
#include "support/random.h"

namespace {

using namespace rg_test;

constexpr int kCalls = 100000;
constexpr uint64_t kAtATime = 50;

// A call of the walk. Its attempts end only after one began; nothing else is
// kept in order.
struct Walker {
  Call call;
  bool began = false;
  bool retry_in_backoff = false;
};

struct Sums {
  uint64_t calls_begun = 0;  // with at least one attempt
  uint64_t succeeded = 0;
};

// Mostly one that is worth a retry.
rg_outcome RandomOutcome(Random *random) {
  rg_outcome outcome = Outcome(kUnavailable);
  outcome.pushback.delay_ms = random->Bits();
  outcome.committed = random->OneIn(20);
  if (random->OneIn(3))
    outcome.status = static_cast<uint32_t>(random->Below(kStatusMax + 1));
  if (random->OneIn(3))
    outcome.network = static_cast<rg_network>(random->Below(3));
  if (random->OneIn(4))
    outcome.pushback.kind = static_cast<rg_pushback_kind>(random->Below(3));
  return outcome;
}

void BeginAttempt(Walker *walker, Random *random, Sums *sums) {
  // The first one is not after a failed pick.
  const uint32_t previous =
      walker->began ? static_cast<uint32_t>(random->Below(5)) : 0;
  const bool proceed = walker->call.Attempt(previous).proceed;
  if (!walker->began) {
    ASSERT_TRUE(proceed);
    walker->began = true;
    sums->calls_begun++;
  }
  EXPECT_TRUE(proceed || !walker->retry_in_backoff);
  walker->retry_in_backoff = false;
}

void EndAttempt(Walker *walker, Random *random) {
  const rg_verdict verdict =
      walker->call.Ends(RandomOutcome(random), random->Bits());
  if (verdict.action == RG_ACTION_RETRY) walker->retry_in_backoff = true;
}

// Ends the call, perhaps more than once, and lets its attempts report late.
void End(Walker *walker, Random *random, Sums *sums) {
  const uint32_t status = random->OneIn(2) ? RG_STATUS_OK : kUnavailable;
  if (status == RG_STATUS_OK) sums->succeeded++;
  walker->call.End(status);
  while (random->OneIn(3)) {
    if (random->OneIn(2)) walker->call.End(RG_STATUS_OK);
    if (!walker->began) continue;
    EXPECT_EQ(walker->call.Ends(RandomOutcome(random)).action, RG_ACTION_LEAVE);
  }
}

// One random verb; false when it was the last.
bool Step(Walker *walker, Random *random, Sums *sums) {
  switch (random->Below(8)) {
    case 0:
      if (random->OneIn(4)) walker->call.Commit();
      return true;
    case 1:
      if (random->OneIn(8)) walker->call.Add(kMarked);
      return true;
    case 2:
      if (!random->OneIn(2)) return true;
      End(walker, random, sums);
      return false;
    case 3:
    case 4:
      BeginAttempt(walker, random, sums);
      return true;
    default:
      if (walker->began) EndAttempt(walker, random);
      return true;
  }
}

class CallWalk : public CallTest {
 protected:
  // With another policy from time to time.
  Walker NewWalker(int number, Random *random, uint64_t *now) {
    Walker walker = {Call(target_, random->OneIn(8) ? &kMarked : nullptr,
                          !random->OneIn(8), now)};
    walker.call.Bind(
        &methods_[static_cast<size_t>(number / 200) % methods_.size()]);
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
    return sums;
  }

  // A walk of any length leaves nothing behind.
  void ExpectSettled(const Sums &sums) {
    const rg_target_counters &c = counters();
    EXPECT_EQ(c.tokens_outstanding, 0u);
    EXPECT_EQ(c.calls, sums.calls_begun);
    EXPECT_EQ(c.attempts, c.calls + c.retries);
    EXPECT_EQ(c.marks_made + c.marks_forwarded > 0, true);
    EXPECT_EQ(c.fail_open, 0u);
    // Each kind of thing has happened.
    EXPECT_GT(c.retries, 0u);
    EXPECT_GT(c.transparent_retries, 0u);
    EXPECT_GT(c.undecided_retries, 0u);
    EXPECT_GT(c.rejected_retries, 0u);
    for (const auto &stop : c.stops) EXPECT_GT(stop, 0u);
  }

  std::vector<rg_method_policy> methods_;
};

TEST_F(CallWalk, WithABucketEachTokenIsAccountedFor) {
  methods_ = {Method(Bucket(0))};
  const Sums sums = Walk(kCalls, 1);
  ExpectSettled(sums);
  EXPECT_EQ(counters().retries * 1000 + Level(), sums.succeeded * 100);
}

TEST_F(CallWalk, WithAWindowRetriesAreAShareOfTheCalls) {
  methods_ = {Method(Window(20, 10000))};
  const Sums sums = Walk(kCalls, 2);
  ExpectSettled(sums);
  EXPECT_EQ(counters().retries * 1000 + Level(),
            10000 + sums.calls_begun * 200);
}

TEST_F(CallWalk, WithoutABudgetNothingIsStoppedForIt) {
  methods_ = {Method(Unlimited())};
  Walk(kCalls / 10, 3);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(counters().attempts, counters().calls + counters().retries);
  EXPECT_EQ(counters().stops[RG_STOP_BUDGET], 0u);
}

// A token may be lost with the budget that it came from; none is made.
TEST_F(CallWalk, ABudgetThatChangesMeanwhileIsNotOverdrawn) {
  for (uint32_t i = 0; i < 50; i++) {
    methods_.push_back(Method(Bucket(0)));
    // Says nothing to a bucket, but makes the budget another one.
    methods_.back().policy.budget.window.percent = i;
  }
  const Sums sums = Walk(kCalls / 10, 4);
  ExpectSettled(sums);
  EXPECT_LE(counters().retries * 1000 + Level(), sums.succeeded * 100);
}

TEST_F(CallWalk, ThreadsTogetherTakeNoMoreThanWasEarned) {
  constexpr int kThreads = 4;
  methods_ = {Method(Bucket(0))};
  std::vector<Sums> parts(kThreads);
  Race(kThreads, [&](int thread) {
    parts[static_cast<size_t>(thread)] =
        Walk(kCalls / 20, 100 + static_cast<uint64_t>(thread));
  });
  Sums sums;
  for (const Sums &part : parts) {
    sums.calls_begun += part.calls_begun;
    sums.succeeded += part.succeeded;
  }
  ExpectSettled(sums);
  EXPECT_EQ(counters().retries * 1000 + Level(), sums.succeeded * 100);
}

}  // namespace
