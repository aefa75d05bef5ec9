// SPDX-License-Identifier: Apache-2.0

// The command as a whole: what holds for all its verbs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/command.h"
#include "cli/verbs.h"
#include "retry_guard/retry_guard.h"

namespace {

using rg_test::Command;
using rg_test::Outcome;
using rg_test::RunCommand;
using rg_test::Verbs;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Command, HelpsOnStandardOutput) {
  for (const char *help : {"--help", "-h", "help"}) {
    Outcome outcome = RunCommand({help});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, StartsWith("Usage: retry-guard VERB"));
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(Command, WantsAVerb) {
  Outcome outcome = RunCommand({});
  EXPECT_EQ(outcome.status, 64);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, RunCommand({"--help"}).out);
}

TEST(Command, HelpsWithEveryVerb) {
  for (const std::string &verb : Verbs()) {
    Outcome outcome = RunCommand({"help", verb});
    EXPECT_EQ(outcome.status, 0) << verb;
    EXPECT_THAT(outcome.out, AnyOf(StartsWith("Usage: retry-guard " + verb),
                                   StartsWith("Usage: retry-guard VERB")));
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(RunCommand({verb, "--help"}).out, outcome.out);
    EXPECT_EQ(RunCommand({verb, "-h"}).out, outcome.out);
  }
}

TEST(Command, TellsWhatItIsFor) {
  Outcome outcome = RunCommand({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "retry-guard " +
                             std::string(retry_guard_version_string()) +
                             ", for gRPC 1.51.1\n");
}

TEST(Command, SuggestsTheNearestVerb) {
  Outcome outcome = RunCommand({"makr"});
  EXPECT_EQ(outcome.status, 64);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "retry-guard: there is no verb 'makr'; did you mean 'mark'?\n"
            "retry-guard: see retry-guard help\n");
  EXPECT_EQ(RunCommand({"help", "makr"}).err, outcome.err);
}

TEST(Command, SuggestsNothingForAnotherWord) {
  EXPECT_EQ(RunCommand({"\033[2J"}).err,
            "retry-guard: there is no verb '\\u001b[2J'\n"
            "retry-guard: see retry-guard help\n");
}

TEST(Command, RefusesUnknownOptionsOfEveryVerb) {
  for (const std::string &verb : Verbs()) {
    if (verb == "help") continue;
    for (const char *option : {"--nonsense", "-x"}) {
      Outcome outcome = RunCommand({verb, option});
      EXPECT_EQ(outcome.status, 64) << verb;
      EXPECT_EQ(outcome.err, "retry-guard: " + verb + ": " + option +
                                 " is no option\n"
                                 "retry-guard: see retry-guard help " +
                                 verb + "\n");
    }
  }
}

TEST(Command, SaysWhenItCannotWrite) {
  for (const char *verb : {"help", "--version"}) {
    Outcome outcome = Command({verb}).Output("/dev/full").Run();
    EXPECT_EQ(outcome.status, 74) << verb;
    EXPECT_THAT(outcome.err,
                HasSubstr("cannot write to standard output: No space left"));
  }
}

}  // namespace
