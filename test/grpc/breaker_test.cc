// SPDX-License-Identifier: Apache-2.0

// The circuit breaker on real channels.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/resetting_server.h"
#include "grpc/server.h"

namespace rg_test {
namespace {

using Breaker = Guarded;

// Open for longer than a test takes.
constexpr char kLong[] = R"({"cooldown":"3600s"})";
// Open for a moment; tests that use it wait for what they want to see.
constexpr char kShort[] =
    R"({"cooldown":"0.1s","cooldownJitter":0,"probeTimeout":"3600s"})";

Config WithBreaker(const std::string &breaker) {
  return Config().NoRetryPolicy().Breaker(breaker);
}

Answer With(grpc_status_code status) {
  Answer answer;
  answer.status = status;
  return answer;
}

// Makes `count` calls one after the other; returns what the last one said.
Result CallInTurn(Client *client, int count) {
  for (int i = 1; i < count; i++) client->Call();
  return client->Call();
}

bool IsOpen(const Client &client) {
  return client.Stats().breaker_state == RETRY_GUARD_BREAKER_OPEN;
}

TEST_F(Breaker, LetsTwentyOfAThousandCallsThroughToAServerThatIsDown) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client client(server.address(), Config()
                                      .Attempts(5)
                                      .Guard(R"({"budget":{"tokenBucket":{
                                          "initialTokens":0}}})")
                                      .Breaker(kLong)
                                      .Json());
  Result last = CallInTurn(&client, 1000);
  EXPECT_EQ(server.attempts(), 20u);
  EXPECT_EQ(last.status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_NE(last.details.find(server.address()), std::string::npos);
  EXPECT_NE(last.details.find("circuit breaker"), std::string::npos);
  retry_guard_stats stats = client.Stats();
  EXPECT_EQ(stats.breaker_rejections, 980u);
  EXPECT_EQ(stats.breaker_opened, 1u);
  EXPECT_EQ(stats.retries, 0u);
  EXPECT_EQ(stats.tokens_outstanding, 0u);
}

TEST_F(Breaker, ARejectionIsNotRetriedAndCostsNoToken) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client client(server.address(),
                Config().Attempts(5).Guard(kUnlimited).Breaker(kLong).Json());
  while (!IsOpen(client)) client.Call();
  uint64_t attempts = server.attempts();
  retry_guard_stats before = client.Stats();
  EXPECT_EQ(client.Call().status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(server.attempts(), attempts);
  EXPECT_EQ(client.Stats().retries, before.retries);
  EXPECT_EQ(client.Stats().breaker_rejections, before.breaker_rejections + 1);
}

// The client sees at its end that nothing holds its channel any more.
TEST_F(Breaker, ARejectedCallDoesNotLiveUntilItsDeadline) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client client(server.address(), WithBreaker(kLong).Json());
  while (!IsOpen(client)) client.Call();
  Request request;
  request.timeout_ms = 3600000;
  EXPECT_EQ(client.Call(request).status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(client.Stats().breaker_rejections, 1u);
}

// The failure that opens the breaker ends its own call: the retry is stopped.
TEST_F(Breaker, StopsTheRetryOfTheCallThatTrippedIt) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client client(server.address(),
                Config()
                    .Attempts(5)
                    .Guard(kUnlimited)
                    .Breaker(R"({"consecutiveFailures":3,"cooldown":"3600s"})")
                    .Json());
  EXPECT_EQ(client.Call().details, "");
  EXPECT_EQ(server.attempts(), 3u);
  EXPECT_EQ(client.Stats().stops[RETRY_GUARD_STOP_BREAKER], 1u);
}

TEST_F(Breaker, StaysClosedAtHalfAndOpensAbove) {
  for (int failures : {10, 11}) {
    std::atomic<int> left{20 - failures};
    Server server([&](rg_rpc_incoming *incoming) {
      Reply(incoming, left-- > 0 ? Ok() : Answer());
    });
    Client client(server.address(), WithBreaker(kLong).Json());
    CallInTurn(&client, 20);
    EXPECT_EQ(IsOpen(client), failures == 11) << failures;
  }
}

TEST_F(Breaker, AnswersThatShowThatTheServerWorksKeepItClosed) {
  for (grpc_status_code status :
       {GRPC_STATUS_INVALID_ARGUMENT, GRPC_STATUS_NOT_FOUND,
        GRPC_STATUS_UNAUTHENTICATED, GRPC_STATUS_ABORTED}) {
    Server server(
        [status](rg_rpc_incoming *incoming) { Reply(incoming, With(status)); });
    Client client(server.address(), WithBreaker(kLong).Json());
    client.Calls(50);
    EXPECT_FALSE(IsOpen(client)) << status;
  }
}

TEST_F(Breaker, FailuresThatTheServerReportsOpenIt) {
  for (grpc_status_code status :
       {GRPC_STATUS_DEADLINE_EXCEEDED, GRPC_STATUS_RESOURCE_EXHAUSTED,
        GRPC_STATUS_INTERNAL, GRPC_STATUS_UNKNOWN}) {
    Server server(
        [status](rg_rpc_incoming *incoming) { Reply(incoming, With(status)); });
    Client client(server.address(), WithBreaker(kLong).Json());
    client.Calls(20);
    EXPECT_TRUE(IsOpen(client)) << status;
  }
}

TEST_F(Breaker, OpensForAServerThatResetsStreams) {
  ResettingServer server;
  Client client(server.address(), WithBreaker(kLong).Json());
  CallInTurn(&client, 50);
  EXPECT_TRUE(IsOpen(client));
  EXPECT_EQ(server.streams(), 20u);
}

TEST_F(Breaker, CallsThatTheClientCancelsSayNothing) {
  Inbox inbox;
  Server server(inbox.Handler());
  Client client(server.address(), WithBreaker(kLong).Json());
  for (int i = 0; i < 50; i++) {
    Pending call = client.Start();
    rg_rpc_incoming *incoming = inbox.Take();
    call.Cancel();
    EXPECT_EQ(call.Get().status, GRPC_STATUS_CANCELLED);
    rg_rpc_hang(incoming);
  }
  EXPECT_FALSE(IsOpen(client));
}

TEST_F(Breaker, CallsThatTimeOutAtTheServerAreFailures) {
  Server server([](rg_rpc_incoming *incoming) { rg_rpc_hang(incoming); });
  Client client(server.address(), WithBreaker(kLong).Json());
  Request request;
  request.timeout_ms = 100;
  for (const Result &result : client.Calls(20, request))
    EXPECT_EQ(result.status, GRPC_STATUS_DEADLINE_EXCEEDED);
  EXPECT_TRUE(Eventually([&] { return IsOpen(client); }));
}

// Refused connections never get as far as an attempt.
TEST_F(Breaker, OpensForATargetThatRefusesConnections) {
  std::string address;
  {
    address = Server([](rg_rpc_incoming *) {}).address();
  }
  Client client(address, WithBreaker(kLong).Json());
  for (int i = 0; i < 30 && !IsOpen(client); i++)
    EXPECT_EQ(client.Call().status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_TRUE(IsOpen(client));
  EXPECT_EQ(client.Stats().calls, 0u);
  EXPECT_NE(client.Call().details.find("circuit breaker"), std::string::npos);
}

TEST_F(Breaker, CallsThatWaitForReadinessUntilTheirDeadlineSayNothing) {
  std::string address;
  {
    address = Server([](rg_rpc_incoming *) {}).address();
  }
  Client client(address, WithBreaker(kLong).Json());
  Request request;
  request.timeout_ms = 50;
  request.wait_for_ready = true;
  client.Calls(40, request);
  EXPECT_FALSE(IsOpen(client));
}

// ---- After the cooldown -----------------------------------------------------

class Probes : public Guarded {
 protected:
  // Opens the breaker; afterwards the server does what `then` says.
  void Open(const std::string &breaker) {
    client_.emplace(server_.address(), WithBreaker(breaker).Json());
    while (client_->Stats().breaker_opened == 0) client_->Call();
    failing_ = false;
    opened_at_ = server_.attempts();
  }

  void WaitForCooldown() {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
  }

  std::atomic<bool> failing_{true};
  Inbox inbox_;
  Server server_{[this, keep = inbox_.Handler()](rg_rpc_incoming *incoming) {
    if (failing_)
      Reply(incoming);
    else
      keep(incoming);
  }};
  std::optional<Client> client_;
  uint64_t opened_at_ = 0;
};

TEST_F(Probes, ManyThreadsAtTheEndOfTheCooldownMakeOne) {
  Open(kShort);
  WaitForCooldown();
  std::vector<std::thread> threads;
  std::atomic<int> rejected{0};
  std::atomic<int> ok{0};
  for (int i = 0; i < 64; i++)
    threads.emplace_back([&] {
      Result result = client_->Call();
      (result.status == GRPC_STATUS_OK ? ok : rejected)++;
    });
  // All but the probe are back before the probe is answered.
  EXPECT_TRUE(Eventually([&] { return rejected == 63; }));
  EXPECT_EQ(server_.attempts(), opened_at_ + 1);
  Reply(inbox_.Take(), Ok());
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(ok, 1);
  EXPECT_EQ(client_->Stats().breaker_state, RETRY_GUARD_BREAKER_CLOSED);
}

TEST_F(Probes, AFailureOpensItAgain) {
  Open(kShort);
  WaitForCooldown();
  Pending probe = client_->Start();
  Reply(inbox_.Take());
  EXPECT_EQ(probe.Get().status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(client_->Stats().breaker_opened, 2u);
  EXPECT_EQ(client_->Stats().breaker_closed, 0u);
}

TEST_F(Probes, ACancelledOneLeavesItsPlaceToTheNext) {
  Open(kShort);
  WaitForCooldown();
  Pending probe = client_->Start();
  rg_rpc_incoming *incoming = inbox_.Take();
  probe.Cancel();
  EXPECT_EQ(probe.Get().status, GRPC_STATUS_CANCELLED);
  rg_rpc_hang(incoming);
  Pending next = client_->Start();
  Reply(inbox_.Take(), Ok());
  EXPECT_EQ(next.Get().status, GRPC_STATUS_OK);
  EXPECT_EQ(client_->Stats().breaker_state, RETRY_GUARD_BREAKER_CLOSED);
}

TEST_F(Probes, OneThatIsCancelledWithItsParentLeavesItsPlaceToTheNext) {
  Open(kShort);
  Inbox parents;
  Server above(parents.Handler());
  Client caller(above.address());
  Pending outer = caller.Start();
  rg_rpc_incoming *parent = parents.Take();
  WaitForCooldown();
  Request request;
  request.parent = parent->call;
  Pending probe = client_->Start(request);
  rg_rpc_incoming *incoming = inbox_.Take();
  outer.Cancel();
  EXPECT_EQ(probe.Get().status, GRPC_STATUS_CANCELLED);
  rg_rpc_hang(incoming);
  rg_rpc_hang(parent);
  Pending next = client_->Start();
  Reply(inbox_.Take(), Ok());
  EXPECT_EQ(next.Get().status, GRPC_STATUS_OK);
}

// A probe that expires is a failure, and one lost in a black hole makes room
// when its time is up: in both cases another one gets through later.
TEST_F(Probes, OneThatExpiresOrIsLostDoesNotKeepItHalfOpen) {
  Open(R"({"cooldown":"0.1s","cooldownJitter":0,"probeTimeout":"0.1s"})");
  WaitForCooldown();
  Request expiring;
  expiring.timeout_ms = 50;
  Pending expired = client_->Start(expiring);
  rg_rpc_hang(inbox_.Take());
  EXPECT_EQ(expired.Get().status, GRPC_STATUS_DEADLINE_EXCEEDED);
  WaitForCooldown();
  Pending lost = client_->Start();
  rg_rpc_incoming *black_hole = inbox_.Take();
  WaitForCooldown();
  Pending next = client_->Start();
  Reply(inbox_.Take(), Ok());
  EXPECT_EQ(next.Get().status, GRPC_STATUS_OK);
  EXPECT_EQ(client_->Stats().breaker_state, RETRY_GUARD_BREAKER_CLOSED);
  // What the lost one says in the end counts no more.
  Reply(black_hole);
  lost.Get();
  EXPECT_EQ(client_->Stats().breaker_state, RETRY_GUARD_BREAKER_CLOSED);
  EXPECT_EQ(client_->Stats().breaker_stale, 1u);
}

// ---- Scopes and sharing -----------------------------------------------------

TEST_F(Breaker, IsSharedByAllChannelsToATarget) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  const std::string config = WithBreaker(kLong).Json();
  Client one(server.address(), config);
  Client other(server.address(), config);
  one.Calls(20);
  EXPECT_TRUE(IsOpen(other));
  EXPECT_EQ(other.Call().status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(server.attempts(), 20u);
}

TEST_F(Breaker, WithScopeMethodLeavesOtherMethodsAlone) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client client(server.address(),
                WithBreaker(R"({"scope":"METHOD","cooldown":"3600s"})").Json());
  client.Calls(20);
  EXPECT_EQ(client.Call().status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(client.Stats().breaker_rejections, 1u);
  EXPECT_EQ(server.attempts(), 20u);
  Request other;
  other.method = "/test.Echo/Other";
  EXPECT_EQ(client.Call(other).status, GRPC_STATUS_UNIMPLEMENTED);
  EXPECT_EQ(client.Stats().breaker_rejections, 1u);
}

TEST_F(Breaker, WithScopeBackendLeavesOtherBackendsAlone) {
  Server down([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Server up([](rg_rpc_incoming *incoming) { Reply(incoming, Ok()); });
  std::string target =
      std::string("ipv4:") + down.address() + "," + up.address();
  std::string config =
      WithBreaker(R"({"scope":"BACKEND","cooldown":"3600s"})").Json();
  config.insert(1, R"("loadBalancingConfig":[{"round_robin":{}}],)");
  Client client(target, config);
  CallInTurn(&client, 100);
  EXPECT_EQ(down.attempts(), 20u);
  EXPECT_GT(up.attempts(), 20u);
  EXPECT_EQ(client.Stats().breaker_opened, 1u);
}

}  // namespace
}  // namespace rg_test
