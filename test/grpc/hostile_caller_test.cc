// SPDX-License-Identifier: Apache-2.0

// Callers that send what no gRPC client would: the service goes on, the guard
// errs on the side of not retrying, and what it sends on is always legal.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grpc/hand_client.h"
#include "grpc/hostile.h"
#include "grpc/tiers.h"
#include "host/baggage.h"
#include "support/base64.h"
#include "support/random.h"

namespace rg_test {
namespace {

using End = HandClient::End;

std::string WithBaggage() {
  return Config()
      .Guard(R"({"budget":{"disabled":true},"layer":{"baggage":true}})")
      .Json();
}

class HostileCaller : public Guarded {
 protected:
  // The process looks into baggage once a policy that wants it is in use.
  void SetUp() override { ForwardedOf({}); }

  // After whatever has been sent, others are still served, and their marks are
  // what they should be.
  void ExpectStillServing() {
    HandClient other(relay_.port());
    EXPECT_EQ(other.Call({{RG_MARK_KEY, Base64(Encoded({2, 1, "edge"}))}}),
              End::kAnswered);
    EXPECT_EQ(Forwarded(), Marks{(Mark{3, 1, "edge"})});
  }

  // What went on to the sink with the last call.
  Marks Forwarded() {
    Marks marks;
    for (const std::string &bytes : sink_.marks())
      marks.push_back(Decoded(bytes));
    return marks;
  }

  // A call that must have been answered, and what of its marks went on.
  Marks ForwardedOf(const Entries &entries) {
    EXPECT_EQ(caller_.Call(entries), End::kAnswered);
    return Forwarded();
  }

  Sink sink_;
  Relay relay_{sink_.address(), WithBaggage()};
  HandClient caller_{relay_.port()};
};

TEST_F(HostileCaller, PaddingOfAMarkDoesNotMatter) {
  for (const char *owner : {"a", "ab", "abc"})
    for (bool padded : {false, true})
      EXPECT_EQ(
          ForwardedOf({{RG_MARK_KEY, Base64(Encoded({0, 1, owner}), padded)}}),
          Marks{(Mark{1, 1, owner})});
}

TEST_F(HostileCaller, AMarkThatIsEncodedTwiceEndsHere) {
  std::string once = Base64(Encoded({0, 1, "edge"}), true);
  uint64_t before = ProcessStats().marks_rejected;
  EXPECT_EQ(ForwardedOf({{RG_MARK_KEY, Base64(once)}}), Marks());
  EXPECT_EQ(ProcessStats().marks_rejected, before + 1);
}

// gRPC refuses what is no base64; it may end the connection over it.
TEST_F(HostileCaller, AnyByteMayStandInAMarksBaseSixtyFour) {
  std::string good = Base64(Encoded({0, 1, "edge"}));
  for (int byte = 0; byte < 256; byte++)
    for (size_t at : {size_t{0}, size_t{3}, good.size()}) {
      std::string bad = good;
      bad.insert(at, 1, static_cast<char>(byte));
      caller_.Call({{RG_MARK_KEY, bad}});
    }
  ExpectStillServing();
}

TEST_F(HostileCaller, AnyBytesMayBeAMark) {
  Random random(1);
  for (int round = 0; round < 300; round++) {
    std::string bytes = Encoded({0, 1, "edge"});
    for (uint64_t edits = random.Below(4); edits > 0; edits--)
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Below(256));
    if (random.OneIn(4)) bytes.resize(random.Below(bytes.size()));
    EXPECT_LE(ForwardedOf({{RG_MARK_KEY, Base64(bytes)}}).size(), 1u);
  }
  ExpectStillServing();
}

TEST_F(HostileCaller, AnyByteMayStandInBaggage) {
  std::string member = "retry-layer=" + Base64(Encoded({0, 1, "edge"}));
  for (int byte = 0; byte < 256; byte++) {
    std::string c(1, static_cast<char>(byte));
    for (const std::string &text :
         {c + member, member + c, member.substr(0, 15) + c + member.substr(15),
          "a=" + c + "," + member, c})
      caller_.Call({{RG_BAGGAGE_KEY, text}});
  }
  ExpectStillServing();
}

TEST_F(HostileCaller, MarksOfSixteenKibibytesEndHere) {
  EXPECT_EQ(ForwardedOf({{RG_MARK_KEY, Base64(std::string(16384, 'x'))}}),
            Marks());
  EXPECT_EQ(ForwardedOf({{RG_MARK_KEY, Base64(Encoded({0, 1, ""}) +
                                              std::string(16384, 0))}}),
            Marks());
  ExpectStillServing();
}

TEST_F(HostileCaller, BaggageOfSixteenKibibytesIsHandedOnAsItIs) {
  for (const std::string &others :
       {"k=" + std::string(16384, 'x'), std::string(16384, ','),
        std::string(16384, ';'), std::string(16384, '=')}) {
    std::string member = "retry-layer=" + Base64(Encoded({0, 1, "edge"}));
    EXPECT_EQ(ForwardedOf({{RG_BAGGAGE_KEY, others + "," + member}}),
              Marks{(Mark{1, 1, "edge"})});
  }
  std::string large = "k=" + std::string(16384, 'x');
  ForwardedOf({{RG_BAGGAGE_KEY, large}});
  EXPECT_TRUE(sink_.baggage() == std::vector<std::string>{large});
  ExpectStillServing();
}

TEST_F(HostileCaller, OfAThousandMarksTheOneThatWentFarthestCounts) {
  Entries entries;
  for (uint32_t i = 0; i < 1000; i++)
    entries.emplace_back(RG_MARK_KEY, Base64(Encoded({i % 10, 1, "edge"})));
  EXPECT_EQ(ForwardedOf(entries), Marks{(Mark{10, 1, "edge"})});
  entries[500].second = Base64(kUndecodable);
  EXPECT_EQ(ForwardedOf(entries), Marks());
  ExpectStillServing();
}

TEST_F(HostileCaller, AThousandMembersOfBaggageGoOn) {
  Entries entries;
  std::string all;
  for (int i = 0; i < 1000; i++) {
    std::string member = "m" + std::to_string(i) + "=v";
    entries.emplace_back(RG_BAGGAGE_KEY, member);
    all += (i > 0 ? "," : "") + member;
  }
  std::string mark = "retry-layer=" + Base64(Encoded({4, 1, "edge"}));
  entries.emplace(entries.begin() + 500, RG_BAGGAGE_KEY, mark);
  EXPECT_EQ(ForwardedOf(entries), Marks{(Mark{5, 1, "edge"})});
  // The old mark is gone from it, and there is no room for the new one.
  EXPECT_TRUE(sink_.baggage() == std::vector<std::string>{all});
  ExpectStillServing();
}

TEST_F(HostileCaller, NumbersOfAttemptsMayBeNonsense) {
  for (const char *text :
       {"", "-1", "4294967295", "4294967296", "99999999999999999999", "abc",
        " 1", "1 ", "0x1", "1e3", "\xff", "1,2"})
    caller_.Call({{"grpc-previous-rpc-attempts", text}});
  caller_.Call({{"grpc-previous-rpc-attempts", "1"},
                {"grpc-previous-rpc-attempts", "2"}});
  EXPECT_EQ(ForwardedOf({{"grpc-previous-rpc-attempts", "4294967295"}}),
            Marks{(Mark{1, UINT32_MAX, ""})});
  ExpectStillServing();
}

TEST_F(HostileCaller, TimeoutsMayBeNonsense) {
  for (const char *text : {"", "0n", "1n", "-5S", "99999999H", "999999999999H",
                           "5", "S", "5x", "\xff", "1S,2S"})
    caller_.Call({{"grpc-timeout", text}});
  ExpectStillServing();
}

TEST_F(HostileCaller, PushbacksInRequestsMeanNothing) {
  for (const char *text : {"", "-1", "0", "99999999999999999999", "x"})
    caller_.Call({{"grpc-retry-pushback-ms", text},
                  {"grpc-status-details-bin", Base64("\xff\xff")}});
  ExpectStillServing();
}

// At an edge that believes nobody.
TEST(HostileEdge, NoMarkGetsInAndNothingElseIsTouched) {
  InAFreshProcess([] {
    retry_guard_options options;
    retry_guard_options_init(&options);
    options.accept_marks = false;
    ASSERT_EQ(retry_guard_register(&options), RETRY_GUARD_OK);
    Sink sink;
    Relay relay(sink.address(), Config().Guard("").Json());
    HandClient caller(relay.port());

    std::string many;
    for (int i = 0; i < 1000; i++)
      many += (i > 0 ? ",m" : "m") + std::to_string(i) + "=v;p=" + "\xfe";
    const std::string zero(1, '\0');
    Entries others = {{"a", "1"}, {"b-bin", Base64(zero)}, {"a", "2"}};
    Entries plain = others;
    plain.emplace_back("baggage", many);
    EXPECT_EQ(caller.Call(plain), End::kAnswered);
    Entries expected = relay.last();
    EXPECT_TRUE(expected.Values("baggage") == std::vector<std::string>{many});
    EXPECT_TRUE(expected.Values("b-bin") == std::vector<std::string>{zero});

    std::string mark = "retry-layer=" + Base64(Encoded({0, 1, "edge"}));
    Entries marked = others;
    marked.emplace_back("baggage", mark + "," + many + ",retry-layer=%;x");
    for (int i = 0; i < 1000; i++)
      marked.emplace(marked.begin() + i % 3, RG_MARK_KEY, Base64("\xff"));
    EXPECT_EQ(caller.Call(marked), End::kAnswered);
    EXPECT_TRUE(relay.last() == expected);
    EXPECT_EQ(ProcessStats().marks_stripped, 1u);
    EXPECT_EQ(ProcessStats().marks_accepted, 0u);
    EXPECT_EQ(ProcessStats().fail_open, 0u);
  });
}

}  // namespace
}  // namespace rg_test
