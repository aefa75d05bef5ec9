// SPDX-License-Identifier: Apache-2.0

// Calls that are given up at odd moments, and those that outlive what they came
// from.
#include <gtest/gtest.h>

#include <memory>

#include "grpc/raw_target.h"
#include "grpc/tiers.h"

namespace rg_test {
namespace {

using GivenUp = RawTarget;

TEST_F(GivenUp, ACallThatIsNeverStartedLeavesNoTrace) {
  for (int i = 0; i < 10; i++) RawCall call(client_.grpc(), &queue_);
  ExpectSettled(0, 0);
}

TEST_F(GivenUp, ACallThatIsCancelledBeforeItsFirstBatchLeavesNoTrace) {
  RawCall call(client_.grpc(), &queue_);
  call.Cancel();
  auto sent = call.SendInitial();
  auto ended = call.ReceiveStatus();
  sent.get();
  EXPECT_TRUE(ended.get());
  EXPECT_EQ(call.status(), GRPC_STATUS_CANCELLED);
  ExpectSettled(0, 0);
}

TEST_F(GivenUp, ACallThatAsksForNoStatusSettlesWhenItIsDropped) {
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

TEST_F(GivenUp, ACallThatIsDroppedWhileItGoesOnSettles) {
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

// Nobody asks for the end of the attempt, so nothing but the cancellation tells
// the guard; a timer left behind would hold the channel for an hour.
TEST_F(GivenUp, ACallThatIsDroppedLeavesNoAttemptTimeoutBehind) {
  Client client(
      server_.address(),
      Config().Guard(R"({"deadline":{"attemptTimeout":"3600s"}})").Json());
  RawCall call(client.grpc(), &queue_);
  auto sent = call.SendInitial();
  auto attempt = server_.Accept();
  EXPECT_TRUE(sent.get());
  auto closed = attempt->ReceiveClose();
  call.Cancel();
  closed.get();
}

// A token is taken for the retry that waits, and goes back.
TEST_F(GivenUp, ACallThatIsCancelledInBackoffGivesItsTokenBack) {
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

TEST_F(GivenUp, ACallWhoseDeadlinePassesInBackoffGivesItsTokenBack) {
  Client client(server_.address(),
                Config()
                    .Backoff("3600s")
                    .Guard(R"({"deadline":{"disabled":true}})")
                    .Json());
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

// One call has an attempt under way, the other waits in backoff.
TEST_F(GivenUp, AChannelMayGoWhileItsCallsGoOn) {
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
TEST_F(GivenUp, AChildMayOutliveTheServerCallThatMadeIt) {
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

TEST_F(GivenUp, AChildMayBeMadeAfterItsParentWasAnswered) {
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
