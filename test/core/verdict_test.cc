// SPDX-License-Identifier: Apache-2.0

// The verdict on an attempt that has ended; verdict_admit_test.cc has those on
// retries that gRPC begins on its own.
#include "core/verdict.h"

#include <gtest/gtest.h>

#include <iterator>

#include "support/verdict_fixture.h"

namespace {

class Verdict : public rg_test::VerdictFixture {
 protected:
  static bool NativeRetries(const rg_retry_policy &retry, uint32_t status,
                            uint32_t attempts) {
    const rg_outcome outcome = Outcome(status);
    return rg_verdict_native_retries(&retry, &outcome, attempts);
  }
};

TEST_F(Verdict, GrpcRetriesARetryableStatus) {
  EXPECT_TRUE(NativeRetries(Retry(5), kUnavailable, 1));
  EXPECT_TRUE(NativeRetries(Retry(5), kResourceExhausted, 1));
}

TEST_F(Verdict, GrpcDoesNotRetryAStatusThatIsNotInTheSet) {
  for (uint32_t status = 0; status < 32; status++) {
    const bool listed = status == kUnavailable || status == kResourceExhausted;
    EXPECT_EQ(NativeRetries(Retry(5), status, 1), listed) << status;
  }
}

TEST_F(Verdict, GrpcDoesNotRetryOkWhateverTheSetSays) {
  rg_retry_policy retry = Retry(5);
  retry.retryable_codes = UINT32_MAX;
  EXPECT_FALSE(NativeRetries(retry, RG_STATUS_OK, 1));
  EXPECT_TRUE(NativeRetries(retry, 1, 1));
  EXPECT_TRUE(NativeRetries(retry, 16, 1));
  EXPECT_TRUE(NativeRetries(retry, 31, 1));
}

TEST_F(Verdict, GrpcDoesNotRetryAStatusOutsideTheSetsRange) {
  rg_retry_policy retry = Retry(5);
  retry.retryable_codes = UINT32_MAX;
  for (uint32_t status : {32u, 33u, 32u + kUnavailable, UINT32_MAX})
    EXPECT_FALSE(NativeRetries(retry, status, 1)) << status;
}

TEST_F(Verdict, GrpcRetriesUntilTheAttemptsAreUsedUp) {
  for (uint32_t max_attempts = 2; max_attempts <= 5; max_attempts++) {
    for (uint32_t attempts = 1; attempts <= 12; attempts++)
      EXPECT_EQ(NativeRetries(Retry(max_attempts), kUnavailable, attempts),
                attempts < max_attempts)
          << max_attempts << " " << attempts;
  }
  EXPECT_FALSE(NativeRetries(Retry(5), kUnavailable, UINT32_MAX));
}

TEST_F(Verdict, GrpcMakesNoMoreThanFiveAttempts) {
  for (uint32_t max_attempts : {6u, 10u, UINT32_MAX}) {
    EXPECT_TRUE(NativeRetries(Retry(max_attempts), kUnavailable, 4));
    EXPECT_FALSE(NativeRetries(Retry(max_attempts), kUnavailable, 5));
    EXPECT_FALSE(NativeRetries(Retry(max_attempts), kUnavailable, 6));
  }
}

TEST_F(Verdict, GrpcDoesNotRetryACommittedCall) {
  const rg_retry_policy retry = Retry(5);
  rg_outcome outcome = Outcome(kUnavailable);
  outcome.committed = true;
  EXPECT_FALSE(rg_verdict_native_retries(&retry, &outcome, 1));
}

TEST_F(Verdict, GrpcDoesNotRetryWithoutAPolicy) {
  const rg_outcome outcome = Outcome(kUnavailable);
  EXPECT_FALSE(rg_verdict_native_retries(nullptr, &outcome, 1));
}

// ---- The decision -----------------------------------------------------------

class VerdictDecision : public rg_test::VerdictFixture {};

TEST_F(VerdictDecision, ARetryTakesOneToken) {
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
  EXPECT_EQ(Tokens(), kTokens - 1);
}

TEST_F(VerdictDecision, TheTokenOfARetryCanBeRefunded) {
  const rg_verdict verdict = Decide();
  ASSERT_EQ(verdict.action, RG_ACTION_RETRY);
  rg_budget_refund(&budget_, verdict.token);
  EXPECT_EQ(Tokens(), kTokens);
}

// After attempt 1 comes retry 0: the caps are 100, 200, 400, 800.
TEST_F(VerdictDecision, ARetryWaitsAsItsNumberSays) {
  Fill(100);
  for (uint32_t attempts = 1; attempts <= 4; attempts++) {
    case_.attempts = attempts;
    EXPECT_EQ(Decide(0).delay.ms, 0u);
    EXPECT_EQ(Decide(UINT64_MAX).delay.ms, UINT64_C(100) << (attempts - 1));
    EXPECT_FALSE(Decide().delay.native);
  }
}

TEST_F(VerdictDecision, ARetryHeedsJitterAndFloor) {
  backoff_.jitter = RG_JITTER_EQUAL;
  EXPECT_EQ(Decide(0).delay.ms, 50u);
  backoff_.floor_ms = 70;
  EXPECT_EQ(Decide(0).delay.ms, 70u);
  backoff_.jitter = RG_JITTER_NATIVE;
  EXPECT_TRUE(Decide(0).delay.native);
}

TEST_F(VerdictDecision, ARetryHeedsTheServersDelay) {
  outcome_.pushback.kind = RG_PUSHBACK_DELAY;
  outcome_.pushback.delay_ms = 5000;
  EXPECT_EQ(Decide(0).delay.ms, 5000u);
  EXPECT_EQ(Decide(UINT64_MAX).delay.ms, 5100u);
}

TEST_F(VerdictDecision, AServersDelayOfZeroDoesNotStop) {
  outcome_.pushback.kind = RG_PUSHBACK_DELAY;
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
}

TEST_F(VerdictDecision, WithoutALimitARetryIsMade) {
  rg_budget_policy policy = {};
  policy.kind = RG_BUDGET_UNLIMITED;
  rg_budget_init(&budget_, &policy, kNow);
  for (int i = 0; i < 1000; i++) ASSERT_EQ(Decide().action, RG_ACTION_RETRY);
}

TEST_F(VerdictDecision, AnotherLayerStops) {
  for (rg_lineage lineage : {RG_LINEAGE_MARKED, RG_LINEAGE_MARKED_NO_FORWARD}) {
    case_.lineage = lineage;
    ExpectStopped(RG_STOP_LAYER);
  }
}

TEST_F(VerdictDecision, AnotherLayerDoesNotStopWhereLayersAreDisabled) {
  Mark();
  layer_.disabled = true;
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
}

TEST_F(VerdictDecision, TheServerStops) {
  PushBack();
  ExpectStopped(RG_STOP_PUSHBACK);
}

TEST_F(VerdictDecision, AnEmptyBudgetStops) {
  UseUpBudget();
  ExpectStopped(RG_STOP_BUDGET);
}

TEST_F(VerdictDecision, TheBudgetStopsWithTheLastToken) {
  for (uint64_t i = 0; i < kTokens; i++)
    EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
  ExpectStopped(RG_STOP_BUDGET);
}

TEST_F(VerdictDecision, WithoutABudgetARetryCostsNothing) {
  UseUpBudget();
  case_.budget = nullptr;
  for (int i = 0; i < 1000; i++) ASSERT_EQ(Decide().action, RG_ACTION_RETRY);
}

TEST_F(VerdictDecision, ACallThatIsNotSafeToRepeatStops) {
  MakeUnsafe();
  ExpectStopped(RG_STOP_UNSAFE);
}

TEST_F(VerdictDecision, ACompressedCallStops) {
  Compress();
  ExpectStopped(RG_STOP_COMPRESSED);
}

// ---- The breaker ------------------------------------------------------------

TEST_F(VerdictDecision, AnOpenBreakerStopsUntilItsCooldownEnds) {
  OpenBreakerAt(kNow - kCooldown + kMs);
  ExpectStopped(RG_STOP_BREAKER);
  CloseBreaker();
  OpenBreakerAt(kNow - kCooldown);
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
}

// The retry itself will ask for the place; deciding takes none.
TEST_F(VerdictDecision, AHalfOpenBreakerStopsWhenItsPlacesAreTaken) {
  OpenBreakerAt(kNow - kCooldown);
  rg_permit probe = rg_breaker_admit(&breaker_, kNow).permit;
  ExpectStopped(RG_STOP_BREAKER);
  rg_breaker_settle(&breaker_, &probe, RG_RESULT_NEUTRAL, kNow, 0);
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
}

TEST_F(VerdictDecision, WithoutABreakerNoneIsAsked) {
  OpenBreaker();
  case_.breaker = nullptr;
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
}

// ---- The deadline -----------------------------------------------------------

// The longest delay of the first retry is 100 ms.
TEST_F(VerdictDecision, ADelayThatDoesNotFitStops) {
  case_.call_deadline = kNow + 100 * kMs;
  EXPECT_EQ(Decide(UINT64_MAX).reason, RG_STOP_DEADLINE);
  EXPECT_EQ(Tokens(), kTokens);
  case_.call_deadline++;
  EXPECT_EQ(Decide(UINT64_MAX).action, RG_ACTION_RETRY);
}

// The same call, another draw.
TEST_F(VerdictDecision, TheDelayThatWasDrawnMustFitNotTheLongest) {
  case_.call_deadline = kNow + 50 * kMs;
  EXPECT_EQ(Decide(0).action, RG_ACTION_RETRY);
  EXPECT_EQ(Decide(UINT64_MAX).action, RG_ACTION_STOP);
}

TEST_F(VerdictDecision, TheServersDelayMustFit) {
  outcome_.pushback.kind = RG_PUSHBACK_DELAY;
  outcome_.pushback.delay_ms = 5000;
  case_.call_deadline = kNow + 5 * kSecond;
  ExpectStopped(RG_STOP_DEADLINE);
  case_.call_deadline++;
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
}

TEST_F(VerdictDecision, ANativeDelayMustFitAtItsLongest) {
  backoff_.jitter = RG_JITTER_NATIVE;
  const uint64_t longest = Decide().delay.ms;
  EXPECT_EQ(longest, 120u);
  case_.call_deadline = kNow + longest * kMs;
  ExpectStopped(RG_STOP_DEADLINE);
  case_.call_deadline++;
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
}

TEST_F(VerdictDecision, ARetryMustLeaveEnoughForItsAttempt) {
  deadline_.min_attempt_ns = 20 * kMs;
  case_.typical_attempt_ns = 30 * kMs;
  case_.call_deadline = kNow + 20 * kMs;
  ExpectStopped(RG_STOP_DEADLINE);
  case_.call_deadline = kNow + 20 * kMs + 1;
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
  deadline_.adaptive = true;
  ExpectStopped(RG_STOP_DEADLINE);
  case_.call_deadline = kNow + 30 * kMs + 1;
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
}

TEST_F(VerdictDecision, DeadlinesDisabledNoDelayStops) {
  EndTheCall();
  deadline_.disabled = true;
  EXPECT_EQ(Decide().action, RG_ACTION_RETRY);
}

// ---- The order of reasons ---------------------------------------------------

TEST_F(VerdictDecision, EachReasonStops) {
  for (int reason = 0; reason < RG_STOP_COUNT; reason++) {
    SCOPED_TRACE(reason);
    Restore();
    Spoil(reason);
    ExpectStopped(static_cast<rg_stop>(reason));
  }
}

TEST_F(VerdictDecision, OfTwoReasonsTheEarlierOneWins) {
  for (int later = 0; later < RG_STOP_COUNT; later++) {
    for (int earlier = 0; earlier < later; earlier++) {
      SCOPED_TRACE(testing::Message() << earlier << " " << later);
      Restore();
      Spoil(later);
      Spoil(earlier);
      ExpectStopped(static_cast<rg_stop>(earlier));
    }
  }
}

TEST_F(VerdictDecision, OfAllReasonsTheFirstWins) {
  for (int first = 0; first < RG_STOP_COUNT; first++) {
    SCOPED_TRACE(first);
    Restore();
    for (int reason = first; reason < RG_STOP_COUNT; reason++) Spoil(reason);
    ExpectStopped(static_cast<rg_stop>(first));
  }
}

TEST(VerdictOrder, IsTheOneThatTheDesignLaysDown) {
  constexpr rg_stop kOrder[] = {
      RG_STOP_LAYER,   RG_STOP_UNSAFE,   RG_STOP_COMPRESSED, RG_STOP_PUSHBACK,
      RG_STOP_BREAKER, RG_STOP_DEADLINE, RG_STOP_BUDGET};
  ASSERT_EQ(std::size(kOrder), static_cast<size_t>(RG_STOP_COUNT));
  for (int i = 0; i < RG_STOP_COUNT; i++) EXPECT_EQ(kOrder[i], i);
}

// ---- What gRPC would not retry is left alone --------------------------------

TEST_F(VerdictDecision, SuccessIsLeftAlone) {
  outcome_.status = RG_STATUS_OK;
  ExpectLeft();
}

TEST_F(VerdictDecision, AStatusThatIsNotRetryableIsLeftAlone) {
  outcome_.status = kInvalidArgument;
  ExpectLeft();
  outcome_.status = 32 + kUnavailable;
  ExpectLeft();
}

TEST_F(VerdictDecision, TheLastAttemptIsLeftAlone) {
  case_.attempts = 5;
  ExpectLeft();
  retry_.max_attempts = 10;
  ExpectLeft();
  retry_.max_attempts = 2;
  case_.attempts = 2;
  ExpectLeft();
}

TEST_F(VerdictDecision, ACommittedCallIsLeftAlone) {
  outcome_.committed = true;
  ExpectLeft();
}

TEST_F(VerdictDecision, ACallWithoutAPolicyIsLeftAlone) {
  case_.retry = nullptr;
  ExpectLeft();
}

// Each of them with every reason to stop: those are not even looked at.
TEST_F(VerdictDecision, BeingLeftAloneComesBeforeEveryReason) {
  for (int reason = 0; reason < RG_STOP_COUNT; reason++) Spoil(reason);
  outcome_.status = RG_STATUS_OK;
  ExpectLeft();
  outcome_.status = kInvalidArgument;
  ExpectLeft();
  outcome_.status = kUnavailable;
  outcome_.committed = true;
  ExpectLeft();
  outcome_.committed = false;
  case_.attempts = 5;
  ExpectLeft();
  case_.attempts = 1;
  case_.retry = nullptr;
  ExpectLeft();
}

}  // namespace
