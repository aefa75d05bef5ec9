// SPDX-License-Identifier: Apache-2.0

// The breaker closed and open; breaker_probe_test.cc has it half-open,
// breaker_history_test.cc holds it against a naive model.
#include "core/breaker.h"

#include <gtest/gtest.h>

#include "support/breaker_fixture.h"

namespace {

class Breaker : public rg_test::BreakerFixture {};

// ---- The transition table ---------------------------------------------------

constexpr int kStates = 3;
constexpr int kEvents = 4;
constexpr int kNone = -1;

TEST(BreakerTable, HoldsForEveryStateAndEvent) {
  constexpr int kNext[kStates][kEvents] = {
      // TRIPPED, COOLDOWN_OVER, PROBE_SUCCEEDED, PROBE_FAILED
      {RG_BREAKER_OPEN, kNone, kNone, kNone},              // CLOSED
      {kNone, RG_BREAKER_HALF_OPEN, kNone, kNone},         // OPEN
      {kNone, kNone, RG_BREAKER_CLOSED, RG_BREAKER_OPEN},  // HALF_OPEN
  };
  for (int state = 0; state < kStates; state++) {
    for (int event = 0; event < kEvents; event++) {
      rg_breaker_state next = static_cast<rg_breaker_state>(state);
      const bool moves =
          rg_breaker_next(static_cast<rg_breaker_state>(state),
                          static_cast<rg_breaker_event>(event), &next);
      const int expected = kNext[state][event];
      EXPECT_EQ(moves, expected != kNone) << state << " " << event;
      EXPECT_EQ(next, expected == kNone ? state : expected)
          << state << " " << event;
    }
  }
}

// ---- Closed -----------------------------------------------------------------

TEST_F(Breaker, IsClosedWhenNew) {
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  for (uint64_t now : {UINT64_C(0), UINT64_C(1), kNow, UINT64_MAX}) {
    EXPECT_FALSE(Rejects(now));
    const rg_breaker_admission admission = Admit(now);
    EXPECT_TRUE(admission.admitted);
    EXPECT_FALSE(admission.half_opened);
    EXPECT_TRUE(admission.permit.held);
    EXPECT_EQ(admission.permit.place, 0);
  }
}

TEST_F(Breaker, ClosedAdmitsWithoutBeingToldTheTime) {
  rg_permit permit = {};
  EXPECT_TRUE(rg_breaker_admit_closed(&breaker_, &permit));
  EXPECT_TRUE(permit.held);
  EXPECT_EQ(permit.place, 0);
  EXPECT_EQ(permit.generation, PermitAt(kNow).generation);
}

TEST_F(Breaker, DisabledAdmitsWithoutAPermit) {
  policy_.disabled = true;
  Init();
  rg_permit permit = {};
  EXPECT_TRUE(rg_breaker_admit_closed(&breaker_, &permit));
  EXPECT_FALSE(permit.held);
}

TEST_F(Breaker, OpenAndHalfOpenAdmitNobodyWithoutTheTime) {
  for (int i = 0; i < kMinRequests; i++) Attempt(RG_RESULT_FAILURE, kNow);
  rg_permit permit = {};
  ASSERT_EQ(State(), RG_BREAKER_OPEN);
  EXPECT_FALSE(rg_breaker_admit_closed(&breaker_, &permit));
  EXPECT_FALSE(permit.held);
  PermitAt(kNow + kDay);
  ASSERT_EQ(State(), RG_BREAKER_HALF_OPEN);
  EXPECT_FALSE(rg_breaker_admit_closed(&breaker_, &permit));
}

TEST_F(Breaker, StaysClosedAtExactlyTheRatio) {
  Succeed(10, kNow);
  Fail(10, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

TEST_F(Breaker, OpensAboveTheRatio) {
  Succeed(9, kNow);
  Fail(10, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);  // 10 of 19: too few
  EXPECT_EQ(Attempt(RG_RESULT_FAILURE, kNow), RG_SETTLED_OPENED);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);  // 11 of 20
}

TEST_F(Breaker, TellsTheRatioToOneInAThousand) {
  policy_.failure_ratio_milli = 1;
  policy_.min_requests = 1000;
  Init();
  Succeed(999, kNow);
  Fail(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);  // 1 of 1000
  Fail(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);  // 2 of 1001
}

TEST_F(Breaker, StaysClosedWithFewerThanMinRequests) {
  Fail(kMinRequests - 1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  Fail(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(Breaker, OneRequestMayBeEnough) {
  policy_.min_requests = 1;
  Init();
  Fail(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(Breaker, WithARatioOfOneItNeverOpensByRatio) {
  policy_.failure_ratio_milli = 1000;
  Init();
  Fail(1000, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

TEST_F(Breaker, WithARatioOfZeroOneFailureOpensIt) {
  policy_.failure_ratio_milli = 0;
  Init();
  Succeed(1000, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  Fail(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

// It brings the total up to minRequests.
TEST_F(Breaker, ASuccessMayOpenIt) {
  Fail(kMinRequests - 1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  Succeed(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(Breaker, NeutralResultsDoNotCount) {
  Attempts(1000, RG_RESULT_NEUTRAL, kNow);
  Fail(kMinRequests - 1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  Attempts(1000, RG_RESULT_NEUTRAL, kNow);
  Fail(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(Breaker, ForgetsWhatHasLeftTheWindow) {
  Fail(kMinRequests - 1, kNow);
  const uint64_t later = kNow + policy_.window_ns;
  Succeed(10, later);
  Fail(10, later);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);  // 10 of 20, not 29 of 39
  Fail(1, later);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(Breaker, RemembersForNineTenthsOfTheWindow) {
  Fail(kMinRequests - 1, kNow);
  Fail(1, kNow + policy_.window_ns / 10 * 9);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(Breaker, ADayOfSilenceEmptiesTheWindow) {
  Fail(kMinRequests - 1, kNow);
  Fail(kMinRequests - 1, kNow + kDay);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

TEST_F(Breaker, OpensAfterSoManyFailuresInARow) {
  policy_.consecutive_failures = 3;
  Init();
  Succeed(1000, kNow);
  Fail(2, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  Fail(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(Breaker, ASuccessEndsTheRowANeutralResultDoesNot) {
  policy_.consecutive_failures = 3;
  Init();
  Fail(2, kNow);
  Succeed(1, kNow);
  Fail(2, kNow);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  Attempts(1, RG_RESULT_NEUTRAL, kNow);
  Fail(1, kNow);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(Breaker, ARowHasNoTimeLimit) {
  policy_.consecutive_failures = 3;
  Init();
  for (uint64_t day = 0; day < 3; day++) {
    EXPECT_EQ(State(), RG_BREAKER_CLOSED);
    Fail(1, kNow + day * kDay);
  }
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(Breaker, ARowBeginsAnewAfterClosing) {
  policy_.consecutive_failures = 3;
  Init();
  Fail(3, kNow);
  EXPECT_EQ(Attempt(RG_RESULT_SUCCESS, kNow + kCooldown), RG_SETTLED_CLOSED);
  Fail(2, kNow + kCooldown);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

// ---- Settling ---------------------------------------------------------------

TEST_F(Breaker, SettlingTwiceCountsOnce) {
  for (int i = 0; i < kMinRequests - 1; i++) {
    rg_permit permit = PermitAt(kNow);
    for (int n = 0; n < 3; n++) {
      EXPECT_EQ(Settle(&permit, RG_RESULT_FAILURE, kNow), RG_SETTLED);
      EXPECT_FALSE(permit.held);
    }
  }
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

TEST_F(Breaker, APermitThatIsNotHeldIsIgnored) {
  Fail(kMinRequests - 1, kNow);
  rg_permit none = {};
  EXPECT_EQ(Settle(&none, RG_RESULT_FAILURE, kNow), RG_SETTLED);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

TEST_F(Breaker, ResultsOfAnEarlierGenerationAreStale) {
  rg_permit old[3][2];
  for (auto &pair : old)
    for (rg_permit &permit : pair) permit = PermitAt(kNow);
  Open(kNow);
  EXPECT_EQ(Settle(&old[0][0], RG_RESULT_SUCCESS, kNow), RG_SETTLED_STALE);
  EXPECT_EQ(Settle(&old[0][1], RG_RESULT_FAILURE, kNow), RG_SETTLED_STALE);
  ExpectOpenUntil(kNow + kCooldown);

  rg_permit probe = ProbeAt(kNow + kCooldown);
  EXPECT_EQ(Settle(&old[1][0], RG_RESULT_SUCCESS, kNow), RG_SETTLED_STALE);
  EXPECT_EQ(Settle(&old[1][1], RG_RESULT_FAILURE, kNow), RG_SETTLED_STALE);
  EXPECT_EQ(State(), RG_BREAKER_HALF_OPEN);

  Settle(&probe, RG_RESULT_SUCCESS, kNow + kCooldown);
  Fail(kMinRequests - 1, kNow + kCooldown);
  EXPECT_EQ(Settle(&old[2][0], RG_RESULT_FAILURE, kNow + kCooldown),
            RG_SETTLED_STALE);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

TEST_F(Breaker, NeutralResultsAreNeverStale) {
  rg_permit old = PermitAt(kNow);
  Open(kNow);
  EXPECT_EQ(Settle(&old, RG_RESULT_NEUTRAL, kNow), RG_SETTLED);
}

// ---- Open -------------------------------------------------------------------

TEST_F(Breaker, StaysOpenUntilTheCooldownElapses) {
  Open(kNow);
  EXPECT_TRUE(Rejects(kNow));
  ExpectOpenUntil(kNow + kCooldown);
}

// It counts in ms: what began within one ends with one.
TEST_F(Breaker, TheCooldownIsRoundedUpToMilliseconds) {
  for (uint64_t into_ms : {UINT64_C(1), kMs / 2, kMs - 1}) {
    Init();
    Open(kNow + into_ms);
    ExpectOpenUntil(kNow + kCooldown + kMs);
  }
}

TEST_F(Breaker, SaysHowMuchOfTheCooldownIsLeft) {
  Open(kNow);
  const rg_breaker_admission at_once = Admit(kNow);
  EXPECT_FALSE(at_once.admitted);
  EXPECT_FALSE(at_once.permit.held);
  EXPECT_EQ(at_once.left_ns, kCooldown);
  EXPECT_EQ(Admit(kNow + kCooldown - 1).left_ns, 1u);
}

TEST_F(Breaker, LooksAsWhoeverAsksWouldFindIt) {
  const auto look = [this](uint64_t now) {
    return rg_breaker_look_at(&breaker_, now);
  };
  EXPECT_EQ(look(kNow).state, RG_BREAKER_CLOSED);
  Open(kNow);
  EXPECT_EQ(look(kNow + kMs).state, RG_BREAKER_OPEN);
  EXPECT_EQ(look(kNow + kMs).left_ns, kCooldown - kMs);
  EXPECT_EQ(look(kNow + kCooldown).state, RG_BREAKER_HALF_OPEN)
      << "nobody has asked";
  EXPECT_EQ(look(kNow + kCooldown).left_ns, 0u);
  EXPECT_EQ(State(), RG_BREAKER_OPEN) << "to look changes nothing";
  PermitAt(kNow + kCooldown);
  EXPECT_EQ(look(kNow + kCooldown).state, RG_BREAKER_HALF_OPEN);
  policy_.disabled = true;
  Update();
  EXPECT_EQ(look(kNow + kCooldown).state, RG_BREAKER_CLOSED);
}

TEST_F(Breaker, TheCooldownIsLengthenedAtRandom) {
  policy_.cooldown_jitter_milli = 200;
  Init();
  Open(kNow, kShortest);
  ExpectOpenUntil(kNow + 5 * kSecond);
  Init();
  Open(kNow, UINT64_MAX / 2);
  ExpectOpenUntil(kNow + 5500 * kMs);
  Init();
  Open(kNow, kLongest);
  ExpectOpenUntil(kNow + 6 * kSecond);
}

TEST_F(Breaker, TheCooldownDoublesUpToItsMaximumAndStartsAnewAfterClosing) {
  policy_.max_cooldown_ns = 60 * kSecond;
  Init();
  uint64_t now = kNow;
  for (int round = 0; round < 2; round++) {
    Open(now);
    for (uint64_t seconds : {5u, 10u, 20u, 40u, 60u, 60u, 60u}) {
      now += seconds * kSecond;
      ExpectOpenUntil(now);
      EXPECT_EQ(Attempt(RG_RESULT_FAILURE, now), RG_SETTLED_OPENED);
    }
    now += 60 * kSecond;
    EXPECT_EQ(Attempt(RG_RESULT_SUCCESS, now), RG_SETTLED_CLOSED);
  }
}

TEST_F(Breaker, TheLongestCooldownIsLengthenedToo) {
  policy_.max_cooldown_ns = 2 * kCooldown;
  policy_.cooldown_jitter_milli = 1000;
  Init();
  Open(kNow);
  const uint64_t end = kNow + kCooldown;
  EXPECT_EQ(Attempt(RG_RESULT_FAILURE, end, kLongest), RG_SETTLED_OPENED);
  ExpectOpenUntil(end + 4 * kCooldown);
}

TEST_F(Breaker, WithoutAHigherMaximumTheCooldownStaysTheSame) {
  for (uint64_t max : {UINT64_C(0), UINT64_C(1), kCooldown}) {
    policy_.max_cooldown_ns = max;
    Init();
    Open(kNow);
    for (uint64_t i = 1; i <= 5; i++) {
      ExpectOpenUntil(kNow + i * kCooldown);
      EXPECT_EQ(Attempt(RG_RESULT_FAILURE, kNow + i * kCooldown),
                RG_SETTLED_OPENED);
    }
  }
}

TEST_F(Breaker, AfterADayOpenItAdmitsAProbe) {
  Open(kNow);
  EXPECT_FALSE(Rejects(kNow + kDay));
  ProbeAt(kNow + kDay);
  EXPECT_TRUE(Rejects(kNow + kDay));
}

// ---- Time that steps --------------------------------------------------------

TEST_F(Breaker, TimeThatStepsBackADayDoesNotKeepItOpenForADay) {
  Open(kNow);
  EXPECT_FALSE(Rejects(kNow - kDay));
  ProbeAt(kNow - kDay);
}

// Each thread samples the time on its own and may be held up before it asks.
TEST_F(Breaker, ATimeSampledALittleEarlierDoesNotEndTheCooldown) {
  Open(kNow);
  for (uint64_t behind : {UINT64_C(1), kMs, 10 * kMs, 100 * kMs, kSecond}) {
    EXPECT_TRUE(Rejects(kNow - behind)) << behind;
    EXPECT_FALSE(Admit(kNow - behind).admitted) << behind;
  }
  ExpectOpenUntil(kNow + kCooldown);
}

TEST_F(Breaker, WorksAtBothEndsOfTime) {
  constexpr uint64_t kLastMs = UINT64_MAX / kMs * kMs;
  for (uint64_t start :
       {UINT64_C(0), UINT64_C(1), kMs - 1, kMs, kSecond,
        (UINT64_C(1) << 63) - kSecond, (UINT64_C(1) << 44) * kMs - kSecond,
        kLastMs - 30 * 365 * kDay, kLastMs - kDay, kLastMs - kCooldown}) {
    Init();
    Open(start);
    EXPECT_TRUE(Rejects(start)) << start;
    const uint64_t end = (start + kMs - 1) / kMs * kMs + kCooldown;
    ExpectOpenUntil(end);
    EXPECT_EQ(Attempt(RG_RESULT_SUCCESS, end), RG_SETTLED_CLOSED) << start;
  }
}

TEST_F(Breaker, AtTheEndOfTimeItDoesNotStayOpen) {
  for (uint64_t start : {UINT64_MAX - kSecond, UINT64_MAX - 1, UINT64_MAX}) {
    Init();
    Open(start);
    EXPECT_FALSE(Rejects(UINT64_MAX)) << start;
    EXPECT_EQ(Attempt(RG_RESULT_SUCCESS, UINT64_MAX), RG_SETTLED_CLOSED);
  }
}

TEST_F(Breaker, TheLargestPolicyDoesNotOverflow) {
  policy_.window_ns = UINT64_MAX;
  policy_.cooldown_ns = UINT64_MAX;
  policy_.max_cooldown_ns = UINT64_MAX;
  policy_.cooldown_jitter_milli = 1000;
  policy_.probe_timeout_ns = UINT64_MAX;
  policy_.failure_ratio_milli = 999;
  policy_.min_requests = 1;
  Init();
  EXPECT_EQ(Attempt(RG_RESULT_FAILURE, kNow, kLongest), RG_SETTLED_OPENED);
  EXPECT_TRUE(Rejects(kNow));
  EXPECT_TRUE(Rejects(UINT64_MAX - kSecond));
}

}  // namespace
