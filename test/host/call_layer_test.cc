// SPDX-License-Identifier: Apache-2.0

// What a call that failed for good says to the caller of the one it was made
// for: retry, or do not.
#include <gtest/gtest.h>

#include "host/call.h"
#include "host/call_fixture.h"

namespace {

using namespace rg_test;

class LayerTest : public CallTest,
                  public testing::WithParamInterface<rg_layer_mode> {
 protected:
  void Use(rg_layer_mode mode) { method_.policy.layer.mode = mode; }

  void Exhaust(Call *call) {
    while (call->Try(kUnavailable).action == RG_ACTION_RETRY) {
    }
  }
  void OpenBreaker() {
    method_.policy.breaker = BreakerAfter(1);
    Adopt();
    Begin().Try(kUnavailable);
    ASSERT_EQ(State(), RG_BREAKER_OPEN);
  }

  Hop hop_;
};

class CallInnermost : public LayerTest {
 protected:
  CallInnermost() { Use(RG_LAYER_INNERMOST); }
};

// In whichever mode.
class CallTellsItsCaller : public LayerTest {
 protected:
  CallTellsItsCaller() { Use(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Mode, CallTellsItsCaller,
                         testing::Values(RG_LAYER_OUTERMOST,
                                         RG_LAYER_INNERMOST));

TEST_F(CallInnermost, ThatExhaustedItsRetriesStopsItsCaller) {
  Renew(9);
  Call call = Begin(hop_.get());
  for (int i = 0; i < 4; i++) {
    EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
    EXPECT_FALSE(hop_.StopsItsCaller());
  }
  EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_LEAVE);
  EXPECT_TRUE(hop_.StopsItsCaller());
}

TEST_F(CallInnermost, ThatWasRefusedARetryStopsItsCaller) {
  Renew(0);
  Call call = Begin(hop_.get());
  EXPECT_EQ(call.Try(kUnavailable).reason, RG_STOP_BUDGET);
  EXPECT_TRUE(hop_.StopsItsCaller());
}

TEST_F(CallInnermost, WhoseRetryDoesNotFitStopsItsCaller) {
  Call call = Begin(hop_.get(), now_);
  EXPECT_EQ(call.Try(kUnavailable).reason, RG_STOP_DEADLINE);
  EXPECT_TRUE(hop_.StopsItsCaller());
}

TEST_F(CallInnermost, WithAnAnswerThatNobodyWouldRetryDoesNot) {
  Begin(hop_.get()).Try(kNotFound);
  Begin(hop_.get()).Try(RG_STATUS_OK);
  Begin(hop_.get()).End(kCancelled);
  method_.has_retry = false;
  Begin(hop_.get()).Try(kUnavailable);
  EXPECT_FALSE(hop_.StopsItsCaller());
}

TEST_F(CallInnermost, WhoseRetriesAreAnotherLayersDoesNot) {
  Call call = Begin(hop_.get());
  call.Set(kMarked);
  EXPECT_EQ(call.Try(kUnavailable).reason, RG_STOP_LAYER);
  EXPECT_FALSE(hop_.StopsItsCaller());
}

TEST_F(CallInnermost, MakesNoMarksButForwardsOthers) {
  EXPECT_EQ(Begin().Begins().mark_origin, RG_MARK_NOT_SENT);
  EXPECT_EQ(Begin(&kMarked).Begins().mark_origin, RG_MARK_FORWARDED);
}

TEST_F(CallInnermost, WithoutAHopHasNobodyToTell) {
  Renew(0);
  EXPECT_EQ(Begin().Try(kUnavailable).reason, RG_STOP_BUDGET);
}

// An attempt that gRPC gave up reports late, and a token waits.
TEST_F(CallInnermost, WhatComesLateSaysNothing) {
  Renew(9);
  Call call = Begin(hop_.get());
  Attempt abandoned, next;
  call.Begin(&abandoned);
  call.Begin(&next, Facts(4));
  call.End(&abandoned, Outcome(kUnavailable));
  EXPECT_FALSE(hop_.StopsItsCaller());
  call.End(&next, Outcome(RG_STATUS_OK));
  EXPECT_FALSE(hop_.StopsItsCaller());
}

using CallOutermost = LayerTest;

TEST_F(CallOutermost, ThatExhaustedItsRetriesSaysNothing) {
  Renew(9);
  Call call = Begin(hop_.get());
  Exhaust(&call);
  EXPECT_FALSE(hop_.StopsItsCaller());
}

TEST_F(CallOutermost, ThatWasRefusedARetrySaysNothing) {
  Renew(0);
  EXPECT_EQ(Begin(hop_.get()).Try(kUnavailable).reason, RG_STOP_BUDGET);
  EXPECT_FALSE(hop_.StopsItsCaller());
}

TEST_P(CallTellsItsCaller, AtAnOpenBreakerWhenTheCallBegins) {
  OpenBreaker();
  Call call = Unbound(hop_.get());
  EXPECT_EQ(call.Admit().refusal, RG_REFUSED_BREAKER);
  EXPECT_TRUE(hop_.StopsItsCaller());
}

TEST_P(CallTellsItsCaller, AtAnOpenBreakerWhenAnAttemptBegins) {
  OpenBreaker();
  EXPECT_EQ(Begin(hop_.get()).Begins().refusal, RG_REFUSED_BREAKER);
  EXPECT_TRUE(hop_.StopsItsCaller());
}

TEST_P(CallTellsItsCaller, AtABreakerThatOpensWithTheFailure) {
  method_.policy.breaker = BreakerAfter(1);
  Adopt();
  EXPECT_EQ(Begin(hop_.get()).Try(kUnavailable).reason, RG_STOP_BREAKER);
  EXPECT_TRUE(hop_.StopsItsCaller());
}

TEST_P(CallTellsItsCaller, WhatTheServerSaid) {
  EXPECT_EQ(Begin(hop_.get()).Try(WithPushback(RG_PUSHBACK_STOP)).reason,
            RG_STOP_PUSHBACK);
  EXPECT_TRUE(hop_.StopsItsCaller());
}

// The owner of the retries is further up: it must hear of it.
TEST_P(CallTellsItsCaller, WhatTheServerSaidAlsoWhereAnotherLayerRetries) {
  Call call = Begin(hop_.get());
  call.Set(kMarked);
  EXPECT_EQ(call.Try(WithPushback(RG_PUSHBACK_STOP)).reason, RG_STOP_LAYER);
  EXPECT_TRUE(hop_.StopsItsCaller());
}

TEST_P(CallTellsItsCaller, WhatTheServerSaidAlsoWhereNobodyRetries) {
  method_.has_retry = false;
  Call call = Begin(hop_.get());
  EXPECT_EQ(call.Try(WithPushback(RG_PUSHBACK_STOP)).action, RG_ACTION_LEAVE);
  EXPECT_TRUE(hop_.StopsItsCaller());
}

TEST_P(CallTellsItsCaller, NothingWhenTheServerNamesATime) {
  EXPECT_EQ(Begin(hop_.get()).Try(WithPushback(RG_PUSHBACK_DELAY, 7)).action,
            RG_ACTION_RETRY);
  EXPECT_FALSE(hop_.StopsItsCaller());
}

TEST_P(CallTellsItsCaller, NothingWhenItSucceeds) {
  rg_outcome outcome = WithPushback(RG_PUSHBACK_STOP);
  outcome.status = RG_STATUS_OK;
  Begin(hop_.get()).Try(outcome);
  EXPECT_FALSE(hop_.StopsItsCaller());
}

TEST_P(CallTellsItsCaller, NothingInShadow) {
  method_.policy.mode = RG_MODE_SHADOW;
  OpenBreaker();
  Begin(hop_.get()).Begins();
  Renew(0);
  Begin(hop_.get()).Try(WithPushback(RG_PUSHBACK_STOP));
  Begin(hop_.get()).Try(kUnavailable);
  EXPECT_FALSE(hop_.StopsItsCaller());
}

}  // namespace
