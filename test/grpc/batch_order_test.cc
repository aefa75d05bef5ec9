// SPDX-License-Identifier: Apache-2.0

// Batches in unusual orders, and answers in unusual shapes: gRPC's C API lets a
// program start every operation by itself, when it likes.
#include <gtest/gtest.h>

#include <future>
#include <memory>

#include "grpc/raw_target.h"

namespace rg_test {
namespace {

class BatchOrder : public RawTarget {
 protected:
  // The server refuses the next attempt, with trailers only.
  void Fail() {
    auto attempt = server_.Accept();
    auto closed = attempt->ReceiveClose();
    attempt->SendStatus(GRPC_STATUS_UNAVAILABLE, true).get();
    closed.get();
  }

  // The server answers the next attempt in full.
  void Succeed() {
    auto attempt = server_.Accept();
    auto closed = attempt->ReceiveClose();
    EXPECT_TRUE(attempt->Receive().get());
    EXPECT_EQ(attempt->message(), "question");
    EXPECT_TRUE(attempt->SendInitial().get());
    EXPECT_TRUE(attempt->Send("answer").get());
    attempt->SendStatus(GRPC_STATUS_OK, false).get();
    closed.get();
  }
};

TEST_F(BatchOrder, WhatIsToBeReceivedMayBeAskedForFirst) {
  RawCall call(client_.grpc(), &queue_);
  auto ended = call.ReceiveStatus();
  auto reply = call.Receive();
  auto initial = call.ReceiveInitial();
  auto sent = call.SendInitial();
  auto message = call.Send("question");
  auto closed = call.Close();
  Fail();
  Succeed();
  EXPECT_TRUE(ended.get());
  EXPECT_TRUE(reply.get());
  EXPECT_TRUE(initial.get());
  EXPECT_TRUE(sent.get());
  EXPECT_TRUE(message.get());
  EXPECT_TRUE(closed.get());
  EXPECT_EQ(call.status(), GRPC_STATUS_OK);
  EXPECT_EQ(call.message(), "answer");
  ExpectSettled(1, 1);
}

TEST_F(BatchOrder, EachOperationMayWaitForTheOneBefore) {
  RawCall call(client_.grpc(), &queue_);
  EXPECT_TRUE(call.SendInitial().get());
  EXPECT_TRUE(call.Send("question").get());
  EXPECT_TRUE(call.Close().get());
  auto initial = call.ReceiveInitial();
  Fail();
  Succeed();
  EXPECT_TRUE(initial.get());
  EXPECT_TRUE(call.Receive().get());
  EXPECT_EQ(call.message(), "answer");
  EXPECT_TRUE(call.ReceiveStatus().get());
  EXPECT_EQ(call.status(), GRPC_STATUS_OK);
  ExpectSettled(1, 1);
}

// gRPC asks for the trailing metadata itself, to see whether to retry.
TEST_F(BatchOrder, AnAttemptMayFailBeforeItsStatusIsAskedFor) {
  RawCall call(client_.grpc(), &queue_);
  auto sent = call.SendInitial();
  auto message = call.Send("question");
  auto initial = call.ReceiveInitial();
  auto reply = call.Receive();
  for (int i = 0; i < 3; i++) Fail();
  reply.get();
  EXPECT_FALSE(call.has_message());
  sent.get();
  message.get();
  EXPECT_TRUE(call.ReceiveStatus().get());
  initial.get();
  EXPECT_EQ(call.status(), GRPC_STATUS_UNAVAILABLE);
  EXPECT_TRUE(call.trailing().Values(kPushback).empty());
  ExpectSettled(1, 2);
}

// The guard's "stop" is in the trailing metadata, and must be gone when they
// are asked for at last.
TEST_F(BatchOrder, ARefusedRetryLeavesNothingInAStatusAskedForLater) {
  Client client(server_.address(),
                Config()
                    .Guard(R"({"budget":{"tokenBucket":{"initialTokens":0}}})")
                    .Json());
  RawCall call(client.grpc(), &queue_);
  auto sent = call.SendInitial();
  auto initial = call.ReceiveInitial();
  auto reply = call.Receive();
  Fail();
  reply.get();
  sent.get();
  EXPECT_TRUE(call.ReceiveStatus().get());
  initial.get();
  EXPECT_EQ(call.status(), GRPC_STATUS_UNAVAILABLE);
  EXPECT_TRUE(call.trailing().Values(kPushback).empty());
  EXPECT_EQ(client.Stats().stops[RETRY_GUARD_STOP_BUDGET], 1u);
  ExpectSettled(1, 0);
}

// ---- Shapes of answers ------------------------------------------------------

using AnswerShape = Guarded;
using LastAnswer = Guarded;

// Many more entries than any list of them holds inline.
Answer WithManyTrailers(const char *pushback) {
  Answer answer;
  for (int i = 0; i < 100; i++)
    answer.trailers.emplace_back("entry-" + std::to_string(i), "value");
  if (pushback != nullptr) answer.trailers.emplace_back(kPushback, pushback);
  return answer;
}

size_t ManyTrailersOf(const Result &result) {
  size_t found = 0;
  for (int i = 0; i < 100; i++)
    found += result.trailing.Values("entry-" + std::to_string(i)).size();
  return found;
}

constexpr char kNoToken[] = R"({"budget":{"tokenBucket":{"initialTokens":0}}})";

TEST_F(AnswerShape, ManyTrailersLoseOnlyWhatTheGuardAdded) {
  Server server([](rg_rpc_incoming *incoming) {
    Reply(incoming, WithManyTrailers(nullptr));
  });
  Client client(server.address(), Config().Guard(kNoToken).Json());
  Result result = client.Call();
  EXPECT_EQ(result.status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(ManyTrailersOf(result), 100u);
  EXPECT_TRUE(result.trailing.Values(kPushback).empty());
  EXPECT_EQ(client.Stats().stops[RETRY_GUARD_STOP_BUDGET], 1u);
}

TEST_F(AnswerShape, ManyTrailersKeepTheServersPushback) {
  Server server([](rg_rpc_incoming *incoming) {
    Reply(incoming, WithManyTrailers("7"));
  });
  Client client(server.address(), Config().Guard(kNoToken).Json());
  Result result = client.Call();
  EXPECT_EQ(ManyTrailersOf(result), 100u);
  EXPECT_EQ(result.trailing.Values(kPushback), std::vector<std::string>{"7"});
}

// An error besides the trailing metadata, which say OK: the client's own.
TEST_F(AnswerShape, AReplyThatIsTooLargeSaysNothingOfTheServer) {
  Server server([](rg_rpc_incoming *incoming) {
    Answer answer = Ok();
    answer.message = std::string(1000, 'x');
    Reply(incoming, answer);
  });
  Client client(server.address(),
                Config()
                    .Codes(R"(["RESOURCE_EXHAUSTED"])")
                    .Breaker(R"({"consecutiveFailures":1})")
                    .Json(),
                {{GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, 100}});
  for (int i = 0; i < 5; i++)
    EXPECT_EQ(client.Call().status, GRPC_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(client.Stats().breaker_state, RETRY_GUARD_BREAKER_CLOSED);
  EXPECT_EQ(client.Stats().retries, 0u);
  EXPECT_EQ(client.Stats().tokens_outstanding, 0u);
}

// ---- Ends -------------------------------------------------------------------

// Its calls end; where they are retried nobody is left to answer.
TEST_F(LastAnswer, AServerMayGoWhileItsCallsGoOn) {
  auto server = std::make_unique<Server>(rg_rpc_hang);
  Client client(server->address(), Config().Guard(kUnlimited).Json());
  Request request;
  request.timeout_ms = 60000;
  std::vector<Pending> calls;
  for (int i = 0; i < 20; i++) calls.push_back(client.Start(request));
  ASSERT_TRUE(Eventually([&] { return server->attempts() == 20; }));
  server.reset();
  for (Pending &call : calls) EXPECT_NE(call.Get().status, GRPC_STATUS_OK);
  retry_guard_stats stats = client.Stats();
  EXPECT_EQ(stats.calls, 20u);
  EXPECT_EQ(stats.attempts, stats.calls + stats.retries);
  EXPECT_EQ(stats.tokens_outstanding, 0u);
}

// gRPC keeps a pointer to the name of the peer, in the connection of the last
// attempt that got one: here it is gone when the retry is refused, one second
// after both calls have failed.
TEST_F(LastAnswer, ARetryMayBeRefusedWhenTheFirstConnectionIsGone) {
  auto first = std::make_unique<Server>(rg_rpc_hang);
  Server second([](rg_rpc_incoming *incoming) { Reply(incoming, Ok()); });
  Client client(
      "ipv4:" + std::string(first->address()) + "," + second.address(),
      Config()
          .Codes(R"(["UNAVAILABLE","CANCELLED"])")
          .Backoff("1s")
          .Guard(R"({"budget":{"disabled":true},
                               "backoff":{"floor":"1s"}})")
          .Breaker(R"({"consecutiveFailures":2,"cooldown":"3600s",
                        "failureStatusCodes":["UNAVAILABLE","CANCELLED"]})")
          .Json());
  // Each call lets go of everything as soon as it has ended.
  auto call = [&client] { return client.Call(); };
  auto one = std::async(std::launch::async, call);
  auto other = std::async(std::launch::async, call);
  ASSERT_TRUE(Eventually([&] { return first->attempts() == 2; }));
  first.reset();
  int refused = 0;
  for (auto *result : {&one, &other})
    refused +=
        result->get().details.find("circuit breaker") != std::string::npos;
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(client.Stats().breaker_rejections, 1u);
  EXPECT_EQ(client.Stats().stops[RETRY_GUARD_STOP_BREAKER], 1u);
  EXPECT_EQ(client.Stats().tokens_outstanding, 0u);
}

}  // namespace
}  // namespace rg_test
