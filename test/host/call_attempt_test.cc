// SPDX-License-Identifier: Apache-2.0

// Attempts that the call object did not decide on: gRPC's transparent repeats,
// and retries that begin by themselves.
#include <gtest/gtest.h>

#include "host/call.h"
#include "host/call_fixture.h"

namespace {

using namespace rg_test;

using CallTransparent = CallTest;
using CallUndecided = CallTest;
using CallHeader = CallTest;

// max_concurrent_streams reached: eleven passes and no retry.
TEST_F(CallTransparent, RepeatsNeitherCountNorCost) {
  Renew(0);
  Call call = Begin();
  for (int i = 0; i < 10; i++)
    EXPECT_EQ(call.Try(kNotSent).action, RG_ACTION_LEAVE);
  EXPECT_EQ(call.Try(RG_STATUS_OK).action, RG_ACTION_LEAVE);
  call.End(RG_STATUS_OK);
  EXPECT_EQ(sums().calls, 1u);
  EXPECT_EQ(sums().attempts, 1u);
  EXPECT_EQ(sums().retries, 0u);
  EXPECT_EQ(sums().transparent_retries, 10u);
  EXPECT_EQ(counters().undecided_retries, 0u);
  EXPECT_EQ(Level(), 100u);
}

TEST_F(CallTransparent, RepeatsUseUpNoAttempts) {
  Renew(9);
  Call call = Begin();
  for (int i = 0; i < 10; i++) call.Try(kNotSent);
  for (int i = 0; i < 4; i++)
    EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_LEAVE);
}

TEST_F(CallTransparent, HappenOnlyOnceForWhatTheServerDidNotSee) {
  Call call = Begin();
  EXPECT_EQ(call.Try(kNotSeen).action, RG_ACTION_LEAVE);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(call.Try(kNotSeen).action, RG_ACTION_RETRY);
  EXPECT_EQ(counters().tokens_outstanding, 1u);
  EXPECT_EQ(call.Try(kNotSeen).action, RG_ACTION_STOP);
  EXPECT_EQ(sums().attempts, 2u);
  EXPECT_EQ(sums().retries, 1u);
  EXPECT_EQ(sums().transparent_retries, 1u);
}

TEST_F(CallTransparent, NotSentIsRepeatedAlsoAfterNotSeen) {
  Call call = Begin();
  EXPECT_EQ(call.Try(kNotSent).action, RG_ACTION_LEAVE);
  EXPECT_EQ(call.Try(kNotSeen).action, RG_ACTION_LEAVE);
  EXPECT_EQ(call.Try(kNotSent).action, RG_ACTION_LEAVE);
  EXPECT_EQ(call.Try(kNotSeen).action, RG_ACTION_RETRY);
  EXPECT_EQ(sums().transparent_retries, 3u);
}

TEST_F(CallTransparent, RepeatsOfARetryCostNoSecondToken) {
  Renew(9);
  Call call = Begin();
  ASSERT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  for (int i = 0; i < 3; i++) call.Try(kNotSent);
  EXPECT_EQ(Level(), 8000u);
  EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(Level(), 7000u);
  EXPECT_EQ(sums().retries, 1u);
}

TEST_F(CallTransparent, ACommittedCallIsNotRepeated) {
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  call.Commit();
  EXPECT_EQ(call.Ends(kNotSent).action, RG_ACTION_LEAVE);
  call.End(kUnavailable);
  EXPECT_EQ(sums().transparent_retries, 0u);
  EXPECT_EQ(Level(), 1000u);
}

// The repeat got no connection; what comes now is a retry under retryPolicy.
TEST_F(CallTransparent, ARetryAfterARepeatThatWasNeverSeenIsNone) {
  Renew(1);
  Call call = Begin();
  ASSERT_EQ(call.Try(kNotSent).action, RG_ACTION_LEAVE);
  EXPECT_TRUE(call.Proceeds(/*previous_attempts=*/1));
  EXPECT_EQ(sums().transparent_retries, 0u);
  EXPECT_EQ(sums().retries, 1u);
  EXPECT_EQ(counters().undecided_retries, 1u);
  EXPECT_EQ(Level(), 0u);
}

// perAttemptRecvTimeout: the attempt before it never ended here.
TEST_F(CallUndecided, ARetryWithATokenProceeds) {
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  EXPECT_TRUE(call.Proceeds(1));
  EXPECT_EQ(counters().undecided_retries, 1u);
  EXPECT_EQ(counters().rejected_retries, 0u);
  EXPECT_EQ(sums().retries, 1u);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(Level(), 0u);
  call.End(kCancelled);
  EXPECT_EQ(Level(), 0u);
}

TEST_F(CallUndecided, ARetryWithoutATokenIsRejected) {
  Renew(0);
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  const rg_admission admission = call.Begins(1);
  EXPECT_EQ(admission.refusal, RG_REFUSED_RETRY);
  EXPECT_EQ(admission.stop, RG_STOP_BUDGET);
  EXPECT_EQ(admission.mark_origin, RG_MARK_NOT_SENT);
  EXPECT_EQ(counters().rejected_retries, 1u);
  EXPECT_EQ(counters().undecided_retries, 0u);
  EXPECT_EQ(counters().stops[RG_STOP_BUDGET], 1u);
  EXPECT_EQ(sums().attempts, 1u);
  EXPECT_EQ(sums().retries, 0u);
}

TEST_F(CallUndecided, AnotherLayerComesBeforeTheBudget) {
  for (uint32_t tokens : {1u, 0u}) {
    Renew(tokens);
    Call call = Begin(&kMarked);
    ASSERT_TRUE(call.Proceeds());
    const rg_admission admission = call.Begins(1);
    EXPECT_EQ(admission.refusal, RG_REFUSED_RETRY);
    EXPECT_EQ(admission.stop, RG_STOP_LAYER);
    EXPECT_EQ(Level(), 1000u * tokens);
    EXPECT_EQ(counters().rejected_retries, 1u);
    EXPECT_EQ(counters().stops[RG_STOP_LAYER], 1u);
    EXPECT_EQ(Stops(), 1u);
  }
}

TEST_F(CallUndecided, WithoutTheLayerRuleAMarkedCallMayRetry) {
  method_.policy.layer.disabled = true;
  Call call = Begin(&kMarked);
  ASSERT_TRUE(call.Proceeds());
  EXPECT_TRUE(call.Proceeds(1));
}

// Attempts without a connection never get here, but gRPC counts them. What the
// server sees is the first attempt, so it counts as a call, and not as a retry.
TEST_F(CallUndecided, AfterAFailedPickTheFirstAttemptCostsAToken) {
  Call call = Begin();
  EXPECT_TRUE(call.Proceeds(1));
  EXPECT_EQ(counters().undecided_retries, 1u);
  EXPECT_EQ(sums().calls, 1u);
  EXPECT_EQ(sums().retries, 0u);
  EXPECT_EQ(Level(), 0u);
}

TEST_F(CallUndecided, AfterAFailedPickWithoutATokenThereIsNoAttempt) {
  Renew(0);
  Call call = Begin();
  EXPECT_FALSE(call.Proceeds(1));
  call.End(kUnavailable);
  EXPECT_EQ(sums().calls, 0u);
  EXPECT_EQ(sums().attempts, 0u);
  EXPECT_EQ(counters().rejected_retries, 1u);
}

TEST_F(CallUndecided, FailedPicksUseUpAttempts) {
  Renew(9);
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds(2));
  const rg_verdict verdict = call.Ends(kUnavailable, UINT64_MAX);
  EXPECT_EQ(verdict.action, RG_ACTION_RETRY);
  EXPECT_EQ(verdict.delay.ms, 400u);  // the third attempt of the call failed
  ASSERT_TRUE(call.Proceeds(4));
  EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_LEAVE);
}

// The retry that was paid for got no connection, and the next one did.
TEST_F(CallUndecided, AHeldTokenPaysForTheRetryAfterAFailedPick) {
  Call call = Begin();
  ASSERT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_TRUE(call.Proceeds(/*previous_attempts=*/2));
  EXPECT_EQ(counters().undecided_retries, 0u);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(Level(), 0u);
}

// Forwarded by the application from the call that it serves.
TEST_F(CallHeader, IsTheApplicationsOwnOnceCommitted) {
  Call call = Begin();
  call.Commit();
  EXPECT_TRUE(call.Proceeds(3));
  EXPECT_EQ(sums().calls, 1u);
  EXPECT_EQ(sums().retries, 0u);
  EXPECT_EQ(counters().undecided_retries, 0u);
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallHeader, IsTheApplicationsOwnWhenRetriesAreDisabled) {
  retries_enabled_ = false;
  Renew(0);
  Call call = Begin();
  EXPECT_TRUE(call.Proceeds(3));
  EXPECT_EQ(sums().retries, 0u);
  EXPECT_EQ(counters().rejected_retries, 0u);
  EXPECT_EQ(Stops(), 0u);
}

TEST_F(CallHeader, DoesNotLowerWhatIsKnown) {
  method_.retry.max_attempts = 2;
  Renew(9);
  Call call = Begin();
  ASSERT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  ASSERT_TRUE(call.Proceeds(/*previous_attempts=*/0));
  EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_LEAVE);
}

TEST_F(CallHeader, MayHoldTheLargestNumber) {
  Call call = Begin();
  EXPECT_TRUE(call.Proceeds(UINT32_MAX));
  EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_LEAVE);
}

}  // namespace
