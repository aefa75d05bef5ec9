// SPDX-License-Identifier: Apache-2.0
#include "core/outcome.h"

#include <gtest/gtest.h>

namespace {

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

}  // namespace
