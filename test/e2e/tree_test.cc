// SPDX-License-Identifier: Apache-2.0

// One retrying layer in a tree of processes: edge -> front -> middle -> leaf,
// three attempts each, and a leaf that always fails.
#include <gtest/gtest.h>

#include "e2e/tiers.h"

namespace {

const char kGuarded[] =
    R"({"retryGuard":{},"methodConfig":[{"name":[{"service":"retry_guard.test.Echo"}],
        "retryPolicy":{"maxAttempts":3,"initialBackoff":"0.01s",
        "maxBackoff":"0.01s","backoffMultiplier":1,
        "retryableStatusCodes":["UNAVAILABLE"]}}]})";

Tier GuardedAbove(const Tier &next) {
  return Tier({"--next", next.address(), "--service-config", kGuarded,
               "--guard", "--layer-name", "tier"});
}

// Requests that the leaf sees for one call to `edge` that fails there. Calls
// that succeed come first: they earn the tokens that retries cost.
uint64_t RequestsForOneCall(Tier *edge, Tier *leaf) {
  EXPECT_EQ(edge->Call(50), 50u);
  leaf->Read(true);
  RetryGuard__Test__Plan plan = Plan(GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(edge->Call(1, &plan), 0u);
  return leaf->Read()->requests;
}

TEST(Tree, GuardedTiersMakeThreeRequestsOfOne) {
  Tier leaf({});
  Tier middle = GuardedAbove(leaf);
  Tier front = GuardedAbove(middle);
  Tier edge = GuardedAbove(front);
  EXPECT_EQ(RequestsForOneCall(&edge, &leaf), 3u);
}

TEST(Tree, EveryAttemptIsMarkedTheFirstIncluded) {
  Tier leaf({});
  Tier middle = GuardedAbove(leaf);
  Tier edge = GuardedAbove(middle);
  EXPECT_EQ(RequestsForOneCall(&edge, &leaf), 3u);
  Counts counts = leaf.Read();
  EXPECT_EQ(counts->marked, 3u);
  EXPECT_EQ(counts->n_marks, 3u);
}

TEST(Tree, AMiddleTierInCppPassesTheMarkOn) {
  Tier leaf({});
  Tier middle({"--next", leaf.address(), "--service-config", kGuarded},
              RG_CPP_TIER_PATH);
  Tier front = GuardedAbove(middle);
  Tier edge = GuardedAbove(front);
  EXPECT_EQ(RequestsForOneCall(&edge, &leaf), 3u);
}

// Three requests for the first attempt of the edge, and one for each of its two
// retries: these carry gRPC's own attempt number, which counts as a mark.
TEST(Tree, AnUnguardedEdgeMakesFiveRequestsOfOne) {
  Tier leaf({});
  Tier middle = GuardedAbove(leaf);
  Tier front = GuardedAbove(middle);
  Tier edge = Above(front);
  EXPECT_EQ(RequestsForOneCall(&edge, &leaf), 5u);
}

TEST(Tree, TheOwnersNameTravelsWithTheMark) {
  Tier leaf({});
  Tier edge = GuardedAbove(leaf);
  EXPECT_EQ(edge.Call(1), 1u);
  Counts counts = leaf.Read();
  ASSERT_EQ(counts->n_marks, 1u);
  std::string mark(reinterpret_cast<const char *>(counts->marks[0].data),
                   counts->marks[0].len);
  EXPECT_NE(mark.find("tier"), std::string::npos);
}

}  // namespace
