// SPDX-License-Identifier: Apache-2.0

// What a server reads from an incoming call, and what the calls made with it as
// their parent inherit.
#include <grpc/census.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "grpc/tiers.h"

namespace rg_test {
namespace {

class ServerFilter : public Guarded {
 protected:
  // The counters of this process that `arrive` moves.
  struct Counted {
    uint64_t accepted, rejected, foreign;

    bool operator==(const Counted &other) const {
      return accepted == other.accepted && rejected == other.rejected &&
             foreign == other.foreign;
    }
  };

  Counted Count(const std::function<void()> &arrive) {
    retry_guard_process_stats before = ProcessStats();
    arrive();
    retry_guard_process_stats after = ProcessStats();
    EXPECT_EQ(before.fail_open, after.fail_open);
    return {after.marks_accepted - before.marks_accepted,
            after.marks_rejected - before.marks_rejected,
            after.foreign_retries - before.foreign_retries};
  }

  // What the leaf sees of a call whose parent came with `marks`.
  std::vector<Marks> InheritedFrom(const std::vector<std::string> &marks,
                                   const Counted &counted) {
    std::vector<Marks> seen;
    std::optional<Visit> visit;
    EXPECT_TRUE(Count([&] { visit.emplace(tiers_.ArriveMarked(marks)); }) ==
                counted);
    seen = tiers_.CallDownFor(*visit);
    visit->End();
    return seen;
  }

  Tiers tiers_;
};

TEST_F(ServerFilter, AChildOfAnUnmarkedCallRetriesAndMarks) {
  EXPECT_EQ(InheritedFrom({}, {0, 0, 0}), ThreeOfOurOwn());
  EXPECT_EQ(tiers_.below().Stats().marks_made, 3u);
  EXPECT_EQ(tiers_.below().Stats().marks_forwarded, 0u);
}

TEST_F(ServerFilter, AChildOfAMarkedCallForwardsTheMarkAndDoesNotRetry) {
  EXPECT_EQ(InheritedFrom({Encoded({0, 2, "edge"})}, {1, 0, 0}),
            Once({1, 2, "edge"}));
  retry_guard_stats stats = tiers_.below().Stats();
  EXPECT_EQ(stats.marks_made, 0u);
  EXPECT_EQ(stats.marks_forwarded, 1u);
  EXPECT_EQ(stats.stops[RETRY_GUARD_STOP_LAYER], 1u);
  EXPECT_EQ(stats.retries, 0u);
}

TEST_F(ServerFilter, TheMarkStaysVisibleToTheHandler) {
  Visit visit = tiers_.ArriveMarked({Encoded({3, 1, "edge"})});
  Entries seen(*visit.incoming->metadata);
  EXPECT_EQ(seen.Values(RG_MARK_KEY),
            std::vector<std::string>{Encoded({3, 1, "edge"})});
  visit.End();
}

TEST_F(ServerFilter, OfSeveralMarksTheMostRestrictiveCounts) {
  std::string near = Encoded({0, 1, "near"});
  std::string far = Encoded({3, 1, "far"});
  EXPECT_EQ(InheritedFrom({near, far}, {1, 0, 0}), Once({4, 1, "far"}));
  EXPECT_EQ(InheritedFrom({far, near}, {1, 0, 0}), Once({4, 1, "far"}));
  EXPECT_EQ(InheritedFrom({near, kUndecodable}, {0, 1, 0}), OnceUnmarked());
}

TEST_F(ServerFilter, AnUndecodableMarkIsObeyedAndEndsHere) {
  for (const std::string &bytes :
       {std::string(kUndecodable), Encoded({0, 1, "x"}).substr(0, 2),
        std::string(2000, 'x')})
    EXPECT_EQ(InheritedFrom({bytes}, {0, 1, 0}), OnceUnmarked());
}

TEST_F(ServerFilter, AMarkThatPassedSixteenHopsIsObeyedAndEndsHere) {
  EXPECT_EQ(InheritedFrom({Encoded({15, 1, "edge"})}, {1, 0, 0}),
            Once({16, 1, "edge"}));
  for (uint32_t hops : {16u, 17u, UINT32_MAX})
    EXPECT_EQ(InheritedFrom({Encoded({hops, 1, "edge"})}, {0, 1, 0}),
              OnceUnmarked());
}

// A caller without the guard that retries by itself.
TEST_F(ServerFilter, ARetryOfAnUnguardedCallerCountsAsMarked) {
  Client caller(tiers_.middle(), Config().Guard("").Json());
  Pending call = caller.Start();
  rg_rpc_incoming *first = tiers_.inbox().Take();
  Visit second = {std::move(call), nullptr};
  EXPECT_TRUE(Count([&] {
                Reply(first);
                second.incoming = tiers_.inbox().Take();
              }) == (Counted{0, 0, 1}));
  EXPECT_EQ(tiers_.CallDownFor(second), Once({1, 2, ""}));
  EXPECT_EQ(second.End(), GRPC_STATUS_OK);
}

TEST_F(ServerFilter, TheFirstAttemptOfAnUnguardedCallerDoesNot) {
  Client caller(tiers_.middle(), Config().Guard("").Json());
  Visit first = {caller.Start(), tiers_.inbox().Take()};
  EXPECT_EQ(tiers_.CallDownFor(first), ThreeOfOurOwn());
  EXPECT_EQ(first.End(), GRPC_STATUS_OK);
}

TEST_F(ServerFilter, AMethodWithoutARetryPolicyForwardsButMarksNothing) {
  Tiers tiers(Config().NoRetryPolicy());
  EXPECT_EQ(tiers.CallDown(), OnceUnmarked());
  Visit visit = tiers.ArriveMarked({Encoded({0, 1, "edge"})});
  EXPECT_EQ(tiers.CallDownFor(visit), Once({1, 1, "edge"}));
  visit.End();
}

TEST_F(ServerFilter, ADisabledLayerNeitherObeysNorForwards) {
  Tiers tiers(Config().Guard(
      R"({"budget":{"disabled":true},"layer":{"disabled":true}})"));
  Visit visit = tiers.ArriveMarked({Encoded({0, 1, "edge"})});
  EXPECT_EQ(tiers.CallDownFor(visit), std::vector<Marks>(3));
  visit.End();
}

TEST_F(ServerFilter, AMarkBeyondThePolicysOwnHopsIsObeyedAndEndsHere) {
  Tiers tiers(
      Config().Guard(R"({"budget":{"disabled":true},"layer":{"maxHops":2}})"));
  Visit near = tiers.ArriveMarked({Encoded({1, 1, "edge"})});
  EXPECT_EQ(tiers.CallDownFor(near), Once({2, 1, "edge"}));
  near.End();
  Visit far = tiers.ArriveMarked({Encoded({2, 1, "edge"})});
  EXPECT_EQ(tiers.CallDownFor(far), OnceUnmarked());
  far.End();
}

// Another library may put its own object where gRPC hands ours down.
TEST_F(ServerFilter, AForeignContextIsNotTouched) {
  Visit visit = tiers_.ArriveMarked({Encoded({0, 1, "edge"})});
  grpc_census_call_set_context(visit.incoming->call,
                               reinterpret_cast<census_context *>(8));
  EXPECT_EQ(tiers_.CallDownFor(visit), ThreeOfOurOwn());
  retry_guard_hop *hop = nullptr;
  EXPECT_EQ(retry_guard_hop_from_server_call(visit.incoming->call, &hop),
            RETRY_GUARD_NOT_FOUND);
  visit.End();
}

TEST_F(ServerFilter, HandsDownToAnyNumberOfChildrenAtOnce) {
  Visit visit = tiers_.ArriveMarked({Encoded({0, 1, "edge"})});
  Request request;
  request.parent = visit.incoming->call;
  EXPECT_EQ(tiers_.below().Calls(100, request).size(), 100u);
  for (const Marks &marks : tiers_.leaf().Seen())
    EXPECT_EQ(marks, Marks{(Mark{1, 1, "edge"})});
  EXPECT_EQ(tiers_.below().Stats().attempts, 100u);
  visit.End();
}

// In a process that believes no marks; its leaf, too, sees none.
void WithoutAcceptingMarks(const std::function<void(Tiers &)> &body) {
  InAFreshProcess([&] {
    retry_guard_options options;
    retry_guard_options_init(&options);
    options.accept_marks = false;
    ASSERT_EQ(retry_guard_register(&options), RETRY_GUARD_OK);
    Tiers tiers;
    body(tiers);
  });
}

TEST(AcceptMarks, WhenOffMarksAreRemovedAndNothingElse) {
  WithoutAcceptingMarks([](Tiers &tiers) {
    Entries entries = {{"a", "1"}, {"b-bin", std::string("\0", 1)}, {"a", "2"}};
    Visit plain = tiers.Arrive(entries);
    Entries expected(*plain.incoming->metadata);
    plain.End();
    entries.emplace(entries.begin() + 1, RG_MARK_KEY, kUndecodable);
    entries.emplace_back(RG_MARK_KEY, Encoded({0, 1, "edge"}));
    Visit marked = tiers.Arrive(entries);
    EXPECT_EQ(Entries(*marked.incoming->metadata), expected);
    marked.End();
  });
}

TEST(AcceptMarks, WhenOffTheCallsOfAMarkedCallRetry) {
  WithoutAcceptingMarks([](Tiers &tiers) {
    Visit visit = tiers.ArriveMarked({Encoded({0, 1, "edge"})});
    EXPECT_EQ(tiers.CallDownFor(visit).size(), 3u);
    EXPECT_EQ(tiers.below().Stats().marks_made, 3u);
    EXPECT_EQ(tiers.below().Stats().marks_forwarded, 0u);
    visit.End();
  });
}

TEST(AcceptMarks, WhenOffTheCallsThatHadAMarkAreCounted) {
  WithoutAcceptingMarks([](Tiers &tiers) {
    std::string mark = Encoded({0, 1, "edge"});
    tiers.ArriveMarked({mark, mark}).End();
    tiers.ArriveMarked({kUndecodable}).End();
    tiers.ArriveMarked({}).End();
    retry_guard_process_stats stats = ProcessStats();
    EXPECT_EQ(stats.marks_stripped, 2u);
    EXPECT_EQ(stats.marks_accepted, 0u);
    EXPECT_EQ(stats.marks_rejected, 0u);
  });
}

}  // namespace
}  // namespace rg_test
