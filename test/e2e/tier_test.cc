// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "e2e/tiers.h"

namespace {

TEST(Tier, CountsAttemptsByTheirNumber) {
  Tier leaf({});
  Tier edge = Above(leaf);
  RetryGuard__Test__Plan plan = Plan(GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(edge.Call(2, &plan), 0u);
  Counts counts = leaf.Read(true);
  ASSERT_NE(counts, nullptr);
  EXPECT_EQ(counts->requests, 6u);
  EXPECT_EQ(counts->by_attempt[0], 2u);
  EXPECT_EQ(counts->by_attempt[1], 2u);
  EXPECT_EQ(counts->by_attempt[2], 2u);
  EXPECT_EQ(counts->n_retry_arrivals_ns, 4u);
  EXPECT_EQ(counts->marked, 0u);
  EXPECT_EQ(leaf.Read()->requests, 0u);
}

TEST(Tier, RetriesMultiplyWithoutTheGuard) {
  Tier leaf({});
  Tier middle = Above(leaf);
  Tier front = Above(middle);
  Tier edge = Above(front);
  RetryGuard__Test__Plan plan = Plan(GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(edge.Call(1, &plan), 0u);
  EXPECT_EQ(leaf.Read()->requests, 27u);
}

TEST(Tier, APlanMayHoldForTheFirstAttemptsOnly) {
  Tier leaf({});
  Tier edge = Above(leaf);
  RetryGuard__Test__Plan plan = Plan(GRPC_STATUS_UNAVAILABLE);
  plan.attempts = 1;
  EXPECT_EQ(edge.Call(5, &plan), 5u);
  EXPECT_EQ(leaf.Read()->requests, 10u);
}

TEST(Tier, EarlyInitialMetadataAndPushbackEndTheCall) {
  Tier leaf({});
  Tier edge = Above(leaf);
  RetryGuard__Test__Plan committed = Plan(GRPC_STATUS_UNAVAILABLE);
  committed.early_initial_metadata = true;
  committed.delay_ms = 20;
  EXPECT_EQ(edge.Call(1, &committed), 0u);
  RetryGuard__Test__Plan told = Plan(GRPC_STATUS_UNAVAILABLE);
  told.pushback = const_cast<char *>("-1");
  EXPECT_EQ(edge.Call(1, &told), 0u);
  EXPECT_EQ(leaf.Read()->requests, 2u);
}

TEST(Tier, FailsForTheFirstRequestsAndAgainAfterAReset) {
  Tier leaf({"--fail", "UNAVAILABLE:3"});
  EXPECT_EQ(leaf.Call(5), 2u);
  EXPECT_EQ(leaf.Call(5), 5u);
  leaf.Read(true);
  EXPECT_EQ(leaf.Call(5), 2u);
}

TEST(Tier, HoldsRequestsUntilAllAreThere) {
  Tier leaf({"--hold", "20", "--fail", "UNAVAILABLE:20"});
  Tier edge = Above(leaf);
  EXPECT_EQ(edge.Call(20), 20u);
  Counts counts = leaf.Read();
  EXPECT_EQ(counts->requests, 40u);
  EXPECT_GT(counts->released_ns, 0u);
  ASSERT_EQ(counts->n_retry_arrivals_ns, 20u);
  EXPECT_GT(counts->retry_arrivals_ns[0], counts->released_ns);
}

TEST(Tier, AnswersWhatItHoldsWhenItIsTold) {
  Tier leaf({"--hold", "1000", "--fail", "UNAVAILABLE:5"});
  Tier edge = Above(leaf);
  edge.Start(5);
  while (leaf.Read()->requests < 5) {
  }
  EXPECT_TRUE(leaf.Release());
  EXPECT_EQ(edge.Call(1), 1u);
  EXPECT_EQ(leaf.Read()->requests, 11u);
}

TEST(Tier, EndsWellWithACallThatItStillHolds) {
  Tier leaf({"--hold", "2"});
  rg_rpc_channel *channel =
      rg_rpc_channel_new(leaf.address().c_str(), nullptr, nullptr);
  rg_rpc_request request{};
  request.method = "/retry_guard.test.Echo/Call";
  request.timeout_ms = 200;
  rg_rpc_result *result = rg_rpc_call(channel, &request);
  EXPECT_EQ(result->status, GRPC_STATUS_DEADLINE_EXCEEDED);
  rg_rpc_result_destroy(result);
  rg_rpc_channel_destroy(channel);
}

TEST(Tier, APausedTierAnswersOnceItIsResumed) {
  Tier leaf({});
  rg_process_pause(leaf.process());
  rg_process_resume(leaf.process());
  EXPECT_EQ(leaf.Call(3), 3u);
}

}  // namespace
