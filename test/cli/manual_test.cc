// SPDX-License-Identifier: Apache-2.0

// The man page and the completions keep up with the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/verbs.h"

namespace {

using rg_test::Options;
using rg_test::Outcome;
using rg_test::Verbs;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string ManPage() {
  std::ifstream file(RG_CLI_DIR "/retry-guard.1");
  EXPECT_TRUE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ManPage, HasEveryVerbAndOption) {
  std::string page = ManPage();
  for (const std::string &verb : Verbs()) {
    EXPECT_THAT(page, HasSubstr("\n.It Cm " + verb)) << verb;
    for (const std::string &option : Options(verb))
      EXPECT_THAT(page, HasSubstr(" Fl -" + option.substr(2))) << verb;
  }
}

// What bash offers for the last of the words.
std::vector<std::string> Completions(const std::string &words) {
  std::string script = "source " RG_CLI_DIR "/retry-guard.bash; COMP_WORDS=(" +
                       words +
                       "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
                       "compopt() { :; }; _retry_guard; "
                       "printf '%s\\n' \"${COMPREPLY[@]}\"";
  Outcome outcome = rg_test::Program({"/bin/bash", "-c", script}).Run();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) found.push_back(line);
  return found;
}

TEST(ManPage, IsWhatManCanShow) {
  if (system("command -v mandoc >/dev/null") != 0)
    GTEST_SKIP() << "mandoc is not installed";
  Outcome outcome = rg_test::Program({"/usr/bin/env", "mandoc", "-Tlint",
                                      "-Wstyle", RG_CLI_DIR "/retry-guard.1"})
                        .Run();
  EXPECT_THAT(outcome.out, Not(HasSubstr("ERROR")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("WARNING")));
}

TEST(Completion, KnowsEveryVerbAndOption) {
  for (const std::string &verb : Verbs()) {
    EXPECT_THAT(Completions("retry-guard \"\""), Contains(verb));
    EXPECT_THAT(Completions("retry-guard help \"\""), Contains(verb));
    for (const std::string &option : Options(verb))
      EXPECT_THAT(Completions("retry-guard " + verb + " --"),
                  Contains(AnyOf(option, option + "=")));
  }
}

TEST(Completion, GoesOnFromTheBeginOfAWord) {
  EXPECT_THAT(Completions("retry-guard in"), ElementsAre("init"));
  EXPECT_THAT(Completions("retry-guard init --sty"), ElementsAre("--style="));
  EXPECT_THAT(Completions("retry-guard init --style w"), ElementsAre("window"));
  EXPECT_THAT(Completions("retry-guard init --style = w"),
              ElementsAre("window"));
  EXPECT_THAT(Completions("retry-guard init --style ="),
              ElementsAre("budget", "window"));
}

TEST(Completion, LeavesFileNamesToBash) {
  EXPECT_THAT(Completions("retry-guard policy \"\""), ElementsAre(""));
  EXPECT_THAT(Completions("retry-guard policy sho"), ElementsAre(""));
}

}  // namespace
