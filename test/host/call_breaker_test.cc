// SPDX-License-Identifier: Apache-2.0

// What the call object does with the circuit breaker: a permit for each
// attempt, settled exactly once whatever happens.
#include <gtest/gtest.h>

#include "host/call.h"
#include "host/call_fixture.h"

namespace {

using namespace rg_test;

rg_outcome Local(uint32_t status) {
  rg_outcome outcome = Outcome(status);
  outcome.local = true;
  return outcome;
}

class BreakerTest : public CallTest {
 protected:
  BreakerTest() { Use(BreakerAfter(3)); }

  void Use(const rg_breaker_policy &breaker) {
    method_.policy.breaker = breaker;
    Adopt();
  }

  // One for each, which one failure opens; calls are not retried.
  void UseForEach(rg_breaker_scope scope) {
    rg_breaker_policy policy = BreakerAfter(1);
    policy.scope = scope;
    Use(policy);
    method_.has_retry = false;
  }

  rg_breaker *breaker() { return &target_->breakers.whole; }
  // Results that count, so far.
  uint64_t Results() { return rg_window_read(&breaker()->total, now_).recent; }
  uint64_t Failures() {
    return rg_window_read(&breaker()->failures, now_).recent;
  }

  void Open() {
    method_.has_retry = false;
    while (State() == RG_BREAKER_CLOSED) {
      Call call = Begin();
      call.Try(kUnavailable);
      call.End(kUnavailable);
    }
    method_.has_retry = true;
  }
  void OpenAndCoolDown() {
    Open();
    now_ += 5 * kSecond;
  }
  // Whether a probe could begin now.
  bool HasRoomForAProbe() { return !rg_breaker_rejects(breaker(), now_); }
};

using CallPermit = BreakerTest;
using CallRejected = BreakerTest;
using CallProbe = BreakerTest;
using CallWithoutAttempt = BreakerTest;
using CallScope = BreakerTest;
using CallAdmitClosed = BreakerTest;

TEST_F(CallPermit, EachAttemptCountsOnce) {
  Renew(9);
  Use(BreakerAfter(100));
  Call call = Begin();
  for (uint64_t i = 1; i <= 5; i++) {
    call.Try(kUnavailable);
    EXPECT_EQ(Results(), i);
    EXPECT_EQ(Failures(), i);
  }
  call.End(kUnavailable);
  EXPECT_EQ(Results(), 5u);
}

TEST_F(CallPermit, AnyOtherStatusOfTheServersIsASuccess) {
  for (uint32_t status = 0; status <= kStatusMax; status++) {
    const uint64_t before = Failures();
    Call call = Begin();
    call.Try(status);
    const bool fails = (RG_DEFAULT_FAILURE_CODES >> status & 1) != 0;
    EXPECT_EQ(Failures() - before, fails ? 1u : 0u) << status;
    EXPECT_EQ(Results(), status + 1);
    call.End(status);
  }
}

TEST_F(CallPermit, WhatSaysNothingOfTheServerIsNeutral) {
  for (const rg_outcome &outcome :
       {kNotSent, kNotSeen, Local(kUnavailable), Local(kCancelled)}) {
    Call call = Begin();
    call.Try(outcome);
    call.End(kCancelled);
  }
  EXPECT_EQ(Results(), 0u);
}

TEST_F(CallPermit, AnAttemptThatIsDroppedIsNeutral) {
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  call.Drop();
  call.Drop();
  EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_LEAVE);
  call.End(kUnavailable);
  EXPECT_EQ(Results(), 0u);
}

TEST_F(CallPermit, AnAttemptThatEndedIsNotDropped) {
  Call call = Begin();
  call.Try(RG_STATUS_OK);
  call.Drop();
  call.Ends(kUnavailable);
  EXPECT_EQ(Results(), 1u);
  EXPECT_EQ(Failures(), 0u);
}

TEST_F(CallPermit, AnAttemptThatNeverBeganHasNone) {
  Call call = Begin();
  Attempt attempt;
  EXPECT_EQ(call.End(&attempt, Outcome(kUnavailable)).action, RG_ACTION_LEAVE);
  call.Drop(&attempt);
  EXPECT_FALSE(call.IsCurrent(attempt));
  EXPECT_EQ(Results(), 0u);
}

// perAttemptRecvTimeout: gRPC goes on while the attempt still has no end.
TEST_F(CallPermit, AnAbandonedAttemptSettlesOnce) {
  Renew(9);
  Call call = Begin();
  Attempt abandoned, next;
  call.Begin(&abandoned);
  EXPECT_TRUE(call.IsCurrent(abandoned));
  call.Begin(&next, Facts(1));
  EXPECT_FALSE(call.IsCurrent(abandoned));
  EXPECT_TRUE(call.IsCurrent(next));
  EXPECT_EQ(call.End(&abandoned, Outcome(kDeadlineExceeded)).action,
            RG_ACTION_LEAVE);
  EXPECT_EQ(Failures(), 1u);
  EXPECT_EQ(call.End(&abandoned, Outcome(kDeadlineExceeded)).action,
            RG_ACTION_LEAVE);
  call.Drop(&abandoned);
  EXPECT_EQ(Results(), 1u);
  EXPECT_EQ(counters().tokens_outstanding, 0u) << "its report takes no token";
  EXPECT_EQ(call.End(&next, Outcome(kUnavailable)).action, RG_ACTION_RETRY);
  EXPECT_EQ(Results(), 2u);
  call.End(kUnavailable);
}

TEST_F(CallPermit, AnAttemptThatEndsAfterItsCallCountsToo) {
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  call.End(kCancelled);
  EXPECT_EQ(Results(), 0u);
  EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_LEAVE);
  EXPECT_EQ(Failures(), 1u);
}

TEST_F(CallPermit, FromBeforeATransitionIsStale) {
  Call slow = Begin();
  ASSERT_TRUE(slow.Proceeds());
  OpenAndCoolDown();
  slow.Ends(RG_STATUS_OK);
  EXPECT_EQ(counters().breaker_stale, 1u);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(CallPermit, ThePolicysOwnCodesSayWhatAFailureIs) {
  rg_breaker_policy policy = BreakerAfter(3);
  policy.failure_codes = 1u << kNotFound;
  Use(policy);
  Call call = Begin();
  call.Try(kNotFound);
  EXPECT_EQ(Failures(), 1u);
  Begin().Try(kUnavailable);
  EXPECT_EQ(Failures(), 1u);
}

TEST_F(CallRejected, FailsAtOnceAndCostsNothing) {
  Open();
  const uint64_t attempts = sums().attempts;
  const uint64_t calls = sums().calls;
  now_ += kSecond;
  Call call = Begin();
  const rg_admission admission = call.Begins();
  EXPECT_EQ(admission.refusal, RG_REFUSED_BREAKER);
  EXPECT_EQ(admission.left_ns, 4 * kSecond);
  EXPECT_EQ(admission.mark_origin, RG_MARK_NOT_SENT);
  EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_LEAVE);
  call.End(kUnavailable);
  EXPECT_EQ(counters().breaker_rejections, 1u);
  EXPECT_EQ(sums().attempts, attempts);
  EXPECT_EQ(sums().calls, calls);
  EXPECT_EQ(Level(), 1000u);
  EXPECT_EQ(Stops(), 0u);
}

// Refused while another call's probe was in flight, told after it succeeded.
TEST_F(CallRejected, IsNotCountedAsAFailureHoweverLateItEnds) {
  OpenAndCoolDown();
  Call probe = Begin();
  ASSERT_TRUE(probe.Proceeds());
  Call at_attempt = Begin();
  ASSERT_EQ(at_attempt.Begins().refusal, RG_REFUSED_BREAKER);
  Call at_call = Unbound();
  ASSERT_EQ(at_call.Admit().refusal, RG_REFUSED_BREAKER);
  at_call.Bind(&method_);
  probe.Ends(RG_STATUS_OK);
  ASSERT_EQ(State(), RG_BREAKER_CLOSED);
  at_attempt.End(kUnavailable);
  at_call.End(kUnavailable);
  EXPECT_EQ(Results(), 0u);
  EXPECT_EQ(counters().breaker_rejections, 2u);
}

TEST_F(CallRejected, IsForeseenWithoutTakingAPermit) {
  Call call = Unbound();
  EXPECT_FALSE(call.IsBarred());
  Open();
  EXPECT_TRUE(call.IsBarred());
  EXPECT_EQ(counters().breaker_rejections, 0u);
  now_ += 5 * kSecond;
  EXPECT_FALSE(call.IsBarred());
  EXPECT_TRUE(HasRoomForAProbe());
  EXPECT_EQ(counters().breaker_probes, 0u);
}

// Told when the cooldown is over: it is no probe.
TEST_F(CallRejected, DoesNotReopenTheBreaker) {
  Open();
  Call call = Begin();
  ASSERT_EQ(call.Begins().refusal, RG_REFUSED_BREAKER);
  now_ += 5 * kSecond;
  call.End(kUnavailable);
  EXPECT_EQ(counters().breaker_half_opened, 0u);
  EXPECT_TRUE(HasRoomForAProbe());
}

TEST_F(CallRejected, GivesAHeldTokenBack) {
  Call call = Begin();
  ASSERT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  ASSERT_EQ(counters().tokens_outstanding, 1u);
  Open();
  EXPECT_EQ(call.Begins().refusal, RG_REFUSED_BREAKER);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(Level(), 1000u);
  EXPECT_EQ(sums().retries, 0u);
  call.End(kUnavailable);
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallRejected, AnUndecidedRetryCostsNoTokenAndDoesNotCount) {
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  Open();
  EXPECT_EQ(call.Begins(1).refusal, RG_REFUSED_BREAKER);
  EXPECT_EQ(counters().undecided_retries, 0u);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallRejected, ATransparentRepeatToo) {
  Call call = Begin();
  call.Try(kNotSent);
  Open();
  EXPECT_EQ(call.Begins().refusal, RG_REFUSED_BREAKER);
  EXPECT_EQ(sums().transparent_retries, 0u);
}

TEST_F(CallRejected, ARetryIsStoppedBeforeItsBackoff) {
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  Open();
  const rg_verdict verdict = call.Ends(kUnavailable);
  EXPECT_EQ(verdict.action, RG_ACTION_STOP);
  EXPECT_EQ(verdict.reason, RG_STOP_BREAKER);
  EXPECT_EQ(counters().stops[RG_STOP_BREAKER], 1u);
  EXPECT_EQ(Level(), 1000u);
}

// The failure that opens the breaker is the first that is not retried.
TEST_F(CallRejected, TheFailureThatOpensItStopsItsOwnRetry) {
  Renew(9);
  Use(BreakerAfter(3));
  Call call = Begin();
  EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(call.Try(kUnavailable).reason, RG_STOP_BREAKER);
  EXPECT_EQ(counters().breaker_opened, 1u);
}

TEST_F(CallRejected, NothingWhenTheBreakerIsDisabled) {
  rg_breaker_policy policy = BreakerAfter(1);
  policy.disabled = true;
  Use(policy);
  Renew(9);
  for (int i = 0; i < 100; i++) {
    Call call = Begin();
    call.Try(kUnavailable);
    call.End(kUnavailable);
  }
  EXPECT_EQ(counters().breaker_rejections, 0u);
  EXPECT_EQ(counters().breaker_opened, 0u);
}

TEST_F(CallProbe, ClosesTheBreakerOrOpensItAgain) {
  OpenAndCoolDown();
  Call failing = Begin();
  failing.Try(kUnavailable);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
  EXPECT_EQ(counters().breaker_opened, 2u);
  now_ += 5 * kSecond;
  Call fine = Begin();
  fine.Try(RG_STATUS_OK);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  EXPECT_EQ(counters().breaker_half_opened, 2u);
  EXPECT_EQ(counters().breaker_probes, 2u);
  EXPECT_EQ(counters().breaker_closed, 1u);
}

TEST_F(CallProbe, OthersAreRejectedMeanwhile) {
  OpenAndCoolDown();
  Call probe = Begin();
  ASSERT_TRUE(probe.Proceeds());
  Call other = Begin();
  EXPECT_EQ(other.Begins().refusal, RG_REFUSED_BREAKER);
  EXPECT_EQ(counters().breaker_probes, 1u);
}

TEST_F(CallProbe, OfTheCallPassesToItsFirstAttempt) {
  OpenAndCoolDown();
  Call call = Unbound();
  ASSERT_EQ(call.Admit().refusal, RG_REFUSED_NOT);
  EXPECT_EQ(counters().breaker_probes, 1u);
  EXPECT_FALSE(HasRoomForAProbe());
  call.Bind(&method_);
  ASSERT_TRUE(call.Proceeds());
  EXPECT_EQ(counters().breaker_probes, 1u) << "not a second one";
  call.Ends(RG_STATUS_OK);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  call.End(RG_STATUS_OK);
  EXPECT_EQ(counters().breaker_stale, 0u);
}

// It may have been closed when the call began.
TEST_F(CallProbe, OtherPermitsOfTheCallAreAskedForAnew) {
  Call call = Unbound();
  ASSERT_EQ(call.Admit().refusal, RG_REFUSED_NOT);
  call.Bind(&method_);
  Open();
  EXPECT_EQ(call.Begins().refusal, RG_REFUSED_BREAKER);
}

TEST_F(CallProbe, FreesItsPlaceWhenItEndsNeutral) {
  for (int way = 0; way < 5; way++) {
    OpenAndCoolDown();
    Call call = Unbound();
    ASSERT_EQ(call.Admit().refusal, RG_REFUSED_NOT);
    if (way > 0) call.Bind(&method_);
    if (way > 1) {
      ASSERT_TRUE(call.Proceeds());
    }
    ASSERT_FALSE(HasRoomForAProbe());
    if (way == 2) call.Ends(kNotSent);
    if (way == 3) call.Ends(Local(kUnavailable));
    if (way == 4) call.Drop();
    call.End(kCancelled);
    EXPECT_TRUE(HasRoomForAProbe()) << way;
    Call next = Begin();
    next.Try(RG_STATUS_OK);
    ASSERT_EQ(State(), RG_BREAKER_CLOSED);
  }
}

TEST_F(CallProbe, FreesItsPlaceWhenTheCallIsRefusedForAnotherReason) {
  method_.policy.deadline.min_remaining_ns = kSecond;
  OpenAndCoolDown();
  Call call = Unbound();
  ASSERT_EQ(call.Admit().refusal, RG_REFUSED_NOT);
  call.Bind(&method_, now_ + 1);
  EXPECT_EQ(call.Begins().refusal, RG_REFUSED_REMAINING);
  call.End(kDeadlineExceeded);
  EXPECT_TRUE(HasRoomForAProbe());
}

TEST_F(CallProbe, ThatDoesNotComeBackMakesRoomInTime) {
  OpenAndCoolDown();
  Call lost = Begin();
  ASSERT_TRUE(lost.Proceeds());
  now_ += 6 * kSecond;
  Call next = Begin();
  EXPECT_TRUE(next.Proceeds());
  lost.Ends(RG_STATUS_OK);
  EXPECT_EQ(counters().breaker_stale, 1u);
  EXPECT_EQ(State(), RG_BREAKER_HALF_OPEN);
  next.Ends(RG_STATUS_OK);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

TEST_F(CallWithoutAttempt, ThatIsRefusedAConnectionIsOneFailure) {
  for (uint64_t i = 1; i <= 3; i++) {
    Call call = Unbound();
    if (i == 2) {
      ASSERT_EQ(call.Admit().refusal, RG_REFUSED_NOT);
    }
    call.Bind(&method_);
    call.End(kUnavailable);
    call.End(kUnavailable);
    EXPECT_EQ(Failures(), i);
  }
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
  EXPECT_EQ(counters().breaker_opened, 1u);
}

TEST_F(CallWithoutAttempt, ThatWaitedUntilItsDeadlineIsNeutral) {
  for (uint32_t status :
       {kDeadlineExceeded, kCancelled, RG_STATUS_OK + 0u, kNotFound}) {
    Call call = Begin();
    call.End(status);
  }
  EXPECT_EQ(Results(), 0u);
}

TEST_F(CallWithoutAttempt, WhosePolicyIsNotKnownIsNeutral) {
  Unbound().End(kUnavailable);
  EXPECT_EQ(Results(), 0u);
}

TEST_F(CallWithoutAttempt, AProbeThatIsRefusedAConnectionOpensItAgain) {
  OpenAndCoolDown();
  Call call = Unbound();
  ASSERT_EQ(call.Admit().refusal, RG_REFUSED_NOT);
  call.Bind(&method_);
  call.End(kUnavailable);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
  EXPECT_EQ(counters().breaker_opened, 2u);
}

TEST_F(CallWithoutAttempt, OneWithAnAttemptIsNotCountedAgain) {
  Call call = Begin();
  call.Try(kUnavailable);
  call.End(kUnavailable);
  EXPECT_EQ(Failures(), 1u);
}

TEST_F(CallScope, OfAMethodNeedsItsNameAtTheBeginning) {
  UseForEach(RG_BREAKER_PER_METHOD);
  Call call = Unbound();
  call.Name("/shop.Ledger/Add");
  ASSERT_EQ(call.Admit().refusal, RG_REFUSED_NOT);
  call.Bind(&method_);
  call.Try(kUnavailable);
  Call same = Unbound();
  same.Name("/shop.Ledger/Add");
  EXPECT_EQ(same.Admit().refusal, RG_REFUSED_BREAKER);
  Call other = Unbound();
  other.Name("/shop.Ledger/Remove");
  EXPECT_EQ(other.Admit().refusal, RG_REFUSED_NOT);
  Call nameless = Unbound();
  EXPECT_EQ(nameless.Admit().refusal, RG_REFUSED_NOT);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED) << "the target's own";
}

TEST_F(CallAdmitClosed, NeedsOneBreakerForTheTargetThatIsClosed) {
  EXPECT_TRUE(Unbound().AdmitClosed());
  Open();
  Call call = Unbound();
  EXPECT_FALSE(call.AdmitClosed());
  EXPECT_FALSE(call.raw().permit.held);
  EXPECT_EQ(counters().breaker_rejections, 0u);
}

TEST_F(CallAdmitClosed, DoesNotKnowBreakersOfAScope) {
  UseForEach(RG_BREAKER_PER_METHOD);
  Call call = Unbound();
  call.Name("/shop.Ledger/Add");
  EXPECT_FALSE(call.AdmitClosed());
}

TEST_F(CallAdmitClosed, InScopeAsksTheBreakerOfTheMethod) {
  UseForEach(RG_BREAKER_PER_METHOD);
  Call call = Unbound();
  call.Name("/shop.Ledger/Add");
  EXPECT_TRUE(call.AdmitClosedInScope());
  EXPECT_TRUE(call.raw().permit.held);
  call.Bind(&method_);
  call.Try(kUnavailable);
  Call same = Unbound();
  same.Name("/shop.Ledger/Add");
  EXPECT_FALSE(same.AdmitClosedInScope());
  EXPECT_FALSE(same.raw().permit.held);
  Call other = Unbound();
  other.Name("/shop.Ledger/Remove");
  EXPECT_TRUE(other.AdmitClosedInScope());
  EXPECT_EQ(counters().breaker_rejections, 0u);
}

TEST_F(CallAdmitClosed, InScopeLetsThroughWhomNoBreakerIsFor) {
  UseForEach(RG_BREAKER_PER_METHOD);
  Call nameless = Unbound();
  EXPECT_TRUE(nameless.AdmitClosedInScope());
  EXPECT_FALSE(nameless.raw().permit.held);
}

TEST_F(CallScope, OfABackendIsKnownWithTheAttempt) {
  UseForEach(RG_BREAKER_PER_BACKEND);
  Call call = Begin();
  ASSERT_EQ(call.Begins(Facts(0, 7)).refusal, RG_REFUSED_NOT);
  call.Ends(kUnavailable);
  Call again = Unbound();
  EXPECT_EQ(again.Admit().refusal, RG_REFUSED_NOT);
  again.Bind(&method_);
  EXPECT_EQ(again.Begins(Facts(0, 7)).refusal, RG_REFUSED_BREAKER);
  Call elsewhere = Begin();
  EXPECT_EQ(elsewhere.Begins(Facts(0, 8)).refusal, RG_REFUSED_NOT);
  Call refused = Begin();
  refused.End(kUnavailable);  // which backend is not known
  EXPECT_EQ(counters().breaker_opened, 1u);
}

}  // namespace
