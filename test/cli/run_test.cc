// SPDX-License-Identifier: Apache-2.0

// The verb `run`, as far as no program is started; e2e/preload_test.cc has the
// rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/command.h"
#include "cli/config_file.h"

namespace {

using rg_test::Outcome;
using rg_test::RunCommand;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kBadConfig[] =
    R"({"retryGuard":{"budget":{"tokenBucket":{"tokenRatio":1.5}}}})";

TEST(Run, NeedsAProgram) {
  for (const Outcome &outcome : {RunCommand({"run"}), RunCommand({"run", "--"}),
                                 RunCommand({"run", "--strict"})}) {
    EXPECT_EQ(outcome.status, 64);
    EXPECT_EQ(outcome.err,
              "retry-guard: run: no PROGRAM is given\n"
              "retry-guard: see retry-guard help run\n");
  }
}

TEST(Run, AProgramThatIsNotThereIs127) {
  Outcome outcome = RunCommand({"run", "--", "/no/such/program", "--option"});
  EXPECT_EQ(outcome.status, 127);
  EXPECT_EQ(outcome.err,
            "retry-guard: /no/such/program: No such file or directory\n");
}

TEST(Run, AProgramThatCannotRunIs126) {
  Outcome outcome = RunCommand({"run", "/etc/passwd"});
  EXPECT_EQ(outcome.status, 126);
  EXPECT_EQ(outcome.err, "retry-guard: /etc/passwd: Permission denied\n");
}

TEST(Run, OptionsAfterTheProgramAreTheProgramsOwn) {
  EXPECT_EQ(RunCommand({"run", "/no/such/program", "--nonsense"}).status, 127);
}

TEST(Run, KnowsItsModesAndHowLongANameIs) {
  EXPECT_THAT(RunCommand({"run", "--mode=on", "true"}).err,
              StartsWith("retry-guard: run: --mode must be ENFORCE, SHADOW or "
                         "OFF, got 'on'\n"));
  EXPECT_THAT(RunCommand({"run", "--layer", std::string(65, 'x'), "true"}).err,
              StartsWith("retry-guard: run: --layer must be at most 64 bytes"));
  for (const char *mode : {"ENFORCE", "SHADOW", "OFF"})
    EXPECT_EQ(RunCommand({"run", "--mode", mode, "/no/such/program"}).status,
              127);
}

TEST(Run, StrictlyDoesNotStartWithAConfigThatGrpcRefuses) {
  rg_test::ConfigFile config(kBadConfig);
  Outcome outcome = RunCommand(
      {"run", "--strict", "--config", config.path(), "/no/such/program"});
  EXPECT_EQ(outcome.status, 78);
  EXPECT_EQ(outcome.err, "retry-guard: " + config.path() +
                             ": retryGuard.budget.tokenBucket.tokenRatio: must "
                             "be in (0, 1], got 1.5\n");
  outcome = RunCommand({"run", "--strict", "--config=/no/such/file", "true"});
  EXPECT_EQ(outcome.status, 78);
  EXPECT_EQ(outcome.err,
            "retry-guard: /no/such/file: cannot be read: No such file or "
            "directory\n");
}

TEST(Run, OtherwiseLeavesItToTheProgram) {
  rg_test::ConfigFile config(kBadConfig);
  Outcome outcome =
      RunCommand({"run", "--config", config.path(), "/no/such/program"});
  EXPECT_EQ(outcome.status, 127);
}

}  // namespace
