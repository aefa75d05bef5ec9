// SPDX-License-Identifier: Apache-2.0

// The breaker off, updated and reset.
#include <gtest/gtest.h>

#include "core/breaker.h"
#include "support/breaker_fixture.h"

namespace {

class BreakerUpdate : public rg_test::BreakerFixture {};

TEST_F(BreakerUpdate, DisabledItAdmitsAllAndCountsNothing) {
  policy_.disabled = true;
  Init();
  for (int i = 0; i < 1000; i++) {
    EXPECT_FALSE(Rejects(kNow));
    rg_breaker_admission admission = Admit(kNow);
    EXPECT_TRUE(admission.admitted);
    EXPECT_FALSE(admission.permit.held);
    EXPECT_EQ(Settle(&admission.permit, RG_RESULT_FAILURE, kNow), RG_SETTLED);
  }
  policy_.disabled = false;
  Update();
  Fail(kMinRequests - 1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

TEST_F(BreakerUpdate, DisabledWhileOpenItAdmitsUntilItIsEnabled) {
  Open(kNow);
  policy_.disabled = true;
  Update();
  EXPECT_FALSE(Rejects(kNow));
  EXPECT_TRUE(Admit(kNow).admitted);
  policy_.disabled = false;
  Update();
  ExpectOpenUntil(kNow + kCooldown);
}

// Whatever its other parameters are by then: nobody chose them with care.
TEST_F(BreakerUpdate, DisabledItIgnoresTheResultsOfPermitsGivenOutBefore) {
  rg_breaker_admission before = Admit(kNow);
  policy_.disabled = true;
  policy_.min_requests = 1;
  policy_.consecutive_failures = 1;
  Update();
  EXPECT_EQ(Settle(&before.permit, RG_RESULT_FAILURE, kNow), RG_SETTLED);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

TEST_F(BreakerUpdate, AnUpdateKeepsTheWindow) {
  Fail(kMinRequests - 1, kNow);
  policy_.min_requests++;
  Update();
  Fail(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  Fail(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(BreakerUpdate, AnUpdateToAnotherWindowEmptiesIt) {
  policy_.consecutive_failures = kMinRequests;
  Init();
  Fail(kMinRequests - 1, kNow);
  policy_.window_ns *= 2;
  Update();
  Fail(kMinRequests - 1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  Fail(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(BreakerUpdate, PermitsSurviveAnUpdate) {
  rg_permit permit = PermitAt(kNow);
  Update();
  Fail(kMinRequests - 1, kNow);
  EXPECT_EQ(Settle(&permit, RG_RESULT_FAILURE, kNow), RG_SETTLED_OPENED);
}

TEST_F(BreakerUpdate, AnUpdateLeavesARunningCooldownAlone) {
  Open(kNow);
  policy_.cooldown_ns = 60 * kSecond;
  policy_.window_ns *= 2;
  Update();
  ExpectOpenUntil(kNow + kCooldown);
}

TEST_F(BreakerUpdate, AnUpdateEndsACooldownLongerThanAnyItAllows) {
  policy_.cooldown_ns = 60 * kSecond;
  Init();
  Open(kNow);
  policy_.cooldown_ns = kCooldown;
  Update();
  EXPECT_FALSE(Rejects(kNow));
  ProbeAt(kNow);
}

TEST_F(BreakerUpdate, AnUpdateSparesACooldownThatItAllowsAsGrown) {
  policy_.cooldown_ns = 60 * kSecond;
  Init();
  Open(kNow);
  policy_.cooldown_ns = kCooldown;
  policy_.max_cooldown_ns = 60 * kSecond;
  Update();
  ExpectOpenUntil(kNow + 60 * kSecond);
}

TEST_F(BreakerUpdate, AResetClosesIt) {
  rg_permit old = PermitAt(kNow);
  Open(kNow);
  rg_breaker_reset(&breaker_);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  EXPECT_FALSE(Rejects(kNow));
  EXPECT_EQ(Settle(&old, RG_RESULT_FAILURE, kNow), RG_SETTLED_STALE);
}

TEST_F(BreakerUpdate, AResetEmptiesTheWindow) {
  policy_.consecutive_failures = kMinRequests;
  Init();
  rg_permit old = PermitAt(kNow);
  Fail(kMinRequests - 1, kNow);
  rg_breaker_reset(&breaker_);
  EXPECT_EQ(Settle(&old, RG_RESULT_FAILURE, kNow), RG_SETTLED_STALE);
  Fail(kMinRequests - 1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

TEST_F(BreakerUpdate, AResetEndsTheGrowthOfTheCooldown) {
  policy_.max_cooldown_ns = 60 * kSecond;
  Init();
  Open(kNow);
  Attempt(RG_RESULT_FAILURE, kNow + kCooldown);
  rg_breaker_reset(&breaker_);
  Open(kNow);
  Attempt(RG_RESULT_FAILURE, kNow + kCooldown);
  ExpectOpenUntil(kNow + kCooldown + 2 * kCooldown);
}

// There are fewer than 2^18 numbers for generations.
TEST_F(BreakerUpdate, WorksOnWhenGenerationsStartOver) {
  for (int i = 0; i < (1 << 18) - 3; i++) rg_breaker_reset(&breaker_);
  uint64_t now = kNow;
  for (int i = 0; i < 10; i++) {
    rg_permit old = PermitAt(now);
    Open(now);
    EXPECT_EQ(Settle(&old, RG_RESULT_FAILURE, now), RG_SETTLED_STALE);
    now += kCooldown;
    ExpectOpenUntil(now);
    rg_permit probe = ProbeAt(now);
    EXPECT_TRUE(Rejects(now));
    EXPECT_EQ(Settle(&probe, RG_RESULT_SUCCESS, now), RG_SETTLED_CLOSED);
  }
}

}  // namespace
