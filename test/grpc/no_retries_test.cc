// SPDX-License-Identifier: Apache-2.0

// Where gRPC has ruled retries out, the guard takes no token and touches
// nothing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"
#include "host/mark.h"

namespace rg_test {
namespace {

// What attempts say of those before them, and their marks.
struct Seen {
  std::vector<std::string> previous;
  size_t marks = 0;
};

class NoRetries : public Guarded {
 protected:
  void OnCall(rg_rpc_incoming *incoming) {
    Entries metadata(*incoming->metadata);
    for (const std::string &value :
         metadata.Values("grpc-previous-rpc-attempts"))
      seen_.previous.push_back(value);
    seen_.marks += metadata.Values(RG_MARK_KEY).size();
    Reply(incoming, Pushback("3"));
  }

  void ExpectNothingTaken(const Client &client) {
    retry_guard_stats stats = client.Stats();
    EXPECT_EQ(stats.retries, 0u);
    EXPECT_EQ(stats.undecided_retries, 0u);
    EXPECT_EQ(stats.budget_milli, 1000u);
    EXPECT_EQ(stats.tokens_outstanding, 0u);
    for (uint64_t stops : stats.stops) EXPECT_EQ(stops, 0u);
  }

  Seen seen_;
  Server server_{[this](rg_rpc_incoming *incoming) { OnCall(incoming); }};
  Request foreign_ = [] {
    Request request;
    request.metadata = {{"grpc-previous-rpc-attempts", "4"}};
    return request;
  }();
};

TEST_F(NoRetries, WhereTheChannelHasThemDisabled) {
  Client client(server_.address(), Config().Json(),
                {{GRPC_ARG_ENABLE_RETRIES, 0}});
  Result result = client.Call();
  EXPECT_EQ(result.status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(result.trailing.Values(kPushback), std::vector<std::string>{"3"});
  EXPECT_EQ(client.Stats().calls, 1u);
  EXPECT_EQ(client.Stats().attempts, 1u);
  EXPECT_EQ(seen_.marks, 0u);
  ExpectNothingTaken(client);
}

TEST_F(NoRetries, WhereTheChannelHasThemDisabledWhateverCountIsForwarded) {
  Client client(server_.address(), Config().Json(),
                {{GRPC_ARG_ENABLE_RETRIES, 0}});
  client.Call(foreign_);
  EXPECT_EQ(seen_.previous, std::vector<std::string>{"4"});
  EXPECT_EQ(client.Stats().attempts, 1u);
  ExpectNothingTaken(client);
}

TEST_F(NoRetries, WithAMessageTooLargeToKeep) {
  Client client(server_.address(), Config().Json());
  foreign_.message = std::string(300 << 10, 'x');
  Result result = client.Call(foreign_);
  EXPECT_EQ(result.status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(result.trailing.Values(kPushback), std::vector<std::string>{"3"});
  EXPECT_EQ(seen_.previous, std::vector<std::string>{"4"});
  EXPECT_EQ(server_.attempts(), 1u);
  EXPECT_EQ(client.Stats().calls, 1u);
  EXPECT_EQ(client.Stats().attempts, 1u);
  ExpectNothingTaken(client);
}

TEST_F(NoRetries, WithAMessageTooLargeForWhatTheChannelSets) {
  Client client(server_.address(), Config().Json(),
                {{GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE, 2000}});
  Request request;
  request.message = std::string(2001, 'x');
  client.Call(request);
  ExpectNothingTaken(client);
}

TEST_F(NoRetries, ButOneWithAMessageThatFits) {
  Client client(server_.address(), Config().Json());
  Request request;
  request.message = std::string(128 << 10, 'x');
  client.Call(request);
  EXPECT_EQ(server_.attempts(), 2u);
  EXPECT_EQ(client.Stats().retries, 1u);
}

TEST_F(NoRetries, BeyondTheBudgetWhateverCountIsForwarded) {
  Client client(server_.address(), Config().Attempts(5).Json());
  client.Call(foreign_);
  EXPECT_EQ(seen_.previous, std::vector<std::string>{"1"});
  EXPECT_EQ(client.Stats().attempts, 2u);
}

TEST_F(NoRetries, AfterEarlyInitialMetadata) {
  Server server([](rg_rpc_incoming *incoming) {
    Answer answer = Pushback("3");
    answer.early = true;
    answer.delay_ms = 100;
    Reply(incoming, answer);
  });
  Client client(server.address(), Config().Json());
  for (const Result &result : client.Calls(20)) {
    EXPECT_EQ(result.status, GRPC_STATUS_UNAVAILABLE);
    EXPECT_EQ(result.trailing.Values(kPushback), std::vector<std::string>{"3"});
  }
  EXPECT_EQ(server.attempts(), 20u);
  EXPECT_EQ(client.Stats().budget_milli, 1000u);
  EXPECT_EQ(client.Stats().stops[RETRY_GUARD_STOP_BUDGET], 0u);
}

}  // namespace
}  // namespace rg_test
