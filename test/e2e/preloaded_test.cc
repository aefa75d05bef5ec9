// SPDX-License-Identifier: Apache-2.0

// Programs that know nothing of the guard, run with it by `retry-guard run`:
// what it does to those that have the gRPC it is for, and that it does nothing
// but say one line to all others.
#include "e2e/preloaded.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "e2e/free_address.h"

namespace {

using rg_test::ConfigFile;
using rg_test::Outcome;
using rg_test::Program;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kSaid[] = "begins\nends\n";

std::string NothingGuarded(const std::string &program) {
  return "retry-guard: " + program +
         " has not used libgrpc.so.29, so nothing was guarded; a gRPC that is "
         "linked statically cannot be\n";
}

std::string Beside(const char *name) {
  return std::filesystem::path(RG_PLAIN_PATH).replace_filename(name);
}

// ---- Programs without the gRPC that the guard is for ------------------------

TEST(Preload, AProgramWithoutGrpcRunsAsAlways) {
  Outcome outcome = RunGuarded({}, {"/bin/true"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, NothingGuarded("true"));
  outcome = RunGuarded({}, {"/bin/bash", "-c", "echo out; exit 3"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_EQ(outcome.err, NothingGuarded("bash"));
}

TEST(Preload, AProgramThatASignalEndsIsEndedByIt) {
  EXPECT_EQ(RunGuarded({}, {"/bin/bash", "-c", "kill -TERM $$"}).status,
            128 + 15);
}

TEST(Preload, WhatAProgramStartsDoesNotSayItAgain) {
  Outcome outcome = RunGuarded(
      {}, {"/bin/bash", "-c", "/bin/true; (exit 1); /bin/false; exit 0"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, NothingGuarded("bash"));
}

TEST(Preload, ALineGoesToNoFileInPlaceOfStandardError) {
  Outcome outcome = RunGuarded({}, {"/bin/bash", "-c", "exec 2>&1; exit 0"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(RunGuarded({}, {"/bin/bash", "-c", "exec 2>&-; exit 4"}).status, 4);
}

// Otherwise every program would load what it needs.
TEST(Preload, TheLibraryNeedsAndGivesAlmostNothing) {
  Outcome needed =
      Program({"/usr/bin/env", "bash", "-c",
               "readelf -dW " RG_PRELOAD_PATH
               " | grep NEEDED | sed 's/.*\\[//; s/\\..*//' | xargs"})
          .Run();
  EXPECT_EQ(needed.out, "libc\n") << needed.err;
  Outcome given =
      Program({"/usr/bin/env", "bash", "-c",
               "nm -D --defined-only " RG_PRELOAD_PATH " | sed 's/.* //'"})
          .Run();
  EXPECT_EQ(given.out, "grpc_init\n") << given.err;
}

TEST(Preload, AProgramWithoutGrpcLoadsNone) {
  Outcome outcome = RunGuarded({}, {"/bin/cat", "/proc/self/maps"});
  EXPECT_THAT(outcome.out, HasSubstr("libretry_guard_preload.so"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("libretry_guard.so")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("grpc")));
}

TEST(Preload, AProgramWithGrpcInItCannotBeGuarded) {
  Outcome outcome = RunGuarded({"--strict"}, {Beside("rg_plain_static")});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, kSaid);
  EXPECT_EQ(outcome.err, NothingGuarded("rg_plain_static"));
}

TEST(Preload, AnotherGrpcLibraryIsNamed) {
  Outcome outcome = RunGuarded({}, {Beside("rg_plain_unsecure")});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, kSaid);
  EXPECT_THAT(outcome.err,
              AllOf(StartsWith("retry-guard: /"),
                    EndsWith("/libgrpc_unsecure.so.29 is not the gRPC library "
                             "that this guard is for, which is libgrpc.so.29; "
                             "rg_plain_unsecure runs unguarded\n")));
}

TEST(Preload, AnotherVersionOfTheGrpcLibraryIsLeftAlone) {
  Outcome outcome = RunGuarded({}, {Beside("rg_plain_version")});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, kSaid);
  EXPECT_EQ(outcome.err,
            "retry-guard: this build of Retry Guard does not fit the gRPC "
            "library of the process; build it against the installed gRPC; "
            "rg_plain_version runs unguarded\n");
}

TEST(Preload, StrictlyNoOtherGrpcRuns) {
  Outcome outcome = RunGuarded({"--strict"}, {Beside("rg_plain_version")});
  EXPECT_EQ(outcome.status, 78);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, EndsWith("must not run unguarded\n"));
  EXPECT_EQ(RunGuarded({"--strict"}, {Beside("rg_plain_unsecure")}).status, 78);
}

TEST(Preload, AProgramThatRegistersTheGuardItselfIsToldSo) {
  Outcome outcome = RunGuarded({}, {RG_README_EXAMPLE_PATH});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "retry-guard: rg_readme_example has registered Retry Guard itself, "
            "so the environment does not count\n");
}

// ---- What the environment says ----------------------------------------------

TEST(Preload, SaysNothingWhereAllIsWell) {
  ConfigFile config(FiveAttempts());
  Outcome outcome =
      RunGuarded({"--config", config.path(), "--strict"}, {RG_PLAIN_PATH});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, kSaid);
  EXPECT_EQ(outcome.err, "");
}

TEST(Preload, AConfigThatCannotBeUsedLeavesTheProgramUnguarded) {
  ConfigFile config(FiveAttempts(R"("budget":{"window":{"percent":1001}},)"));
  Outcome outcome = RunGuarded({"--config", config.path()}, {RG_PLAIN_PATH});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, kSaid);
  EXPECT_THAT(outcome.err,
              AllOf(StartsWith("retry-guard: " + config.path() +
                               ": retryGuard.budget.window.percent: must be "),
                    EndsWith(", got 1001; rg_plain runs unguarded\n")));
  outcome = RunGuarded({"--config", "/no/such/file"}, {RG_PLAIN_PATH});
  EXPECT_EQ(outcome.out, kSaid);
  EXPECT_EQ(outcome.err,
            "retry-guard: /no/such/file: cannot be read: No such file or "
            "directory; rg_plain runs unguarded\n");
}

TEST(Preload, OfSeveralFaultsTheFirstIsToldAndTheOthersCounted) {
  ConfigFile config(R"({"retryGuard":{"mode":"X","colour":1,"budget":7}})");
  EXPECT_THAT(RunGuarded({"--config", config.path()}, {RG_PLAIN_PATH}).err,
              EndsWith(" (and 2 more: see retry-guard check); rg_plain runs "
                       "unguarded\n"));
}

// The variables alone, without the command.
Outcome RunPreloaded(const Arguments &variables) {
  Arguments all = {"/usr/bin/env", "LD_PRELOAD=" RG_PRELOAD_PATH};
  all.insert(all.end(), variables.begin(), variables.end());
  all.push_back(RG_PLAIN_PATH);
  return Program(all).Run();
}

TEST(Preload, StrictlyABadConfigEndsTheProgramBeforeMain) {
  Outcome outcome = RunPreloaded(
      {"RETRY_GUARD_SERVICE_CONFIG=/no/such/file", "RETRY_GUARD_STRICT=1"});
  EXPECT_EQ(outcome.status, 78);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "retry-guard: /no/such/file: cannot be read: No such file or "
            "directory; rg_plain must not run unguarded\n");
}

TEST(Preload, AValueThatIsNotKnownLeavesTheProgramUnguarded) {
  Outcome outcome = RunPreloaded({"RETRY_GUARD_MODE=on"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, kSaid);
  EXPECT_EQ(outcome.err,
            "retry-guard: RETRY_GUARD_MODE must be ENFORCE, SHADOW or OFF, got "
            "'on'; rg_plain runs unguarded\n");
}

TEST(Preload, NobodyAskedForALineWithoutTheCommand) {
  Outcome outcome =
      Program({"/usr/bin/env", "LD_PRELOAD=" RG_PRELOAD_PATH, "/bin/true"})
          .Run();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST(Preload, OptionsBecomeTheEnvironment) {
  ConfigFile config("{}");
  std::filesystem::path path(config.path());
  const std::string command =
      "cd /tmp && LD_PRELOAD=libm.so.6 " RG_COMMAND_PATH " run --config " +
      path.filename().string() +
      " --layer=front --mode=SHADOW --no-accept-marks --strict -- env";
  Outcome outcome = Program({"/bin/bash", "-c", command}).Run();
  for (const std::string &line :
       {"RETRY_GUARD_SERVICE_CONFIG=" + config.path(),
        std::string("RETRY_GUARD_LAYER=front"),
        std::string("RETRY_GUARD_MODE=SHADOW"),
        std::string("RETRY_GUARD_ACCEPT_MARKS=0"),
        std::string("RETRY_GUARD_STRICT=1"),
        std::string("LD_PRELOAD=" RG_PRELOAD_PATH ":libm.so.6")})
    EXPECT_THAT(outcome.out, HasSubstr(line + "\n"));
}

// ---- A C++ program ----------------------------------------------------------

Arguments Plain(const Tier &next) {
  return {RG_PLAIN_CPP_TIER_PATH, "--next", next.address()};
}

// Requests of a failing leaf for so many calls one after the other to a C++
// program that runs with the guard.
uint64_t RequestsOf(int calls, const Arguments &options) {
  Tier leaf({"--fail", "UNAVAILABLE"});
  Tier program(RunArguments(options, Plain(leaf)), RG_COMMAND_PATH);
  for (int i = 0; i < calls; i++) EXPECT_EQ(program.Call(1), 0u);
  return leaf.Read()->requests;
}

TEST(PreloadCpp, RetriesAreBounded) {
  ConfigFile config(FiveAttempts());
  EXPECT_EQ(RequestsOf(40, {"--config", config.path(), "--mode", "OFF"}), 200u);
  EXPECT_EQ(RequestsOf(40, {"--config", config.path()}), 41u);
}

TEST(PreloadCpp, ShadowOnlyWatches) {
  ConfigFile config(FiveAttempts());
  EXPECT_EQ(RequestsOf(4, {"--config", config.path(), "--mode", "SHADOW"}),
            20u);
}

TEST(PreloadCpp, MetricsAreServedOnRequest) {
  ConfigFile config(FiveAttempts());
  const std::string address = rg_test::FreeAddress();
  Tier leaf({"--fail", "UNAVAILABLE"});
  Tier program(RunArguments({"--config", config.path(), "--metrics", address},
                            Plain(leaf)),
               RG_COMMAND_PATH);
  EXPECT_EQ(program.Call(1), 0u);
  rg_test::Outcome top =
      rg_test::RunCommand({"top", "--once", "--interval=0.1", address});
  EXPECT_EQ(top.status, 0) << top.err;
  EXPECT_THAT(top.out, HasSubstr(leaf.address()));
}

TEST(PreloadCpp, WithoutItsMetricsAProgramIsGuardedAllTheSame) {
  ConfigFile config(FiveAttempts());
  Outcome outcome = RunGuarded(
      {"--config", config.path(), "--metrics", "nowhere:x"}, {RG_PLAIN_PATH});
  EXPECT_EQ(outcome.out, kSaid);
  EXPECT_THAT(outcome.err, HasSubstr("RETRY_GUARD_METRICS='nowhere:x'"));
}

TEST(PreloadCpp, ItsMetricsMayBeLoadedWhileOthersBeginToUseGrpc) {
  ConfigFile config(FiveAttempts());
  Outcome outcome =
      RunGuarded({"--config", config.path(), "--metrics", "127.0.0.1:0"},
                 {Beside("rg_plain_loader")});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, kSaid);
  EXPECT_EQ(outcome.err, "");
}

TEST(PreloadCpp, ATierThatPassesItsContextPassesTheMarkOn) {
  ConfigFile config(FiveAttempts(kUnlimited));
  Tier leaf({"--fail", "UNAVAILABLE"});
  Tier middle(RunArguments({"--config", config.path()}, Plain(leaf)),
              RG_COMMAND_PATH);
  Tier edge(RunArguments({"--config", config.path(), "--layer", "edge"},
                         {RG_PLAIN_CPP_TIER_PATH, "--next", middle.address()}),
            RG_COMMAND_PATH);
  EXPECT_EQ(edge.Call(1), 0u);
  Counts counts = leaf.Read();
  EXPECT_EQ(counts->requests, 5u);
  EXPECT_EQ(counts->marked, 5u);
  ASSERT_GT(counts->n_marks, 0u);
  std::string mark(reinterpret_cast<const char *>(counts->marks[0].data),
                   counts->marks[0].len);
  EXPECT_THAT(mark, HasSubstr("edge"));
}

TEST(PreloadCpp, AtTheEdgeMarksFromOutsideAreNotBelieved) {
  ConfigFile config(FiveAttempts(kUnlimited));
  Tier leaf({"--fail", "UNAVAILABLE"});
  Tier middle(RunArguments({"--config", config.path(), "--no-accept-marks"},
                           Plain(leaf)),
              RG_COMMAND_PATH);
  Tier outside(
      RunArguments({"--config", config.path()},
                   {RG_PLAIN_CPP_TIER_PATH, "--next", middle.address()}),
      RG_COMMAND_PATH);
  EXPECT_EQ(outside.Call(1), 0u);
  EXPECT_GT(leaf.Read()->requests, 5u);
}

}  // namespace
