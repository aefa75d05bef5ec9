// SPDX-License-Identifier: Apache-2.0

// Streams.
#include <gtest/gtest.h>

#include "grpc/raw_target.h"
#include "grpc/tiers.h"

namespace rg_test {
namespace {

using Stream = RawTarget;

TEST_F(Stream, IsRetriedBeforeItsFirstMessage) {
  RawCall call(client_.grpc(), &queue_);
  auto sent = call.SendInitial();
  auto first = call.Send("one");
  auto initial = call.ReceiveInitial();
  auto reply = call.Receive();
  auto ended = call.ReceiveStatus();
  {
    auto attempt = server_.Accept();
    auto closed = attempt->ReceiveClose();
    attempt->SendStatus(GRPC_STATUS_UNAVAILABLE, true).get();
    closed.get();
  }
  auto attempt = server_.Accept();
  EXPECT_EQ(Entries(*attempt->metadata()).Values(RG_MARK_KEY),
            std::vector<std::string>{Encoded({0, 2, kLayerName})});
  auto closed = attempt->ReceiveClose();
  EXPECT_TRUE(attempt->Receive().get());
  EXPECT_EQ(attempt->message(), "one");
  EXPECT_TRUE(attempt->SendInitial().get());
  EXPECT_TRUE(attempt->Send("two").get());
  EXPECT_TRUE(initial.get());
  EXPECT_TRUE(reply.get());
  EXPECT_EQ(call.message(), "two");
  attempt->SendStatus(GRPC_STATUS_OK, false).get();
  EXPECT_TRUE(ended.get());
  closed.get();
  EXPECT_TRUE(sent.get());
  EXPECT_TRUE(first.get());
  EXPECT_EQ(call.status(), GRPC_STATUS_OK);
  ExpectSettled(1, 1);
}

TEST_F(Stream, IsCommittedByItsFirstMessage) {
  RawCall call(client_.grpc(), &queue_);
  auto sent = call.SendInitial();
  auto initial = call.ReceiveInitial();
  auto ended = call.ReceiveStatus();
  auto attempt = server_.Accept();
  auto closed = attempt->ReceiveClose();
  EXPECT_TRUE(attempt->SendInitial().get());
  EXPECT_TRUE(attempt->Send("early").get());
  auto reply = call.Receive();
  EXPECT_TRUE(reply.get());
  EXPECT_EQ(call.message(), "early");
  auto more = call.Receive();
  attempt->SendStatus(GRPC_STATUS_UNAVAILABLE, false).get();
  more.get();
  EXPECT_FALSE(call.has_message());
  EXPECT_TRUE(ended.get());
  closed.get();
  initial.get();
  sent.get();
  EXPECT_EQ(call.status(), GRPC_STATUS_UNAVAILABLE);
  EXPECT_TRUE(call.trailing().Values(kPushback).empty());
  ExpectSettled(1, 0);
  EXPECT_EQ(client_.Stats().stops[RETRY_GUARD_STOP_BUDGET], 0u);
}

TEST_F(Stream, CarriesManyMessagesBothWays) {
  RawCall call(client_.grpc(), &queue_);
  auto sent = call.SendInitial();
  auto initial = call.ReceiveInitial();
  auto ended = call.ReceiveStatus();
  auto attempt = server_.Accept();
  auto closed = attempt->ReceiveClose();
  EXPECT_TRUE(attempt->SendInitial().get());
  for (int i = 0; i < 100; i++) {
    EXPECT_TRUE(call.Send(std::to_string(i)).get());
    EXPECT_TRUE(attempt->Receive().get());
    EXPECT_TRUE(attempt->Send(attempt->message()).get());
    EXPECT_TRUE(call.Receive().get());
    EXPECT_EQ(call.message(), std::to_string(i));
  }
  call.Close().get();
  attempt->SendStatus(GRPC_STATUS_OK, false).get();
  EXPECT_TRUE(ended.get());
  closed.get();
  initial.get();
  sent.get();
  ExpectSettled(1, 0);
}

// Answers that have begun and messages that come keep their stream, however
// long it lasts; this one asks for its message after gRPC has committed the
// call.
TEST_F(Stream, ThatHasBroughtItsFirstMessageOutlivesTheAttemptTimeout) {
  Client client(
      server_.address(),
      Config().Guard(R"({"deadline":{"attemptTimeout":"1s"}})").Json());
  RawCall call(client.grpc(), &queue_);
  auto sent = call.SendInitial();
  auto initial = call.ReceiveInitial();
  auto ended = call.ReceiveStatus();
  auto attempt = server_.Accept();
  auto closed = attempt->ReceiveClose();
  EXPECT_TRUE(attempt->SendInitial().get());
  EXPECT_TRUE(initial.get());
  auto reply = call.Receive();
  EXPECT_TRUE(attempt->Send("early").get());
  EXPECT_TRUE(reply.get());
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  attempt->SendStatus(GRPC_STATUS_OK, false).get();
  EXPECT_TRUE(ended.get());
  closed.get();
  sent.get();
  EXPECT_EQ(call.status(), GRPC_STATUS_OK);
}

// The retry after the timeout has nothing more to send, and is refused.
TEST_F(Stream, ARefusedAttemptLeavesNothingBehind) {
  Client client(server_.address(),
                Config()
                    .More(R"(,"perAttemptRecvTimeout":"0.3s")")
                    .Guard(R"({"budget":{"tokenBucket":{"initialTokens":0}}})")
                    .Json(),
                {{GRPC_ARG_EXPERIMENTAL_ENABLE_HEDGING, 1}});
  RawCall call(client.grpc(), &queue_);
  auto initial = call.ReceiveInitial();
  EXPECT_TRUE(call.SendInitial().get());
  EXPECT_TRUE(call.Send("one").get());
  auto attempt = server_.Accept();
  auto closed = attempt->ReceiveClose();
  EXPECT_TRUE(call.ReceiveStatus().get());
  initial.get();
  closed.get();
  EXPECT_EQ(call.status(), GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(client.Stats().rejected_retries, 1u);
  EXPECT_EQ(client.Stats().tokens_outstanding, 0u);
}

}  // namespace
}  // namespace rg_test
