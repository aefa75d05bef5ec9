// SPDX-License-Identifier: Apache-2.0

// Debian's Ruby gRPC, as it is, with the guard preloaded: it loads gRPC long
// after the program began. Needs ruby-grpc, and is skipped without.
#include <gmock/gmock.h>

#include <cstdlib>

#include "e2e/preloaded.h"

namespace {

using rg_test::ConfigFile;
using rg_test::Outcome;
using rg_test::Program;
using testing::HasSubstr;
using testing::Not;

constexpr char kClient[] = RG_RUBY_DIR "/ruby_client.rb";
constexpr char kTier[] = RG_RUBY_DIR "/ruby_tier.rb";

class Ruby : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    installed_ = std::system(
                     "command -v ruby >/dev/null && "
                     "ruby -e 'require \"grpc\"' >/dev/null 2>&1") == 0;
  }

  void SetUp() override {
    if (!installed_) GTEST_SKIP() << "Ruby with gRPC is not at hand";
  }

  static inline bool installed_ = false;
};

using RubyClient = Ruby;
using RubyServer = Ruby;

TEST_F(RubyClient, RetriesAreBounded) {
  ConfigFile config(FiveAttempts());
  Tier leaf({"--fail", "UNAVAILABLE"});
  Outcome plain = Program({"/usr/bin/env", "ruby", kClient, leaf.address(),
                           "40", FiveAttempts()})
                      .Run();
  EXPECT_EQ(plain.out, "0 ok\n") << plain.err;
  EXPECT_EQ(leaf.Read(true)->requests, 200u);
  Outcome guarded = RunGuarded({"--config", config.path()},
                               {"ruby", kClient, leaf.address(), "40"});
  EXPECT_EQ(guarded.out, "0 ok\n");
  EXPECT_THAT(guarded.err, HasSubstr("retry budget exhausted"));
  EXPECT_THAT(guarded.err, Not(HasSubstr("retry-guard: ")));
  EXPECT_EQ(leaf.Read()->requests, 41u);
}

TEST_F(RubyClient, CallsThatSucceedDoSo) {
  ConfigFile config(FiveAttempts());
  Tier leaf({});
  Outcome outcome = RunGuarded({"--config", config.path()},
                               {"ruby", kClient, leaf.address(), "20"});
  EXPECT_EQ(outcome.out, "20 ok\n") << outcome.err;
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(leaf.Read()->marked, 20u);
}

TEST_F(RubyClient, OwnsTheRetriesOfTheTiersBelow) {
  ConfigFile config(FiveAttempts(kUnlimited));
  Tier leaf({"--fail", "UNAVAILABLE"});
  Tier front({"--next", leaf.address(), "--guard", "--service-config",
              FiveAttempts(kUnlimited)});
  Outcome outcome = RunGuarded({"--config", config.path(), "--layer", "ruby"},
                               {"ruby", kClient, front.address(), "1"});
  EXPECT_EQ(outcome.out, "0 ok\n") << outcome.err;
  Counts counts = leaf.Read();
  EXPECT_EQ(counts->requests, 5u);
  EXPECT_EQ(counts->marked, 5u);
}

TEST_F(RubyClient, ABadConfigIsSaidWhenGrpcIsThere) {
  Tier leaf({});
  Outcome outcome = RunGuarded({"--config", "/no/such/file"},
                               {"ruby", kClient, leaf.address(), "1"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "1 ok\n");
  EXPECT_EQ(outcome.err,
            "retry-guard: /no/such/file: cannot be read: No such file or "
            "directory; ruby runs unguarded\n");
}

TEST_F(RubyClient, StrictlyABadConfigEndsItWhenItUsesGrpc) {
  Outcome outcome =
      Program({"/usr/bin/env", "LD_PRELOAD=" RG_PRELOAD_PATH,
               "RETRY_GUARD_SERVICE_CONFIG=/no/such/file",
               "RETRY_GUARD_STRICT=1", "ruby", kClient, "127.0.0.1:1", "1"})
          .Run();
  EXPECT_EQ(outcome.status, 78);
  EXPECT_EQ(outcome.out, "");
}

TEST_F(RubyClient, RubyWithoutGrpcRunsAsAlways) {
  Outcome outcome = RunGuarded({}, {"ruby", "-e", "puts 1; exit 5"});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_EQ(outcome.out, "1\n");
  EXPECT_EQ(outcome.err,
            "retry-guard: ruby has not used libgrpc.so.29, so nothing was "
            "guarded; a gRPC that is linked statically cannot be\n");
}

// Requests at a failing leaf for one call of an edge that would make five
// attempts, with a Ruby tier in between that would, too. Without any guard they
// are five: Ruby's servers send initial metadata of their own before a status,
// after which no client of theirs retries.
uint64_t RequestsThroughRuby(const char *way) {
  ConfigFile config(FiveAttempts(kUnlimited));
  Tier leaf({"--fail", "UNAVAILABLE"});
  Tier middle(RunArguments({"--config", config.path()},
                           {"ruby", kTier, leaf.address(), way}),
              RG_COMMAND_PATH);
  Tier edge({"--next", middle.address(), "--guard", "--service-config",
             FiveAttempts(kUnlimited)});
  EXPECT_EQ(edge.Call(1), 0u);
  Counts counts = leaf.Read();
  EXPECT_EQ(counts->marked, counts->requests);
  return counts->requests;
}

TEST_F(RubyServer, PassesTheMarkOnWithTheIncomingCallAsParent) {
  EXPECT_EQ(RequestsThroughRuby("parent"), 1u);
}

TEST_F(RubyServer, PassesTheMarkOnByACopyInItsMetadata) {
  EXPECT_EQ(RequestsThroughRuby("copy"), 1u);
}

// Handlers run on other threads than gRPC's events, with no trace of the call
// they answer: nothing but the application can pass the mark on.
TEST_F(RubyServer, AHandlerThatPassesNothingOnBeginsATreeOfItsOwn) {
  EXPECT_EQ(RequestsThroughRuby("alone"), 5u);
}

}  // namespace
