// SPDX-License-Identifier: Apache-2.0

// Attempts, those that gRPC makes in ways of its own among them.
#include <gtest/gtest.h>

#include <future>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"
#include "host/mark.h"

namespace rg_test {
namespace {

using AttemptFilter = Guarded;

// A bucket that nothing fills.
constexpr char kOneToken[] =
    R"({"budget":{"tokenBucket":{"maxTokens":1,"tokenRatio":0.001}}})";

// With one stream at a time the first call keeps the others waiting; when the
// server then asks for a new connection, they were never sent.
TEST_F(AttemptFilter, TransparentRetriesCostNothing) {
  std::promise<void> others_repeated;
  std::atomic<bool> first{true};
  std::future<void> repeated = others_repeated.get_future();
  Server server(
      [&](rg_rpc_incoming *incoming) {
        if (first.exchange(false)) repeated.wait();
        Reply(incoming, Ok());
      },
      {{GRPC_ARG_MAX_CONCURRENT_STREAMS, 1},
       {GRPC_ARG_MAX_CONNECTION_AGE_MS, 200}});
  Client client(server.address(), Config().Guard(kOneToken).Json());
  std::vector<Pending> calls;
  for (int i = 0; i < 10; i++) calls.push_back(client.Start());
  EXPECT_TRUE(
      Eventually([&] { return client.Stats().transparent_retries >= 9; }));
  others_repeated.set_value();
  for (Pending &call : calls) EXPECT_EQ(call.Get().status, GRPC_STATUS_OK);
  EXPECT_EQ(server.attempts(), 10u);
  retry_guard_stats stats = client.Stats();
  EXPECT_EQ(stats.calls, 10u);
  EXPECT_EQ(stats.attempts, 10u);
  EXPECT_EQ(stats.retries, 0u);
  EXPECT_EQ(stats.undecided_retries, 0u);
  EXPECT_EQ(stats.tokens_outstanding, 0u);
  EXPECT_EQ(stats.budget_milli, 1000u);
  for (uint64_t stops : stats.stops) EXPECT_EQ(stops, 0u);
}

// ---- perAttemptRecvTimeout --------------------------------------------------

constexpr char kTimeout[] = R"(,"perAttemptRecvTimeout":"0.05s")";
const std::pair<const char *, int> kHedging = {
    GRPC_ARG_EXPERIMENTAL_ENABLE_HEDGING, 1};

// These retries ask nobody beforehand.
TEST_F(AttemptFilter, RetriesOfAttemptsThatTimedOutStayWithinTheBudget) {
  Server server(rg_rpc_hang);
  Client client(server.address(), Config().Attempts(5).More(kTimeout).Json(),
                {kHedging});
  for (const Result &result : client.Calls(50)) {
    EXPECT_EQ(result.status, GRPC_STATUS_UNAVAILABLE);
    EXPECT_EQ(result.details, "retry_guard: no retry to dns:///" +
                                  std::string(server.address()) + ": budget");
    EXPECT_TRUE(result.trailing.Values(kPushback).empty());
  }
  EXPECT_LE(server.attempts(), 51u);
  retry_guard_stats stats = client.Stats();
  EXPECT_EQ(stats.calls, 50u);
  EXPECT_EQ(stats.retries, 1u);
  EXPECT_EQ(stats.attempts, 51u);
  EXPECT_EQ(stats.undecided_retries, 1u);
  EXPECT_EQ(stats.rejected_retries, 50u);
  EXPECT_EQ(stats.stops[RETRY_GUARD_STOP_BUDGET], 50u);
  EXPECT_EQ(stats.tokens_outstanding, 0u);
}

TEST_F(AttemptFilter, ARetryAfterATimeoutCanSucceed) {
  Server server([](rg_rpc_incoming *incoming) {
    if (rg_rpc_previous_attempts(incoming->metadata) == 0)
      rg_rpc_hang(incoming);
    else
      Reply(incoming, Ok());
  });
  Client client(server.address(), Config().More(kTimeout).Json(), {kHedging});
  EXPECT_EQ(client.Call().status, GRPC_STATUS_OK);
  EXPECT_EQ(client.Stats().retries, 1u);
  EXPECT_EQ(client.Stats().undecided_retries, 1u);
}

constexpr char kManyTokens[] =
    R"({"budget":{"tokenBucket":{"initialTokens":1000}}})";

// The attempt that timed out ends CANCELLED, after gRPC gave up on it, and
// possibly after the whole call has ended.
TEST_F(AttemptFilter, AnAttemptThatEndsAfterItsCallHoldsNoToken) {
  Server server(rg_rpc_hang);
  Client client(server.address(),
                Config()
                    .Attempts(5)
                    .Backoff("3600s")
                    .Codes(R"(["UNAVAILABLE","CANCELLED"])")
                    .More(kTimeout)
                    .Guard(kManyTokens)
                    .Json(),
                {kHedging});
  Request request;
  for (request.timeout_ms = 48; request.timeout_ms < 54; request.timeout_ms++)
    client.Calls(100, request);
  EXPECT_EQ(client.Stats().tokens_outstanding, 0u);
  EXPECT_EQ(client.Stats().budget_milli, 1000000u);
}

// The call's own deadline ends it, and only then the attempt, with a status
// that would be retried. (On a busy machine the server's deadline may come
// first, and then there is a retry, which is paid for.)
TEST_F(AttemptFilter, AnAttemptThatEndsByTheCallsDeadlineHoldsNoToken) {
  Server server(rg_rpc_hang);
  Config config;
  config.Codes(R"(["DEADLINE_EXCEEDED"])").Guard(kManyTokens);
  Client witness(server.address(), config.Json());
  Request request;
  request.timeout_ms = 50;
  {
    Client client(server.address(), config.Json());
    for (const Result &result : client.Calls(50, request))
      EXPECT_EQ(result.status, GRPC_STATUS_DEADLINE_EXCEEDED);
  }
  retry_guard_stats stats = witness.Stats();
  EXPECT_EQ(stats.tokens_outstanding, 0u);
  EXPECT_EQ(stats.budget_milli, 1000000u - 1000 * stats.retries);
}

// ---- Marks ------------------------------------------------------------------

TEST_F(AttemptFilter, EveryAttemptIsMarkedWithItsNumberAndTheLayersName) {
  std::vector<std::string> marks;
  Server server([&](rg_rpc_incoming *incoming) {
    for (const std::string &value :
         Entries(*incoming->metadata).Values(RG_MARK_KEY))
      marks.push_back(value);
    Reply(incoming);
  });
  Client client(server.address(), Config().Guard(kUnlimited).Json());
  client.Call();
  ASSERT_EQ(marks.size(), 3u);
  for (uint32_t i = 0; i < 3; i++) {
    rg_mark mark{};
    ASSERT_TRUE(rg_mark_decode(marks[i].data(), marks[i].size(), &mark));
    EXPECT_EQ(mark.attempt, i + 1);
    EXPECT_EQ(mark.hops, 0u);
    EXPECT_EQ(std::string(mark.owner, mark.owner_length), kLayerName);
  }
  EXPECT_EQ(client.Stats().marks_made, 3u);
}

}  // namespace
}  // namespace rg_test
