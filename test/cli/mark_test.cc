// SPDX-License-Identifier: Apache-2.0
#include "host/mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string.h>

#include <string>
#include <vector>

#include "cli/command.h"
#include "support/base64.h"

namespace {

using rg_test::Base64;
using rg_test::Command;
using rg_test::Outcome;
using rg_test::RunCommand;
using testing::HasSubstr;

std::string Value(const std::string &owner, uint32_t hops, uint32_t attempt) {
  rg_mark mark{};
  mark.hops = hops;
  mark.attempt = attempt;
  mark.owner_length = static_cast<uint8_t>(owner.size());
  memcpy(mark.owner, owner.data(), owner.size());
  uint8_t bytes[RG_MARK_MAX_BYTES];
  size_t length = rg_mark_encode(&mark, bytes);
  return Base64({reinterpret_cast<char *>(bytes), length});
}

Outcome Mark(std::vector<std::string> values) {
  values.insert(values.begin(), "mark");
  return RunCommand(values);
}

TEST(MarkVerb, ShowsOwnerHopsAndAttempt) {
  Outcome outcome = Mark({Value("front", 2, 3)});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out,
            "owner    front\n"
            "hops     2\n"
            "attempt  3, retry number 2\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(MarkVerb, TakesPaddedValues) {
  EXPECT_EQ(Mark({"CgVmcm9udBABGAI="}).out, Mark({"CgVmcm9udBABGAI"}).out);
  EXPECT_THAT(Mark({"CgVmcm9udBABGAI="}).out, HasSubstr("front"));
}

TEST(MarkVerb, SaysWhatTheFirstOfThingsAre) {
  EXPECT_EQ(Mark({Value("", 0, 1)}).out,
            "owner    (without a name)\n"
            "hops     0, as the owner sent it\n"
            "attempt  1, the first\n");
  EXPECT_THAT(Mark({Value("", 4294967295, 4294967295)}).out,
              HasSubstr("4294967295, retry number 4294967294\n"));
}

TEST(MarkVerb, TellsSeveralApart) {
  EXPECT_EQ(Mark({"CgFhGAE", "CgFiGAE"}).out,
            "CgFhGAE\n"
            "  owner    a\n"
            "  hops     0, as the owner sent it\n"
            "  attempt  1, the first\n"
            "\n"
            "CgFiGAE\n"
            "  owner    b\n"
            "  hops     0, as the owner sent it\n"
            "  attempt  1, the first\n");
}

TEST(MarkVerb, ReadsLinesOfStandardInput) {
  Outcome outcome =
      Command({"mark", "-"}).Input("  CgFhGAE \r\n\n\tCgFiGAE").Run();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, Mark({"CgFhGAE", "CgFiGAE"}).out);
  EXPECT_EQ(Command({"mark", "-"}).Input("\n").Run().out, "");
}

TEST(MarkVerb, NamesTheCharacterThatIsNotBase64) {
  Outcome outcome = Mark({"CgV!cm9u"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "retry-guard: \"CgV!cm9u\" is not base64: its character 4 is "
            "\"!\"\n");
}

TEST(MarkVerb, SaysThatAValueWasCutOff) {
  EXPECT_EQ(Mark({"CgVmc"}).err,
            "retry-guard: \"CgVmc\" is not base64: something is missing at its "
            "end\n");
}

TEST(MarkVerb, SaysWhatIsNoMark) {
  Outcome outcome = Mark({"/////w"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("\"/////w\" is no mark: its 4 bytes are"));
  // An owner of 65 bytes.
  std::string long_owner = std::string("\n\x41") + std::string(65, 'x');
  EXPECT_THAT(Mark({Base64(long_owner)}).err, HasSubstr("is no mark"));
}

TEST(MarkVerb, SaysWhatIsTooLong) {
  std::string zeros(97, '\0');
  EXPECT_THAT(Mark({Base64(zeros)}).err,
              HasSubstr("it has 97 bytes, and no mark has more than 96"));
  EXPECT_THAT(Mark({Base64(std::string(2000, 'x'))}).err,
              HasSubstr("is too long for a mark: 2000 bytes"));
}

TEST(MarkVerb, ShowsTheGoodOnesAmongBad) {
  Outcome outcome = Mark({"CgFhGAE", "?", "CgFiGAE"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, Mark({"CgFhGAE", "CgFiGAE"}).out);
}

TEST(MarkVerb, WritesNoControlCharactersOfTheOwnerRaw) {
  EXPECT_THAT(Mark({Value("\033[2J", 0, 1)}).out,
              HasSubstr("owner    \\u001b[2J\n"));
  EXPECT_THAT(Mark({"\033[2J"}).err, HasSubstr("its character 1 is \"\\u001b"));
}

TEST(MarkVerb, WantsAValue) {
  Outcome outcome = Mark({});
  EXPECT_EQ(outcome.status, 64);
  EXPECT_THAT(outcome.err, HasSubstr("mark: which VALUE?"));
}

}  // namespace
