// SPDX-License-Identifier: Apache-2.0

// How the call object shares the time there is.
#include <gtest/gtest.h>

#include "host/call.h"
#include "host/call_fixture.h"

namespace {

using namespace rg_test;

class DeadlineTest : public CallTest {
 protected:
  // What is said of the first attempt of a call with `deadline`.
  rg_admission FirstAttempt(uint64_t deadline, retry_guard_hop *hop = nullptr) {
    Call call = Begin(hop, deadline);
    return call.Begins();
  }
  rg_deadline_policy &policy() { return method_.policy.deadline; }
};

using CallHopDeadline = DeadlineTest;
using CallAttemptTimeout = DeadlineTest;
using CallMinRemaining = DeadlineTest;
using CallFits = DeadlineTest;

TEST_F(CallHopDeadline, NoneStaysNone) {
  policy().hop_margin_ns = kSecond;
  EXPECT_EQ(FirstAttempt(RG_DEADLINE_NONE).deadline, RG_DEADLINE_NONE);
  Hop hop;
  EXPECT_EQ(FirstAttempt(RG_DEADLINE_NONE, hop.get()).deadline,
            RG_DEADLINE_NONE);
}

TEST_F(CallHopDeadline, IsTheIncomingCallsLessTheMargin) {
  Hop hop(now_ + 10 * kSecond);
  EXPECT_EQ(FirstAttempt(RG_DEADLINE_NONE, hop.get()).deadline,
            now_ + 10 * kSecond);
  policy().hop_margin_ns = kSecond;
  EXPECT_EQ(FirstAttempt(RG_DEADLINE_NONE, hop.get()).deadline,
            now_ + 9 * kSecond);
  EXPECT_EQ(FirstAttempt(now_ + 10 * kSecond, hop.get()).deadline,
            now_ + 9 * kSecond);
}

TEST_F(CallHopDeadline, IsLeftToGrpcWhereTheCallsOwnIsNotLater) {
  Hop hop(now_ + 10 * kSecond);
  EXPECT_EQ(FirstAttempt(now_ + 10 * kSecond, hop.get()).deadline,
            RG_DEADLINE_NONE);
  policy().hop_margin_ns = kSecond;
  EXPECT_EQ(FirstAttempt(now_ + 9 * kSecond, hop.get()).deadline,
            RG_DEADLINE_NONE);
  EXPECT_EQ(FirstAttempt(now_ + 9 * kSecond + 1, hop.get()).deadline,
            now_ + 9 * kSecond);
}

// The same deadline, put on this clock at two moments.
TEST_F(CallHopDeadline, DeadlinesThatDifferByTheClocksGrainAreTheSame) {
  Hop hop(now_ + 10 * kSecond);
  EXPECT_EQ(FirstAttempt(now_ + 10 * kSecond + 5 * kMs, hop.get()).deadline,
            RG_DEADLINE_NONE);
  EXPECT_EQ(FirstAttempt(now_ + 10 * kSecond + 50 * kMs, hop.get()).deadline,
            now_ + 10 * kSecond);
}

TEST_F(CallHopDeadline, AMarginLongerThanTheTimeLeavesNoTime) {
  Hop hop(5 * kSecond);
  policy().hop_margin_ns = 60 * kSecond;
  EXPECT_EQ(FirstAttempt(RG_DEADLINE_NONE, hop.get()).deadline, 0u);
}

TEST_F(CallHopDeadline, IsIgnoredWhenDisabled) {
  policy().disabled = true;
  Hop hop(now_ + kSecond);
  EXPECT_EQ(FirstAttempt(RG_DEADLINE_NONE, hop.get()).deadline,
            RG_DEADLINE_NONE);
}

TEST_F(CallHopDeadline, DecidesWhetherARetryFits) {
  Hop hop(now_ + 100 * kMs);
  Call call = Begin(hop.get());
  ASSERT_TRUE(call.Proceeds());
  EXPECT_EQ(call.Ends(kUnavailable, UINT64_MAX).reason, RG_STOP_DEADLINE);
}

TEST_F(CallAttemptTimeout, CountsFromTheBeginningOfEachAttempt) {
  Renew(9);
  policy().attempt_timeout_ns = 200 * kMs;
  Call call = Begin();
  for (int i = 0; i < 3; i++) {
    const rg_admission admission = call.Begins();
    EXPECT_EQ(admission.deadline, now_ + 200 * kMs);
    call.Ends(kUnavailable);
    now_ += kSecond;
  }
}

TEST_F(CallAttemptTimeout, EndsWithTheCallWhereThatIsEarlier) {
  policy().attempt_timeout_ns = 200 * kMs;
  EXPECT_EQ(FirstAttempt(now_ + 100 * kMs).deadline, RG_DEADLINE_NONE);
  EXPECT_EQ(FirstAttempt(now_ + 200 * kMs).deadline, RG_DEADLINE_NONE);
  EXPECT_EQ(FirstAttempt(now_ + 200 * kMs + 1).deadline, now_ + 200 * kMs);
  Hop hop(now_ + 150 * kMs);
  EXPECT_EQ(FirstAttempt(now_ + kSecond, hop.get()).deadline, now_ + 150 * kMs);
}

TEST_F(CallAttemptTimeout, IsNoneUnlessItIsSet) {
  EXPECT_EQ(FirstAttempt(now_ + kSecond).deadline, RG_DEADLINE_NONE);
  policy().attempt_timeout_ns = kMs;
  policy().disabled = true;
  EXPECT_EQ(FirstAttempt(now_ + kSecond).deadline, RG_DEADLINE_NONE);
}

TEST_F(CallAttemptTimeout, IsRetriedWhenThatStatusIs) {
  method_.retry.retryable_codes |= 1u << kDeadlineExceeded;
  policy().attempt_timeout_ns = 200 * kMs;
  Call call = Begin(nullptr, now_ + 10 * kSecond);
  EXPECT_EQ(call.Try(kDeadlineExceeded).action, RG_ACTION_RETRY);
}

TEST_F(CallMinRemaining, ACallWithLessIsNotSent) {
  policy().min_remaining_ns = kSecond;
  EXPECT_EQ(FirstAttempt(now_ + kSecond).refusal, RG_REFUSED_NOT);
  Call call = Begin(nullptr, now_ + kSecond - 1);
  EXPECT_EQ(call.Begins().refusal, RG_REFUSED_REMAINING);
  call.End(kDeadlineExceeded);
  EXPECT_EQ(counters().refused_remaining, 1u);
  EXPECT_EQ(sums().calls, 1u);
  EXPECT_EQ(sums().attempts, 1u);
  EXPECT_EQ(Stops(), 0u);
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallMinRemaining, ADeadlineThatIsPastLeavesNothing) {
  policy().min_remaining_ns = 1;
  for (uint64_t deadline : {UINT64_C(0), now_ - 1, now_})
    EXPECT_EQ(FirstAttempt(deadline).refusal, RG_REFUSED_REMAINING);
  policy().min_remaining_ns = 0;
  EXPECT_EQ(FirstAttempt(0).refusal, RG_REFUSED_NOT) << "left to gRPC";
}

TEST_F(CallMinRemaining, WithoutADeadlineThereIsAlwaysEnough) {
  policy().min_remaining_ns = UINT64_MAX;
  EXPECT_EQ(FirstAttempt(RG_DEADLINE_NONE).refusal, RG_REFUSED_NOT);
}

TEST_F(CallMinRemaining, CountsWhatTheHopLeaves) {
  policy().min_remaining_ns = kSecond;
  policy().hop_margin_ns = 100 * kMs;
  Hop hop(now_ + kSecond);
  EXPECT_EQ(FirstAttempt(RG_DEADLINE_NONE, hop.get()).refusal,
            RG_REFUSED_REMAINING);
}

TEST_F(CallMinRemaining, IsAboutTheBeginningOfACallAlone) {
  policy().min_remaining_ns = kSecond;
  Call call = Begin(nullptr, now_ + kSecond);
  ASSERT_TRUE(call.Proceeds());
  now_ += 500 * kMs;
  EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_TRUE(call.Proceeds());
}

TEST_F(CallMinRemaining, IsIgnoredWhenDisabled) {
  policy().min_remaining_ns = kSecond;
  policy().disabled = true;
  EXPECT_EQ(FirstAttempt(now_).refusal, RG_REFUSED_NOT);
}

// The delay is drawn from 0 to 100 ms; these draws are its ends.
TEST_F(CallFits, ARetryWhoseDelayDoesNotFitIsStoppedAndTakesNoToken) {
  Call call = Begin(nullptr, now_ + 100 * kMs);
  ASSERT_TRUE(call.Proceeds());
  const rg_verdict verdict = call.Ends(kUnavailable, UINT64_MAX);
  EXPECT_EQ(verdict.action, RG_ACTION_STOP);
  EXPECT_EQ(verdict.reason, RG_STOP_DEADLINE);
  EXPECT_EQ(counters().stops[RG_STOP_DEADLINE], 1u);
  EXPECT_EQ(counters().tokens_outstanding, 0u);
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallFits, ARetryWhoseDelayFitsIsMade) {
  Call call = Begin(nullptr, now_ + 100 * kMs + 1);
  ASSERT_TRUE(call.Proceeds());
  EXPECT_EQ(call.Ends(kUnavailable, UINT64_MAX).action, RG_ACTION_RETRY);
}

TEST_F(CallFits, TheShortestAttemptMustFitToo) {
  policy().min_attempt_ns = 50 * kMs;
  for (const uint64_t spare : {UINT64_C(0), UINT64_C(1)}) {
    Call call = Begin(nullptr, now_ + 150 * kMs + spare);
    ASSERT_TRUE(call.Proceeds());
    const rg_verdict verdict = call.Ends(kUnavailable, UINT64_MAX);
    EXPECT_EQ(verdict.action, spare ? RG_ACTION_RETRY : RG_ACTION_STOP);
    call.End(kUnavailable);
  }
}

TEST_F(CallFits, AServersDelayThatDoesNotFitStopsTheCall) {
  Call call = Begin(nullptr, now_ + 10 * kSecond);
  EXPECT_EQ(call.Try(WithPushback(RG_PUSHBACK_DELAY, UINT64_MAX)).reason,
            RG_STOP_DEADLINE);
}

TEST_F(CallFits, NoDeadlineNoReason) {
  policy().min_attempt_ns = UINT64_MAX;
  Call call = Begin();
  EXPECT_EQ(call.Try(WithPushback(RG_PUSHBACK_DELAY, INT64_MAX)).action,
            RG_ACTION_RETRY);
}

TEST_F(CallFits, DisabledRetriesAreMadeWhetherTheyFitOrNot) {
  policy().disabled = true;
  Call call = Begin(nullptr, now_);
  EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
}

// Attempts of 80 ms so far: a retry needs as much.
TEST_F(CallFits, AdaptiveLearnsHowLongAnAttemptTakes) {
  policy().adaptive = true;
  for (int i = 0; i < 3; i++) {
    Call call = Begin();
    ASSERT_TRUE(call.Proceeds());
    now_ += 80 * kMs;
    call.Ends(RG_STATUS_OK);
    call.End(RG_STATUS_OK);
    EXPECT_EQ(target_->typical_attempt_ns, 80 * kMs);
  }
  Call late = Begin(nullptr, now_ + 80 * kMs);
  EXPECT_EQ(late.Try(kUnavailable).reason, RG_STOP_DEADLINE);
  Call early = Begin(nullptr, now_ + 80 * kMs + 1);
  EXPECT_EQ(early.Try(kUnavailable).action, RG_ACTION_RETRY);
}

TEST_F(CallFits, OnlySuccessesSayHowLongAnAttemptTakes) {
  policy().adaptive = true;
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  now_ += 80 * kMs;
  call.Ends(kUnavailable);
  EXPECT_EQ(target_->typical_attempt_ns, 0u);
  Call dropped = Begin();
  ASSERT_TRUE(dropped.Proceeds());
  now_ += 80 * kMs;
  dropped.Drop();
  EXPECT_EQ(target_->typical_attempt_ns, 0u);
  Call backwards = Begin();
  ASSERT_TRUE(backwards.Proceeds());
  now_ -= kSecond;
  backwards.Ends(RG_STATUS_OK);
  EXPECT_LE(target_->typical_attempt_ns, 1u) << "none passed";
}

TEST_F(CallFits, WithoutAdaptiveNothingIsLearnt) {
  Call call = Begin();
  ASSERT_TRUE(call.Proceeds());
  now_ += 80 * kMs;
  call.Ends(RG_STATUS_OK);
  EXPECT_EQ(target_->typical_attempt_ns, 0u);
}

// Nanoseconds of a clock that began in 1970 end in 2262 for signed numbers, and
// 292 years later for ours.
TEST_F(CallFits, TheEndsOfTimeDoNoHarm) {
  policy().attempt_timeout_ns = 3600 * kSecond;
  policy().hop_margin_ns = 60 * kSecond;
  policy().min_attempt_ns = 60 * kSecond;
  policy().min_remaining_ns = kSecond;
  const uint64_t k2262 = static_cast<uint64_t>(INT64_MAX);
  for (uint64_t now : {UINT64_C(1), k2262 - 1, k2262, UINT64_MAX - 1}) {
    now_ = now;
    for (uint64_t deadline : {UINT64_C(0), now, k2262, UINT64_MAX - 1}) {
      Hop hop(deadline);
      Renew(1);
      Call call = Begin(hop.get(), deadline);
      const bool enough = deadline > now && deadline - now >= 61 * kSecond;
      const rg_admission admission = call.Begins();
      EXPECT_EQ(admission.refusal,
                enough ? RG_REFUSED_NOT : RG_REFUSED_REMAINING);
      if (enough) {
        EXPECT_GT(admission.deadline, now);
        EXPECT_LE(admission.deadline, deadline);
      }
      call.Ends(kUnavailable);
      call.End(kUnavailable);
      EXPECT_EQ(counters().tokens_outstanding, 0u);
    }
  }
}

}  // namespace
