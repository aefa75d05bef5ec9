// SPDX-License-Identifier: Apache-2.0

// The breaker half-open, and the threads that meet there.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "core/breaker.h"
#include "support/breaker_fixture.h"
#include "support/race.h"
#include "support/random.h"

namespace {

class BreakerProbe : public rg_test::BreakerFixture {
 protected:
  // The cooldown ends at kEnd.
  static constexpr uint64_t kEnd = kNow;

  BreakerProbe() { Cool(1); }

  void Cool(uint32_t probes) {
    policy_.probes = probes;
    Init();
    Open(kEnd - kCooldown);
  }
};

TEST_F(BreakerProbe, TheFirstAdmissionAfterTheCooldownIsAProbe) {
  const rg_breaker_admission admission = Admit(kEnd);
  EXPECT_TRUE(admission.admitted);
  EXPECT_TRUE(admission.half_opened);
  EXPECT_TRUE(admission.permit.held);
  EXPECT_EQ(admission.permit.place, 1);
  EXPECT_EQ(State(), RG_BREAKER_HALF_OPEN);
}

TEST_F(BreakerProbe, AskingWhetherItRejectsChangesNothing) {
  for (int i = 0; i < 3; i++) EXPECT_FALSE(Rejects(kEnd));
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
  ProbeAt(kEnd);
  for (int i = 0; i < 3; i++) EXPECT_TRUE(Rejects(kEnd));
  EXPECT_EQ(State(), RG_BREAKER_HALF_OPEN);
}

TEST_F(BreakerProbe, AsManyMayBeInFlightAsThePolicySays) {
  for (uint32_t probes = 1; probes <= RG_BREAKER_PROBES_MAX; probes++) {
    Cool(probes);
    for (uint32_t i = 0; i < probes; i++) {
      EXPECT_FALSE(Rejects(kEnd));
      const rg_breaker_admission admission = Admit(kEnd);
      EXPECT_TRUE(admission.admitted);
      EXPECT_EQ(admission.half_opened, i == 0);
      EXPECT_EQ(admission.permit.place, i + 1);
    }
    EXPECT_TRUE(Rejects(kEnd));
    const rg_breaker_admission admission = Admit(kEnd);
    EXPECT_FALSE(admission.admitted);
    EXPECT_FALSE(admission.permit.held);
    EXPECT_EQ(admission.left_ns, 0u);
  }
}

TEST_F(BreakerProbe, ASuccessClosesItWithAnEmptyWindow) {
  policy_.consecutive_failures = kMinRequests;
  Cool(1);
  EXPECT_EQ(Attempt(RG_RESULT_SUCCESS, kEnd), RG_SETTLED_CLOSED);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  Fail(kMinRequests - 1, kEnd);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  Fail(1, kEnd);
  EXPECT_EQ(State(), RG_BREAKER_OPEN);
}

TEST_F(BreakerProbe, AFailureOpensItAgain) {
  EXPECT_EQ(Attempt(RG_RESULT_FAILURE, kEnd), RG_SETTLED_OPENED);
  ExpectOpenUntil(kEnd + kCooldown);
}

TEST_F(BreakerProbe, ANeutralResultFreesThePlace) {
  for (int i = 0; i < 100; i++) {
    EXPECT_EQ(Attempt(RG_RESULT_NEUTRAL, kEnd), RG_SETTLED);
    EXPECT_EQ(State(), RG_BREAKER_HALF_OPEN);
    EXPECT_FALSE(Rejects(kEnd));
  }
}

TEST_F(BreakerProbe, ANeutralResultFreesOnePlaceAndNoOther) {
  Cool(3);
  rg_permit permits[3];
  for (rg_permit &permit : permits) permit = ProbeAt(kEnd);
  Settle(&permits[1], RG_RESULT_NEUTRAL, kEnd);
  EXPECT_EQ(ProbeAt(kEnd).place, 2);
  EXPECT_TRUE(Rejects(kEnd));
}

TEST_F(BreakerProbe, SettlingTwiceFreesThePlaceOnce) {
  rg_permit first = ProbeAt(kEnd);
  Settle(&first, RG_RESULT_NEUTRAL, kEnd);
  ProbeAt(kEnd);
  EXPECT_EQ(Settle(&first, RG_RESULT_FAILURE, kEnd), RG_SETTLED);
  EXPECT_TRUE(Rejects(kEnd));
  EXPECT_EQ(State(), RG_BREAKER_HALF_OPEN);
}

TEST_F(BreakerProbe, TheFirstResultDecidesAndTheOthersAreStale) {
  for (rg_result first : {RG_RESULT_SUCCESS, RG_RESULT_FAILURE}) {
    for (rg_result other : {RG_RESULT_SUCCESS, RG_RESULT_FAILURE}) {
      Cool(2);
      rg_permit a = ProbeAt(kEnd);
      rg_permit b = ProbeAt(kEnd);
      Settle(&b, first, kEnd);
      const rg_breaker_state state = State();
      EXPECT_EQ(state, first == RG_RESULT_SUCCESS ? RG_BREAKER_CLOSED
                                                  : RG_BREAKER_OPEN);
      EXPECT_EQ(Settle(&a, other, kEnd), RG_SETTLED_STALE);
      EXPECT_EQ(State(), state);
    }
  }
}

TEST_F(BreakerProbe, AProbeOfAnEarlierHalfOpenStateTakesNoPlace) {
  Cool(2);
  rg_permit slow = ProbeAt(kEnd);
  EXPECT_EQ(Attempt(RG_RESULT_FAILURE, kEnd), RG_SETTLED_OPENED);
  const uint64_t end = kEnd + kCooldown;
  ProbeAt(end);
  ProbeAt(end);
  EXPECT_TRUE(Rejects(end));
  EXPECT_EQ(Settle(&slow, RG_RESULT_SUCCESS, end), RG_SETTLED_STALE);
  EXPECT_EQ(State(), RG_BREAKER_HALF_OPEN);
  EXPECT_TRUE(Rejects(end));
}

// ---- Probes that are not settled --------------------------------------------

TEST_F(BreakerProbe, AProbeThatIsNotSettledInTimeFreesItsPlace) {
  ProbeAt(kEnd);
  EXPECT_TRUE(Rejects(kEnd + kProbeTimeout - 1));
  EXPECT_FALSE(Admit(kEnd + kProbeTimeout - 1).admitted);
  EXPECT_FALSE(Rejects(kEnd + kProbeTimeout));
  const rg_breaker_admission next = Admit(kEnd + kProbeTimeout);
  EXPECT_TRUE(next.admitted);
  EXPECT_FALSE(next.half_opened);
  EXPECT_TRUE(Rejects(kEnd + kProbeTimeout));
}

TEST_F(BreakerProbe, ProbesLostForADayDoNotKeepItHalfOpen) {
  ProbeAt(kEnd);
  EXPECT_FALSE(Rejects(kEnd + kDay));
  EXPECT_EQ(Attempt(RG_RESULT_SUCCESS, kEnd + kDay), RG_SETTLED_CLOSED);
}

TEST_F(BreakerProbe, TheResultOfAProbeThatWasReplacedIsStale) {
  for (rg_result late :
       {RG_RESULT_SUCCESS, RG_RESULT_FAILURE, RG_RESULT_NEUTRAL}) {
    Cool(1);
    rg_permit slow = ProbeAt(kEnd);
    const uint64_t now = kEnd + kProbeTimeout;
    rg_permit next = ProbeAt(now);
    EXPECT_EQ(Settle(&slow, late, now),
              late == RG_RESULT_NEUTRAL ? RG_SETTLED : RG_SETTLED_STALE);
    EXPECT_EQ(State(), RG_BREAKER_HALF_OPEN);
    EXPECT_TRUE(Rejects(now));  // the next one keeps the place
    EXPECT_EQ(Settle(&next, RG_RESULT_SUCCESS, now), RG_SETTLED_CLOSED);
  }
}

// Nobody asked meanwhile: late news are better than none.
TEST_F(BreakerProbe, TheResultOfALateProbeThatWasNotReplacedCounts) {
  rg_permit slow = ProbeAt(kEnd);
  EXPECT_EQ(Settle(&slow, RG_RESULT_SUCCESS, kEnd + kDay), RG_SETTLED_CLOSED);
  Cool(1);
  slow = ProbeAt(kEnd);
  EXPECT_EQ(Settle(&slow, RG_RESULT_FAILURE, kEnd + kDay), RG_SETTLED_OPENED);
  ExpectOpenUntil(kEnd + kDay + kCooldown);
}

TEST_F(BreakerProbe, TimeThatStepsBackADayDoesNotHoldAPlaceForADay) {
  ProbeAt(kEnd);
  EXPECT_FALSE(Rejects(kEnd - kDay));
  EXPECT_TRUE(Admit(kEnd - kDay).admitted);
}

TEST_F(BreakerProbe, ATimeSampledALittleEarlierDoesNotFreeAPlace) {
  ProbeAt(kEnd + kSecond);
  for (uint64_t behind : {UINT64_C(1), kMs, 10 * kMs, 100 * kMs, kSecond}) {
    EXPECT_TRUE(Rejects(kEnd + kSecond - behind)) << behind;
    EXPECT_FALSE(Admit(kEnd + kSecond - behind).admitted) << behind;
  }
}

// ---- Updates ----------------------------------------------------------------

TEST_F(BreakerProbe, AnUpdateMayAddPlaces) {
  ProbeAt(kEnd);
  policy_.probes = 2;
  Update();
  EXPECT_EQ(State(), RG_BREAKER_HALF_OPEN);
  ProbeAt(kEnd);
  EXPECT_TRUE(Rejects(kEnd));
}

TEST_F(BreakerProbe, AProbeWhosePlaceAnUpdateTookAwayStillCounts) {
  Cool(2);
  rg_permit first = ProbeAt(kEnd);
  rg_permit second = ProbeAt(kEnd);
  policy_.probes = 1;
  Update();
  Settle(&first, RG_RESULT_NEUTRAL, kEnd);
  EXPECT_EQ(Settle(&second, RG_RESULT_SUCCESS, kEnd), RG_SETTLED_CLOSED);
}

TEST_F(BreakerProbe, AResetMakesProbesStale) {
  rg_permit probe = ProbeAt(kEnd);
  rg_breaker_reset(&breaker_);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
  EXPECT_EQ(Settle(&probe, RG_RESULT_FAILURE, kEnd), RG_SETTLED_STALE);
  EXPECT_EQ(State(), RG_BREAKER_CLOSED);
}

TEST_F(BreakerProbe, DisabledMeanwhileItStillHearsOfItsProbes) {
  rg_permit probe = ProbeAt(kEnd);
  policy_.disabled = true;
  Update();
  EXPECT_FALSE(Rejects(kEnd));
  EXPECT_EQ(Settle(&probe, RG_RESULT_SUCCESS, kEnd), RG_SETTLED_CLOSED);
}

// ---- Threads ----------------------------------------------------------------

constexpr int kThreads = 64;
constexpr int kRounds = 20;

TEST_F(BreakerProbe, OfManyThreadsAtTheEndOfTheCooldownAsManyAreProbesAsMayBe) {
  for (int round = 0; round < kRounds; round++) {
    const int probes = round % 4 == 3 ? RG_BREAKER_PROBES_MAX : 1;
    Cool(static_cast<uint32_t>(probes));
    std::atomic<int> admitted{0};
    std::atomic<int> half_opened{0};
    rg_test::Race(kThreads, [&](int) {
      const rg_breaker_admission admission = Admit(kEnd);
      if (admission.half_opened) half_opened++;
      if (admission.admitted) admitted++;
    });
    ASSERT_EQ(admitted, probes) << round;
    ASSERT_EQ(half_opened, 1) << round;
  }
}

// Each has its own idea of the time.
TEST_F(BreakerProbe, OfThreadsWithDifferentTimesExactlyOneIsAProbe) {
  for (int round = 0; round < kRounds; round++) {
    Cool(1);
    std::atomic<int> admitted{0};
    rg_test::Race(kThreads, [&](int i) {
      const uint64_t now = kEnd + static_cast<uint64_t>(kThreads - i) * kMs;
      if (Admit(now).admitted) admitted++;
    });
    ASSERT_EQ(admitted, 1) << round;
  }
}

TEST_F(BreakerProbe, OfManyResultsAtOnceOneMovesIt) {
  for (int round = 0; round < kRounds; round++) {
    Cool(RG_BREAKER_PROBES_MAX);
    std::atomic<int> moved{0};
    std::atomic<int> stale{0};
    std::vector<rg_permit> permits;
    for (int i = 0; i < RG_BREAKER_PROBES_MAX; i++)
      permits.push_back(ProbeAt(kEnd));
    rg_test::Race(RG_BREAKER_PROBES_MAX, [&](int i) {
      const rg_settlement settlement =
          Settle(&permits[static_cast<size_t>(i)],
                 i % 2 == 0 ? RG_RESULT_SUCCESS : RG_RESULT_FAILURE, kEnd);
      (settlement == RG_SETTLED_STALE ? stale : moved)++;
    });
    ASSERT_EQ(moved, 1) << round;
    ASSERT_EQ(stale, RG_BREAKER_PROBES_MAX - 1) << round;
  }
}

// Every cooldown was opened once and ended once, every half-open state left
// once, and somebody was told.
TEST_F(BreakerProbe, ThreadsAreToldOfEachTransitionOnce) {
  policy_.consecutive_failures = 5;
  policy_.probes = 2;
  Init();
  std::atomic<uint64_t> clock{kNow};
  std::atomic<int> opened{0};
  std::atomic<int> half_opened{0};
  std::atomic<int> closed{0};
  std::atomic<int> reopened{0};
  rg_test::Race(8, [&](int i) {
    rg_test::Random random(static_cast<uint64_t>(i));
    for (int n = 0; n < 20000; n++) {
      rg_breaker_admission admission = Admit(clock += 10 * kMs);
      if (admission.half_opened) half_opened++;
      const bool is_probe = admission.permit.place > 0;
      const rg_result result = static_cast<rg_result>(random.Below(3));
      switch (Settle(&admission.permit, result, clock, random.Bits())) {
        case RG_SETTLED_OPENED:
          (is_probe ? reopened : opened)++;
          break;
        case RG_SETTLED_CLOSED:
          closed++;
          break;
        default:
          break;
      }
    }
  });
  EXPECT_GT(opened, 0);
  EXPECT_GT(reopened, 0);
  EXPECT_EQ(opened - closed, State() == RG_BREAKER_CLOSED ? 0 : 1);
  EXPECT_EQ(opened + reopened - half_opened,
            State() == RG_BREAKER_OPEN ? 1 : 0);
  EXPECT_EQ(half_opened - closed - reopened,
            State() == RG_BREAKER_HALF_OPEN ? 1 : 0);
}

// As a thread leaves it that ended the cooldown and was stopped before it
// emptied the window: the probe of another finds the failures that opened it.
TEST_F(BreakerProbe, AProbeOfAnotherThreadLeavesNoOldFailures) {
  policy_.probes = 2;
  Init();
  Open(kNow);
  ProbeAt(kNow + kCooldown);
  rg_window_add(&breaker_.total, kMinRequests, kNow);
  rg_window_add(&breaker_.failures, kMinRequests, kNow);
  breaker_.doubted = 1;
  breaker_.emptied_for = 0;
  rg_permit probe = ProbeAt(kNow + kCooldown);
  ASSERT_EQ(Settle(&probe, RG_RESULT_SUCCESS, kNow + kCooldown),
            RG_SETTLED_CLOSED);
  EXPECT_EQ(Attempt(RG_RESULT_FAILURE, kNow + kCooldown), RG_SETTLED);
}

}  // namespace
