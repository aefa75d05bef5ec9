// SPDX-License-Identifier: Apache-2.0

// The budget's promises, kept on real channels.
#include <gtest/gtest.h>

#include <atomic>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"

namespace rg_test {
namespace {

using Budget = Guarded;

// A new target holds one token, and nobody earns another.
TEST_F(Budget, AnOutageOfAThousandCallsSeesOneRetry) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client client(server.address(), Config().Attempts(5).Json());
  for (const Result &result : client.Calls(1000))
    EXPECT_EQ(result.status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(server.attempts(), 1001u);
  retry_guard_stats stats = client.Stats();
  EXPECT_EQ(stats.calls, 1000u);
  EXPECT_EQ(stats.attempts, 1001u);
  EXPECT_EQ(stats.retries, 1u);
  EXPECT_EQ(stats.stops[RETRY_GUARD_STOP_BUDGET], 1000u);
  EXPECT_EQ(stats.tokens_outstanding, 0u);
  EXPECT_EQ(stats.budget_milli, 0u);
}

TEST_F(Budget, CallsThatSucceedPayForRetries) {
  std::atomic<bool> up{true};
  Server server([&](rg_rpc_incoming *incoming) {
    Reply(incoming, up ? Ok() : Answer());
  });
  const char kBucket[] = R"({"budget":{"tokenBucket":{
      "tokenRatio":0.6,"initialTokens":0,"burst":"3600s"}}})";
  Client client(server.address(), Config().Guard(kBucket).Json());
  client.Calls(100);
  EXPECT_EQ(client.Stats().budget_milli, 60000u);
  up = false;
  client.Calls(100);
  EXPECT_EQ(client.Stats().retries, 60u);
  EXPECT_EQ(server.attempts(), 260u);
}

TEST_F(Budget, IsSharedByAllChannelsToATarget) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  const std::string config = Config().Attempts(5).Json();
  Client one(server.address(), config);
  Client other(server.address(), config);
  one.Calls(50);
  other.Calls(50);
  EXPECT_EQ(server.attempts(), 101u);
  EXPECT_EQ(one.Stats().calls, 100u);
}

// The retries that wait in backoff count, so the crowd cannot slip through
// together. An interval of an hour keeps a slow machine from sliding it.
TEST_F(Budget, AThousandCallsThatFailTogetherShareAWindowOfTwentyPercent) {
  Inbox inbox;
  std::atomic<uint64_t> retries{0};
  Server server([&, first = inbox.Handler()](rg_rpc_incoming *incoming) {
    if (rg_rpc_previous_attempts(incoming->metadata) == 0) {
      first(incoming);
      return;
    }
    retries++;
    Reply(incoming);
  });
  const char kWindow[] = R"({"budget":{"window":{"percent":20,
      "interval":"3600s","minRetryRate":{"count":0}}}})";
  Client client(server.address(), Config().Attempts(5).Guard(kWindow).Json());
  std::vector<Pending> calls;
  for (int i = 0; i < 1000; i++) calls.push_back(client.Start());
  for (rg_rpc_incoming *incoming : inbox.Take(1000)) Reply(incoming);
  for (Pending &call : calls)
    EXPECT_EQ(call.Get().status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(retries, 200u);
  retry_guard_stats stats = client.Stats();
  EXPECT_EQ(stats.retries, 200u);
  EXPECT_EQ(stats.attempts, 1200u);
  // But for at most 50 calls that had four retries and were through.
  EXPECT_GE(stats.stops[RETRY_GUARD_STOP_BUDGET], 950u);
  EXPECT_LE(stats.stops[RETRY_GUARD_STOP_BUDGET], 1000u);
  EXPECT_EQ(stats.tokens_outstanding, 0u);
}

}  // namespace
}  // namespace rg_test
