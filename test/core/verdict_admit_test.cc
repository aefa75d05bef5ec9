// SPDX-License-Identifier: Apache-2.0

// A retry that gRPC begins on its own.
#include <gtest/gtest.h>

#include "core/verdict.h"
#include "support/verdict_fixture.h"

namespace {

class VerdictAdmit : public rg_test::VerdictFixture {
 protected:
  bool Admit(rg_stop *reason) {
    rg_token token = {};
    return rg_verdict_admit(&case_, kNow, &token, reason);
  }
};

TEST_F(VerdictAdmit, ARetryThatBeginsOnItsOwnTakesOneToken) {
  for (uint64_t left = kTokens; left > 0; left--) {
    rg_stop reason;
    EXPECT_TRUE(Admit(&reason));
    EXPECT_EQ(Tokens(), left - 1);
  }
  rg_stop reason;
  EXPECT_FALSE(Admit(&reason));
  EXPECT_EQ(reason, RG_STOP_BUDGET);
}

TEST_F(VerdictAdmit, TheTokenOfARetryThatBeginsOnItsOwnCanBeRefunded) {
  rg_stop reason;
  rg_token token = {};
  ASSERT_TRUE(rg_verdict_admit(&case_, kNow, &token, &reason));
  rg_budget_refund(&budget_, token);
  EXPECT_EQ(Tokens(), kTokens);
}

TEST_F(VerdictAdmit, WithoutABudgetARetryMayBeginOnItsOwn) {
  UseUpBudget();
  case_.budget = nullptr;
  rg_stop reason;
  rg_token token = {7, 7};
  EXPECT_TRUE(rg_verdict_admit(&case_, kNow, &token, &reason));
}

// It has begun: what the server asked for, and a delay, are past.
TEST_F(VerdictAdmit, ARetryThatBeginsOnItsOwnHeedsAllReasonsButItsDelays) {
  for (int spoilt = 0; spoilt < RG_STOP_COUNT; spoilt++) {
    SCOPED_TRACE(spoilt);
    Restore();
    Spoil(spoilt);
    const uint64_t before = Tokens();
    const bool heeded =
        spoilt != RG_STOP_PUSHBACK && spoilt != RG_STOP_DEADLINE;
    rg_stop reason;
    EXPECT_EQ(Admit(&reason), !heeded);
    EXPECT_EQ(Tokens(), heeded ? before : before - 1);
    if (heeded) {
      EXPECT_EQ(reason, spoilt);
    }
  }
}

TEST_F(VerdictAdmit, OfTwoReasonsAgainstItTheEarlierOneWins) {
  constexpr rg_stop kHeeded[] = {RG_STOP_LAYER, RG_STOP_UNSAFE,
                                 RG_STOP_COMPRESSED, RG_STOP_BREAKER,
                                 RG_STOP_BUDGET};
  for (rg_stop later : kHeeded) {
    for (rg_stop earlier : kHeeded) {
      if (earlier >= later) continue;
      SCOPED_TRACE(testing::Message() << earlier << " " << later);
      Restore();
      Spoil(later);
      Spoil(earlier);
      rg_stop reason;
      EXPECT_FALSE(Admit(&reason));
      EXPECT_EQ(reason, earlier);
    }
  }
}

}  // namespace
