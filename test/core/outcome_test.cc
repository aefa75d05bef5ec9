// SPDX-License-Identifier: Apache-2.0
#include "core/outcome.h"

#include <gtest/gtest.h>

namespace {

// ---- Transparent retries ----------------------------------------------------

bool IsTransparent(rg_network network, bool committed, bool not_seen_before) {
  rg_outcome outcome = {};
  outcome.status = 14;
  outcome.network = network;
  outcome.committed = committed;
  return rg_outcome_is_transparent(&outcome, not_seen_before);
}

TEST(Outcome, AnAttemptThatMayHaveReachedTheServerIsNotTransparent) {
  EXPECT_FALSE(IsTransparent(RG_NETWORK_UNKNOWN, false, false));
  EXPECT_FALSE(IsTransparent(RG_NETWORK_UNKNOWN, false, true));
}

TEST(Outcome, AnAttemptThatWasNotSentIsAlwaysTransparent) {
  EXPECT_TRUE(IsTransparent(RG_NETWORK_NOT_SENT, false, false));
  EXPECT_TRUE(IsTransparent(RG_NETWORK_NOT_SENT, false, true));
}

TEST(Outcome, AnAttemptThatWasNotSeenIsTransparentOncePerCall) {
  EXPECT_TRUE(IsTransparent(RG_NETWORK_NOT_SEEN, false, false));
  EXPECT_FALSE(IsTransparent(RG_NETWORK_NOT_SEEN, false, true));
}

TEST(Outcome, ACommittedCallIsNeverRepeatedTransparently) {
  for (rg_network network :
       {RG_NETWORK_UNKNOWN, RG_NETWORK_NOT_SENT, RG_NETWORK_NOT_SEEN}) {
    EXPECT_FALSE(IsTransparent(network, true, false)) << network;
    EXPECT_FALSE(IsTransparent(network, true, true)) << network;
  }
}

// ---- What it says about the server ------------------------------------------

// UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL, UNAVAILABLE.
constexpr uint32_t kFailures =
    1u << 2 | 1u << 4 | 1u << 8 | 1u << 13 | 1u << 14;

rg_outcome Outcome(uint32_t status) {
  rg_outcome outcome = {};
  outcome.status = status;
  return outcome;
}

rg_result Result(const rg_outcome &outcome, uint32_t failure_codes) {
  return rg_outcome_result(&outcome, failure_codes);
}

TEST(Outcome, AStatusInTheSetIsAFailureAndAnyOtherASuccess) {
  for (uint32_t status = 0; status < 32; status++) {
    const bool listed = (kFailures >> status & 1) != 0;
    EXPECT_EQ(Result(Outcome(status), kFailures),
              listed ? RG_RESULT_FAILURE : RG_RESULT_SUCCESS)
        << status;
    EXPECT_EQ(Result(Outcome(status), 0), RG_RESULT_SUCCESS) << status;
    EXPECT_EQ(Result(Outcome(status), UINT32_MAX), RG_RESULT_FAILURE) << status;
  }
}

TEST(Outcome, AStatusOutsideTheSetsRangeIsASuccess) {
  for (uint32_t status : {32u, 33u, 32u + RG_STATUS_UNAVAILABLE, UINT32_MAX})
    EXPECT_EQ(Result(Outcome(status), UINT32_MAX), RG_RESULT_SUCCESS) << status;
}

TEST(Outcome, WhatThisProcessMadeIsNeutral) {
  for (uint32_t status = 0; status < 32; status++) {
    rg_outcome outcome = Outcome(status);
    outcome.local = true;
    EXPECT_EQ(Result(outcome, kFailures), RG_RESULT_NEUTRAL) << status;
  }
}

// A server may cancel as well; that it answers shows that it works.
TEST(Outcome, ACancellationIsNeutralOnlyWhenTheClientMadeIt) {
  rg_outcome outcome = Outcome(RG_STATUS_CANCELLED);
  EXPECT_EQ(Result(outcome, kFailures), RG_RESULT_SUCCESS);
  outcome.local = true;
  EXPECT_EQ(Result(outcome, kFailures), RG_RESULT_NEUTRAL);
}

TEST(Outcome, WhatTheServerDidNotSeeIsNeutral) {
  for (rg_network network : {RG_NETWORK_NOT_SENT, RG_NETWORK_NOT_SEEN}) {
    rg_outcome outcome = Outcome(RG_STATUS_UNAVAILABLE);
    outcome.network = network;
    EXPECT_EQ(Result(outcome, kFailures), RG_RESULT_NEUTRAL) << network;
  }
}

TEST(Outcome, CommitmentAndPushbackSayNothingAboutTheServer) {
  for (uint32_t status : {0u, 14u}) {
    rg_outcome outcome = Outcome(status);
    const rg_result plain = Result(outcome, kFailures);
    outcome.committed = true;
    outcome.pushback.kind = RG_PUSHBACK_STOP;
    EXPECT_EQ(Result(outcome, kFailures), plain) << status;
  }
}

}  // namespace
