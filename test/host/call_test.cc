// SPDX-License-Identifier: Apache-2.0
#include "host/call.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "host/call_fixture.h"
#include "host/heap_count.h"

namespace {

using namespace rg_test;

using CallToken = CallTest;
using CallEarning = CallTest;
using CallUnbudgeted = CallTest;
using CallVerdict = CallTest;
using CallEnd = CallTest;
using CallCounters = CallTest;

TEST(Call, KeepsWithinItsMemoryBudget) { EXPECT_LE(sizeof(rg_call), 192u); }

TEST_F(CallToken, IsTakenAtTheDecisionAndSpentWhenTheRetryBegins) {
  Renew(2);
  Call call = Begin();
  EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(counters().tokens_outstanding, 1u);
  EXPECT_EQ(sums().retries, 0u);
  EXPECT_EQ(Level(), 1000u);

  EXPECT_TRUE(call.Proceeds());
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(sums().retries, 1u);
  EXPECT_EQ(counters().undecided_retries, 0u);
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallToken, GoesBackWhenTheCallEndsInBackoff) {
  Call call = Begin();
  ASSERT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(Level(), 0u);
  call.End(kCancelled);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(sums().retries, 0u);
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallToken, DoesNotGoBackOnceTheRetryBegan) {
  Call call = Begin();
  ASSERT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  ASSERT_TRUE(call.Proceeds());
  call.End(kCancelled);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(Level(), 0u);
}

// Retries that wait in backoff are counted: a burst of failures gets no more.
TEST_F(CallToken, ThatWaitsInBackoffIsNotThereForOthers) {
  Renew(2);
  Call a = Begin();
  Call b = Begin();
  Call c = Begin();
  EXPECT_EQ(a.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(b.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(counters().tokens_outstanding, 2u);
  EXPECT_EQ(c.Try(kUnavailable).action, RG_ACTION_STOP);
  a.End(kCancelled);
  EXPECT_EQ(Begin().Try(kUnavailable).action, RG_ACTION_RETRY);
}

TEST_F(CallToken, IsOneForEachRetry) {
  Renew(9);
  Call call = Begin();
  for (int retry = 1; retry <= 4; retry++) {
    EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
    EXPECT_EQ(Level(), 9000u - 1000u * static_cast<uint32_t>(retry));
    EXPECT_EQ(counters().tokens_outstanding, 1u);
  }
  EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_LEAVE);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(Level(), 5000u);
}

TEST_F(CallToken, OfAWindowGoesBackToo) {
  method_.policy.budget = Window(0, 1000);
  Call call = Begin();
  ASSERT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(Level(), 0u);
  now_ += 60 * kSecond;
  call.End(kCancelled);
  EXPECT_EQ(Level(), 1000u);
}

// It was taken from a budget that is no more.
TEST_F(CallToken, IsLostWhenTheBudgetChangedMeanwhile) {
  Call call = Begin();
  ASSERT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  const rg_method_policy other = Method(Bucket(5000));
  Unbound().Bind(&other);
  call.End(kCancelled);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(Level(), 0u);
}

TEST_F(CallEarning, ASuccessEarnsOnceHoweverManyAttemptsItTook) {
  Renew(20);
  for (uint32_t failures : {4u, 3u, 2u, 1u, 0u}) {
    Call call = Begin();
    const uint64_t before = Level();
    for (uint32_t i = 0; i < failures; i++) call.Try(kUnavailable);
    call.Try(RG_STATUS_OK);
    call.End(RG_STATUS_OK);
    EXPECT_EQ(Level(), before - failures * 1000 + 100) << failures;
  }
}

TEST_F(CallEarning, OnlyOkEarns) {
  for (uint32_t status = 1; status <= kStatusMax; status++) {
    Call call = Begin();
    ASSERT_TRUE(call.Proceeds());
    call.End(status);
    EXPECT_EQ(Level(), 1000u) << status;
  }
}

TEST_F(CallEarning, AWindowGrowsWithTheCallsThatBeginHoweverTheyEnd) {
  method_.policy.budget = Window(20, 0);
  for (int i = 0; i < 5; i++) {
    Call call = Begin();
    EXPECT_EQ(Level(), 200u * static_cast<uint32_t>(i));
    call.Try(kNotFound);
    call.End(kNotFound);
  }
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallUnbudgeted, RetriesTakeNothingFromTheTargetsBudget) {
  method_.policy.budgeted = false;
  Call call = Begin();
  for (int i = 0; i < 4; i++)
    EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(Level(), 1000u);
  EXPECT_EQ(sums().retries, 3u);
}

TEST_F(CallUnbudgeted, AnUndecidedRetryProceedsWithoutAToken) {
  Renew(0);
  method_.policy.budgeted = false;
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  EXPECT_TRUE(call.Proceeds(1));
  EXPECT_EQ(counters().undecided_retries, 1u);
}

TEST_F(CallUnbudgeted, ARetryThatNeverBeganGivesNothingBack) {
  Renew(9);
  Call budgeted = Begin();
  ASSERT_EQ(budgeted.Try(kUnavailable).action, RG_ACTION_RETRY);
  rg_method_policy unbudgeted = method_;
  unbudgeted.policy.budgeted = false;
  Call call = Unbound();
  call.Bind(&unbudgeted);
  ASSERT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(counters().tokens_outstanding, 2u);
  call.End(kCancelled);
  EXPECT_EQ(counters().tokens_outstanding, 1u);
  EXPECT_EQ(Level(), 8000u);
}

TEST_F(CallUnbudgeted, ASuccessEarnsForTheOthers) {
  Renew(0);
  method_.policy.budgeted = false;
  Call call = Begin();
  call.Try(RG_STATUS_OK);
  call.End(RG_STATUS_OK);
  EXPECT_EQ(Level(), 100u);
}

TEST_F(CallUnbudgeted, TheOtherReasonsToStopStay) {
  method_.policy.budgeted = false;
  EXPECT_EQ(Begin(&kMarked).Try(kUnavailable).reason, RG_STOP_LAYER);
  const rg_verdict verdict = Begin().Try(WithPushback(RG_PUSHBACK_STOP));
  EXPECT_EQ(verdict.action, RG_ACTION_STOP);
  EXPECT_EQ(verdict.reason, RG_STOP_PUSHBACK);
}

TEST_F(CallVerdict, LeavesAloneWhatGrpcWouldNotRetry) {
  Call ok = Begin();
  EXPECT_EQ(ok.Try(RG_STATUS_OK).action, RG_ACTION_LEAVE);

  Call not_retryable = Begin();
  EXPECT_EQ(not_retryable.Try(kNotFound).action, RG_ACTION_LEAVE);

  Call committed = Begin();
  ASSERT_TRUE(committed.Proceeds());
  committed.Commit();
  EXPECT_EQ(committed.Ends(kUnavailable).action, RG_ACTION_LEAVE);

  Call committed_at_the_end = Begin();
  rg_outcome outcome = Outcome(kUnavailable);
  outcome.committed = true;
  EXPECT_EQ(committed_at_the_end.Try(outcome).action, RG_ACTION_LEAVE);

  retries_enabled_ = false;
  Call disabled = Begin();
  EXPECT_EQ(disabled.Try(kUnavailable).action, RG_ACTION_LEAVE);
  retries_enabled_ = true;

  method_.has_retry = false;
  Call without_policy = Begin();
  EXPECT_EQ(without_policy.Try(kUnavailable).action, RG_ACTION_LEAVE);

  EXPECT_EQ(Level(), 1000u);
  EXPECT_EQ(Stops(), 0u);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
}

TEST_F(CallVerdict, LeavesTheLastAttemptAlone) {
  Renew(20);
  for (uint32_t max_attempts : {2u, 3u, 5u, 6u, UINT32_MAX}) {
    method_.retry.max_attempts = max_attempts;
    Call call = Begin();
    uint32_t attempts = 1;
    while (call.Try(kUnavailable).action == RG_ACTION_RETRY) attempts++;
    EXPECT_EQ(attempts, max_attempts < 5 ? max_attempts : 5u);
  }
  EXPECT_EQ(Stops(), 0u);
}

// Another layer, then the server, then the budget, which so costs nothing.
TEST_F(CallVerdict, TheFirstReasonThatHoldsStopsTheCall) {
  for (int reasons = 1; reasons < 8; reasons++) {
    const bool marked = reasons & 1;
    const bool server_says_stop = reasons & 2;
    const bool no_budget = reasons & 4;
    const rg_stop first = marked             ? RG_STOP_LAYER
                          : server_says_stop ? RG_STOP_PUSHBACK
                                             : RG_STOP_BUDGET;
    Renew(no_budget ? 0 : 1);
    Call call = Begin(marked ? &kMarked : nullptr);
    const rg_verdict verdict = call.Try(
        WithPushback(server_says_stop ? RG_PUSHBACK_STOP : RG_PUSHBACK_ABSENT));
    EXPECT_EQ(verdict.action, RG_ACTION_STOP) << reasons;
    EXPECT_EQ(verdict.reason, first) << reasons;
    EXPECT_EQ(counters().stops[first], 1u) << reasons;
    EXPECT_EQ(Stops(), 1u) << reasons;
    EXPECT_EQ(Level(), no_budget ? 0u : 1000u) << reasons;
  }
}

TEST_F(CallVerdict, TheDelayGrowsWithEachRetry) {
  Renew(9);
  Call call = Begin();
  for (uint64_t cap : {100u, 200u, 400u, 800u}) {
    ASSERT_TRUE(call.Proceeds());
    const rg_verdict verdict = call.Ends(kUnavailable, UINT64_MAX);
    EXPECT_EQ(verdict.action, RG_ACTION_RETRY);
    EXPECT_FALSE(verdict.delay.native);
    EXPECT_EQ(verdict.delay.ms, cap);
  }
}

TEST_F(CallVerdict, AServerThatSaysWhenIsObeyedAndTheFleetSpread) {
  Renew(2);
  for (const auto &[random, ms] :
       {std::pair<uint64_t, uint64_t>{0, 5000}, {UINT64_MAX, 5100}}) {
    Call call = Begin();
    ASSERT_TRUE(call.Proceeds());
    const rg_verdict verdict =
        call.Ends(WithPushback(RG_PUSHBACK_DELAY, 5000), random);
    EXPECT_EQ(verdict.action, RG_ACTION_RETRY);
    EXPECT_EQ(verdict.delay.ms, ms);
  }
}

TEST_F(CallEnd, TwiceEarnsOnce) {
  Renew(0);
  Call call = Begin();
  call.Try(RG_STATUS_OK);
  for (int i = 0; i < 3; i++) call.End(RG_STATUS_OK);
  EXPECT_EQ(Level(), 100u);
}

TEST_F(CallEnd, TwiceGivesATokenBackOnce) {
  Renew(2);
  Call call = Begin();
  ASSERT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  ASSERT_TRUE(call.Proceeds());
  ASSERT_EQ(call.Ends(kUnavailable).action, RG_ACTION_RETRY);
  for (int i = 0; i < 3; i++) call.End(kUnavailable);
  call.End(RG_STATUS_OK);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(Level(), 1000u);
}

// The channel may have had a new service config since the last attempt.
TEST_F(CallEnd, MayComeWhenThePolicyIsGone) {
  auto gone = std::make_unique<rg_method_policy>(method_);
  Call call = Unbound();
  call.Bind(gone.get());
  ASSERT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  gone.reset();
  call.End(kUnavailable);
  EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_LEAVE);
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallEnd, EarnsNothingForACallThatIsNotGuarded) {
  Renew(0);
  Begin().End(kUnavailable);  // puts the policy in force
  Unbound().End(RG_STATUS_OK);
  EXPECT_EQ(Level(), 0u);
}

TEST_F(CallEnd, MayComeBeforeThePolicyIsKnown) {
  Call call = Unbound();
  call.End(RG_STATUS_OK);
  call.End(kUnavailable);
  EXPECT_EQ(target_->policy_number, 0u);
  EXPECT_EQ(sums().calls, 0u);
}

TEST_F(CallEnd, MayComeBeforeTheFirstAttempt) {
  Call call = Begin();
  call.End(kUnavailable);
  EXPECT_EQ(sums().calls, 0u);
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallEnd, MayComeWhileAnAttemptRuns) {
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  call.End(kCancelled);
  EXPECT_EQ(sums().calls, 1u);
  EXPECT_EQ(sums().attempts, 1u);
  EXPECT_EQ(Level(), 1000u);
}

// An attempt that gRPC gave up may report after the call that it was made for.
TEST_F(CallEnd, AnAttemptThatEndsAfterwardsTakesNothing) {
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  call.End(kUnavailable);
  EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_LEAVE);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallEnd, AnAttemptThatEndsTwiceTakesOneToken) {
  Renew(2);
  Call call = Begin();
  EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_LEAVE);
  EXPECT_EQ(counters().tokens_outstanding, 1u);
  EXPECT_EQ(Level(), 1000u);
  call.End(kUnavailable);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(Level(), 2000u);
}

TEST_F(CallCounters, TellCallsFromAttemptsFromRetries) {
  Renew(2);
  for (uint32_t failures : {0u, 1u, 3u, 0u}) {
    Call call = Begin();
    for (uint32_t i = 0; i < failures; i++)
      if (call.Try(kUnavailable).action != RG_ACTION_RETRY) break;
    if (failures < 3) call.Try(RG_STATUS_OK);
    call.End(failures < 3 ? RG_STATUS_OK : kUnavailable);
  }
  // Two tokens: one retry of the second call, one of the third.
  EXPECT_EQ(sums().calls, 4u);
  EXPECT_EQ(sums().attempts, 6u);
  EXPECT_EQ(sums().retries, 2u);
  EXPECT_EQ(counters().stops[RG_STOP_BUDGET], 1u);
  EXPECT_EQ(Stops(), 1u);
  EXPECT_EQ(counters().fail_open, 0u);
}

TEST_F(CallCounters, ACallWithoutAnAttemptIsNotCounted) {
  Begin();
  Unbound().End(kUnavailable);
  EXPECT_EQ(sums().calls, 0u);
  EXPECT_EQ(sums().attempts, 0u);
}

TEST_F(CallCounters, CallsWithoutARetryPolicyAreCountedToo) {
  Renew(0);
  method_.has_retry = false;
  Call call = Begin();
  call.Try(RG_STATUS_OK);
  call.End(RG_STATUS_OK);
  EXPECT_EQ(sums().calls, 1u);
  EXPECT_EQ(sums().attempts, 1u);
  EXPECT_EQ(Level(), 100u);
}

TEST_F(CallCounters, ACallNeedsNoHeap) {
  Renew(9);
  const uint64_t before = HeapAllocations();
  Call call = Begin(&kMarkedToTheEnd);
  call.Set(kMarked);
  call.Begins();
  call.Ends(kUnavailable);
  call.End(kUnavailable);
  Call other = Begin();
  other.Begins();
  other.Ends(kUnavailable);
  other.Begins(1);
  other.Ends(RG_STATUS_OK);
  other.End(RG_STATUS_OK);
  EXPECT_EQ(HeapAllocations(), before);
}

}  // namespace
