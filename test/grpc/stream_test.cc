// SPDX-License-Identifier: Apache-2.0

// Streams, and calls that are given up at odd moments.
#include <gtest/gtest.h>

#include <memory>

#include "grpc/raw.h"
#include "grpc/tiers.h"

namespace rg_test {
namespace {

class Stream : public Guarded {
 protected:
  // The target is the test's own; nothing may be left behind in its accounts.
  void ExpectSettled(uint64_t calls, uint64_t retries) {
    retry_guard_stats stats = client_.Stats();
    EXPECT_EQ(stats.calls, calls);
    EXPECT_EQ(stats.retries, retries);
    EXPECT_EQ(stats.attempts, calls + retries);
    EXPECT_EQ(stats.tokens_outstanding, 0u);
    EXPECT_EQ(stats.fail_open, 0u);
  }

  RawServer server_;
  Queue queue_;
  Client client_{server_.address(), Config().Guard(kUnlimited).Json()};
};

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

TEST_F(Stream, ACallThatIsNeverStartedLeavesNoTrace) {
  for (int i = 0; i < 10; i++) RawCall call(client_.grpc(), &queue_);
  ExpectSettled(0, 0);
}

TEST_F(Stream, ACallThatIsCancelledBeforeItsFirstBatchLeavesNoTrace) {
  RawCall call(client_.grpc(), &queue_);
  call.Cancel();
  auto sent = call.SendInitial();
  auto ended = call.ReceiveStatus();
  sent.get();
  EXPECT_TRUE(ended.get());
  EXPECT_EQ(call.status(), GRPC_STATUS_CANCELLED);
  ExpectSettled(0, 0);
}

TEST_F(Stream, ACallThatAsksForNoStatusSettlesWhenItIsDropped) {
  {
    RawCall call(client_.grpc(), &queue_);
    auto sent = call.SendInitial();
    auto attempt = server_.Accept();
    EXPECT_TRUE(sent.get());
    auto closed = attempt->ReceiveClose();
    attempt->SendStatus(GRPC_STATUS_UNAVAILABLE, true).get();
    closed.get();
    call.Cancel();
  }
  ExpectSettled(1, 0);
}

TEST_F(Stream, ACallThatIsDroppedWhileItGoesOnSettles) {
  {
    RawCall call(client_.grpc(), &queue_);
    auto sent = call.SendInitial();
    auto initial = call.ReceiveInitial();
    auto attempt = server_.Accept();
    auto closed = attempt->ReceiveClose();
    call.Cancel();
    sent.get();
    initial.get();
    closed.get();
  }
  ExpectSettled(1, 0);
}

// A token is taken for the retry that waits, and goes back.
TEST_F(Stream, ACallThatIsCancelledInBackoffGivesItsTokenBack) {
  Client client(server_.address(),
                Config().Backoff("3600s").Guard("{}").Json());
  RawCall call(client.grpc(), &queue_);
  auto sent = call.SendInitial();
  auto initial = call.ReceiveInitial();
  auto ended = call.ReceiveStatus();
  {
    auto attempt = server_.Accept();
    auto closed = attempt->ReceiveClose();
    attempt->SendStatus(GRPC_STATUS_UNAVAILABLE, true).get();
    closed.get();
  }
  ASSERT_TRUE(
      Eventually([&] { return client.Stats().tokens_outstanding == 1; }));
  EXPECT_EQ(client.Stats().budget_milli, 0u);
  call.Cancel();
  EXPECT_TRUE(ended.get());
  sent.get();
  initial.get();
  EXPECT_EQ(call.status(), GRPC_STATUS_CANCELLED);
  EXPECT_EQ(client.Stats().tokens_outstanding, 0u);
  EXPECT_EQ(client.Stats().budget_milli, 1000u);
}

TEST_F(Stream, ACallWhoseDeadlinePassesInBackoffGivesItsTokenBack) {
  Client client(server_.address(),
                Config().Backoff("3600s").Guard("{}").Json());
  RawCall call(client.grpc(), &queue_, nullptr, GRPC_PROPAGATE_DEFAULTS, 1000);
  auto sent = call.SendInitial();
  auto initial = call.ReceiveInitial();
  auto ended = call.ReceiveStatus();
  {
    auto attempt = server_.Accept();
    auto closed = attempt->ReceiveClose();
    attempt->SendStatus(GRPC_STATUS_UNAVAILABLE, true).get();
    closed.get();
  }
  EXPECT_TRUE(ended.get());
  sent.get();
  initial.get();
  EXPECT_EQ(call.status(), GRPC_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ(client.Stats().tokens_outstanding, 0u);
  EXPECT_EQ(client.Stats().budget_milli, 1000u);
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

// One call has an attempt under way, the other waits in backoff.
TEST_F(Stream, AChannelMayGoWhileItsCallsGoOn) {
  auto client = std::make_unique<Client>(
      server_.address(), Config().Backoff("3600s").Guard("{}").Json());
  RawCall active(client->grpc(), &queue_);
  RawCall waiting(client->grpc(), &queue_);
  std::vector<std::future<bool>> done;
  for (RawCall *call : {&waiting, &active}) {
    done.push_back(call->SendInitial());
    done.push_back(call->ReceiveInitial());
    done.push_back(call->ReceiveStatus());
    if (call == &active) break;
    auto attempt = server_.Accept();
    auto closed = attempt->ReceiveClose();
    attempt->SendStatus(GRPC_STATUS_UNAVAILABLE, true).get();
    closed.get();
  }
  auto attempt = server_.Accept();
  auto closed = attempt->ReceiveClose();
  ASSERT_TRUE(
      Eventually([&] { return client_.Stats().tokens_outstanding == 1; }));
  client->LetCallsOutlive();
  client.reset();
  active.Cancel();
  waiting.Cancel();
  for (std::future<bool> &one : done) one.get();
  closed.get();
  EXPECT_EQ(active.status(), GRPC_STATUS_CANCELLED);
  EXPECT_EQ(waiting.status(), GRPC_STATUS_CANCELLED);
  ExpectSettled(2, 0);
}

// Without the link that cancels it, a child goes on after its parent.
TEST_F(Stream, AChildMayOutliveTheServerCallThatMadeIt) {
  Tiers tiers;
  Visit visit = tiers.ArriveMarked({Encoded({0, 1, "edge"})});
  RawCall child(client_.grpc(), &queue_, visit.incoming->call,
                GRPC_PROPAGATE_DEFAULTS & ~GRPC_PROPAGATE_CANCELLATION);
  auto sent = child.SendInitial();
  auto initial = child.ReceiveInitial();
  auto ended = child.ReceiveStatus();
  auto attempt = server_.Accept();
  EXPECT_EQ(visit.End(), GRPC_STATUS_OK);
  EXPECT_EQ(Entries(*attempt->metadata()).Values(RG_MARK_KEY),
            std::vector<std::string>{Encoded({1, 1, "edge"})});
  auto closed = attempt->ReceiveClose();
  attempt->SendStatus(GRPC_STATUS_UNAVAILABLE, true).get();
  closed.get();
  EXPECT_TRUE(ended.get());
  sent.get();
  initial.get();
  EXPECT_EQ(child.status(), GRPC_STATUS_UNAVAILABLE);
  ExpectSettled(1, 0);
  EXPECT_EQ(client_.Stats().stops[RETRY_GUARD_STOP_LAYER], 1u);
}

TEST_F(Stream, AChildMayBeMadeAfterItsParentWasAnswered) {
  Inbox inbox;
  Server middle(inbox.Handler());
  Client above(middle.address());
  Request request;
  request.metadata = {{RG_MARK_KEY, Encoded({0, 1, "edge"})}};
  Pending caller = above.Start(request);
  rg_rpc_incoming *incoming = inbox.Take();
  grpc_call *parent = incoming->call;
  grpc_call_ref(parent);
  Reply(incoming, Ok());
  EXPECT_EQ(caller.Get().status, GRPC_STATUS_OK);
  middle.Stop();
  {
    RawCall child(client_.grpc(), &queue_, parent,
                  GRPC_PROPAGATE_DEFAULTS & ~GRPC_PROPAGATE_CANCELLATION);
  }
  retry_guard_hop *hop = nullptr;
  EXPECT_EQ(retry_guard_hop_from_server_call(parent, &hop), RETRY_GUARD_OK);
  grpc_call_unref(parent);
  retry_guard_hop_unref(hop);
}

}  // namespace
}  // namespace rg_test
