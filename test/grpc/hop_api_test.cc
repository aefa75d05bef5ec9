// SPDX-License-Identifier: Apache-2.0

// The hop context where a program cannot pass a parent.
#include <grpc/grpc.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "grpc/tiers.h"

namespace rg_test {
namespace {

using HopApi = Guarded;

retry_guard_hop *HopOf(const Visit &visit) {
  retry_guard_hop *hop = nullptr;
  EXPECT_EQ(retry_guard_hop_from_server_call(visit.incoming->call, &hop),
            RETRY_GUARD_OK);
  return hop;
}

// As an application puts it into the metadata of a call.
Entries MetadataOf(const retry_guard_hop *hop) {
  const char *key = nullptr;
  char buffer[128];
  size_t length = 0;
  EXPECT_EQ(
      retry_guard_hop_to_metadata(hop, &key, buffer, sizeof buffer, &length),
      RETRY_GUARD_OK);
  return {{key, std::string(buffer, length)}};
}

// It still has a deadline to hand on.
TEST_F(HopApi, AnUnmarkedCallHasOneWithoutAMark) {
  Tiers tiers;
  Visit visit = tiers.Arrive({});
  retry_guard_hop *hop = nullptr;
  ASSERT_EQ(retry_guard_hop_from_server_call(visit.incoming->call, &hop),
            RETRY_GUARD_OK);
  const char *key = nullptr;
  char buffer[128];
  size_t length = 0;
  EXPECT_EQ(
      retry_guard_hop_to_metadata(hop, &key, buffer, sizeof buffer, &length),
      RETRY_GUARD_NOT_FOUND);
  retry_guard_hop_unref(hop);
  visit.End();
}

TEST_F(HopApi, NullIsInvalid) {
  retry_guard_hop *hop = nullptr;
  EXPECT_EQ(retry_guard_hop_from_server_call(nullptr, &hop),
            RETRY_GUARD_INVALID_ARGUMENT);
  Tiers tiers;
  Visit visit = tiers.Arrive({});
  EXPECT_EQ(retry_guard_hop_from_server_call(visit.incoming->call, nullptr),
            RETRY_GUARD_INVALID_ARGUMENT);
  visit.End();
}

TEST_F(HopApi, AScopeBindsTheCallsOfItsThreadUntilItIsLeft) {
  Tiers tiers;
  Visit visit = tiers.ArriveMarked({Encoded({0, 1, "edge"})});
  retry_guard_hop *hop = HopOf(visit);
  retry_guard_hop *before = retry_guard_scope_enter(hop);
  EXPECT_EQ(before, nullptr);
  EXPECT_EQ(tiers.CallDown(), Once({1, 1, "edge"}));
  std::thread([&] { EXPECT_EQ(tiers.CallDown(), ThreeOfOurOwn()); }).join();
  EXPECT_EQ(retry_guard_scope_enter(nullptr), hop);
  EXPECT_EQ(tiers.CallDown(), ThreeOfOurOwn());
  retry_guard_scope_leave(hop);
  EXPECT_EQ(tiers.CallDown(), Once({1, 1, "edge"}));
  retry_guard_scope_leave(before);
  EXPECT_EQ(tiers.CallDown(), ThreeOfOurOwn());
  retry_guard_hop_unref(hop);
  visit.End();
}

// The call takes the context when it is created, not while it goes on.
TEST_F(HopApi, AScopeThatIsLeftLaterStillCounts) {
  Tiers tiers;
  Visit visit = tiers.ArriveMarked({Encoded({0, 1, "edge"})});
  retry_guard_hop *hop = HopOf(visit);
  retry_guard_scope_enter(hop);
  Pending call = tiers.below().Start();
  retry_guard_scope_leave(nullptr);
  retry_guard_hop_unref(hop);
  call.Get();
  EXPECT_EQ(tiers.leaf().Seen(), Once({1, 1, "edge"}));
  visit.End();
}

TEST_F(HopApi, AParentComesBeforeTheScope) {
  Tiers tiers;
  Visit near = tiers.ArriveMarked({Encoded({0, 1, "near"})});
  Visit far = tiers.ArriveMarked({Encoded({7, 1, "far"})});
  retry_guard_hop *hop = HopOf(far);
  retry_guard_scope_enter(hop);
  EXPECT_EQ(tiers.CallDownFor(near), Once({1, 1, "near"}));
  retry_guard_scope_leave(nullptr);
  retry_guard_hop_unref(hop);
  near.End();
  far.End();
}

TEST_F(HopApi, MetadataMadeOfAHopCarriesItOn) {
  Tiers tiers;
  Visit visit = tiers.ArriveMarked({Encoded({0, 1, "edge"})});
  retry_guard_hop *hop = HopOf(visit);
  Request request;
  request.metadata = MetadataOf(hop);
  EXPECT_EQ(tiers.CallDown(request), Once({1, 1, "edge"}));
  request.parent = visit.incoming->call;
  EXPECT_EQ(tiers.CallDown(request), Once({1, 1, "edge"}));
  retry_guard_hop_unref(hop);
  visit.End();
}

// Through a channel that the guard leaves alone, so nobody else counts the hop.
TEST_F(HopApi, MetadataMadeOfAHopIsRightOnAnUnguardedChannelToo) {
  Tiers tiers(Config().Guard("").NoRetryPolicy());
  Visit visit = tiers.ArriveMarked({Encoded({0, 1, "edge"})});
  retry_guard_hop *hop = HopOf(visit);
  Request request;
  request.metadata = MetadataOf(hop);
  EXPECT_EQ(tiers.CallDown(request), Once({1, 1, "edge"}));
  retry_guard_hop_unref(hop);
  visit.End();
}

// A proxy that copies what came in.
TEST_F(HopApi, AMarkThatTheApplicationCopiedIsReplacedByOne) {
  Tiers tiers;
  Visit visit = tiers.ArriveMarked({Encoded({0, 1, "edge"})});
  Request copied;
  copied.metadata = {{RG_MARK_KEY, Encoded({0, 1, "edge"})},
                     {RG_MARK_KEY, Encoded({0, 1, "edge"})}};
  EXPECT_EQ(tiers.CallDown(copied), Once({1, 1, "edge"}));
  copied.parent = visit.incoming->call;
  EXPECT_EQ(tiers.CallDown(copied), Once({1, 1, "edge"}));
  visit.End();
}

TEST_F(HopApi, ACopiedMarkThatCannotBeDecodedIsObeyedAndRemoved) {
  Tiers tiers;
  Request request;
  request.metadata = {{RG_MARK_KEY, kUndecodable}};
  EXPECT_EQ(tiers.CallDown(request), OnceUnmarked());
}

TEST_F(HopApi, AHopMadeOfMetadataBindsAsWell) {
  Tiers tiers;
  std::string mark = Encoded({0, 1, "edge"});
  retry_guard_metadata entry = {RG_MARK_KEY, mark.data(), mark.size()};
  retry_guard_hop *hop = nullptr;
  ASSERT_EQ(retry_guard_hop_from_metadata(&entry, 1, &hop), RETRY_GUARD_OK);
  retry_guard_scope_enter(hop);
  EXPECT_EQ(tiers.CallDown(), Once({1, 1, "edge"}));
  retry_guard_scope_leave(nullptr);
  retry_guard_hop_unref(hop);
}

TEST_F(HopApi, AReferenceOutlivesTheServerCall) {
  retry_guard_hop *hop = nullptr;
  Tiers tiers;
  {
    Visit visit = tiers.ArriveMarked({Encoded({0, 1, "edge"})});
    hop = HopOf(visit);
    EXPECT_EQ(visit.End(), GRPC_STATUS_OK);
  }
  Request request;
  request.metadata = MetadataOf(hop);
  retry_guard_hop_unref(retry_guard_hop_ref(hop));
  retry_guard_scope_enter(hop);
  EXPECT_EQ(tiers.CallDown(), Once({1, 1, "edge"}));
  retry_guard_scope_leave(nullptr);
  retry_guard_hop_unref(hop);
  EXPECT_EQ(tiers.CallDown(request), Once({1, 1, "edge"}));
}

TEST_F(HopApi, AReferenceOutlivesTheServerAndTheChannels) {
  retry_guard_hop *hop = nullptr;
  {
    Tiers tiers;
    Visit visit = tiers.ArriveMarked({Encoded({4, 1, "edge"})});
    hop = HopOf(visit);
    visit.End();
  }
  EXPECT_EQ(Decoded(MetadataOf(hop)[0].second), (Mark{5, 1, "edge"}));
  retry_guard_hop_unref(hop);
}

}  // namespace
}  // namespace rg_test
