// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/descriptors.h"
#include "config/read_config.h"

namespace {

using rg_test::Command;
using rg_test::kSet;
using rg_test::Outcome;
using rg_test::ReadBytes;
using rg_test::RunCommand;
using rg_test::SetOf;
using testing::HasSubstr;
using testing::IsEmpty;

Outcome Policy(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "policy");
  return RunCommand(arguments);
}

TEST(PolicyVerb, PrintsAServiceConfigForTheSafeMethods) {
  Outcome outcome = Policy({kSet});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, R"({
  "retryGuard": {},
  "methodConfig": [
    {
      "name": [
        {
          "service": "shop.v1.Ledger",
          "method": "Get"
        },
        {
          "service": "shop.v1.Ledger",
          "method": "Put"
        }
      ],
      "retryPolicy": {
        "maxAttempts": 4,
        "initialBackoff": "0.1s",
        "maxBackoff": "2s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": [
          "UNAVAILABLE"
        ]
      }
    },
    {
      "name": [
        {
          "service": "shop.v1.Shelf",
          "method": "Look"
        }
      ],
      "retryPolicy": {
        "maxAttempts": 4,
        "initialBackoff": "0.1s",
        "maxBackoff": "2s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": [
          "UNAVAILABLE"
        ]
      }
    }
  ]
}
)");
}

TEST(PolicyVerb, PrintsNothingToBeWarnedOf) {
  rg_test::ReadConfig config(Policy({rg_test::kSetWithImports}).out);
  EXPECT_THAT(config.errors(), IsEmpty());
  EXPECT_THAT(config.Advise().warnings(), IsEmpty());
}

TEST(PolicyVerb, NamesTheOtherMethodsOnStandardError) {
  EXPECT_EQ(Policy({kSet}).err,
            "3 of 6 methods are safe to repeat; the others get no retryPolicy: "
            "shop.v1.Ledger/Add, shop.v1.Ledger/Note, shop.v1.Alarm/Ring\n");
}

TEST(PolicyVerb, NamesNoMoreThanTwenty) {
  std::string set;
  for (int i = 0; i < 22; i++) set += SetOf("", "S", "m" + std::to_string(i));
  Outcome outcome = Command({"policy", "-"}).Input(set).Run();
  EXPECT_THAT(outcome.err, HasSubstr("0 of 22 methods are safe"));
  EXPECT_THAT(outcome.err, HasSubstr(", S/m19 and 2 more\n"));
  EXPECT_EQ(outcome.out,
            "{\n  \"retryGuard\": {},\n  \"methodConfig\": []\n}\n");
}

TEST(PolicyVerb, ReadsStandardInput) {
  EXPECT_EQ(Command({"policy", "-"}).Input(ReadBytes(kSet)).Run().out,
            Policy({kSet}).out);
}

TEST(PolicyVerb, TakesTheRetryPolicysValues) {
  Outcome outcome =
      Policy({kSet, "--max-attempts=2", "--initial-backoff", "0.0505s",
              "--max-backoff=10s", "--backoff-multiplier=1.6"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char *member :
       {R"("maxAttempts": 2,)", R"("initialBackoff": "0.0505s",)",
        R"("maxBackoff": "10s",)", R"("backoffMultiplier": 1.6,)"})
    EXPECT_THAT(outcome.out, HasSubstr(member));
}

TEST(PolicyVerb, RefusesValuesThatGrpcWouldRefuse) {
  struct {
    const char *option;
    const char *said;
  } cases[] = {
      {"--max-attempts=1", "must be in [2, 5], got '1'"},
      {"--max-attempts=6", "must be in [2, 5], got '6'"},
      {"--max-attempts=-4294967292", "must be in [2, 5]"},
      {"--max-attempts=-18446744073709551613", "must be in [2, 5]"},
      {"--max-attempts=3x", "must be in [2, 5]"},
      {"--max-attempts=", "must be in [2, 5]"},
      {"--initial-backoff=0s", "must be a time such as 0.1s, got '0s'"},
      {"--initial-backoff=100ms", "must be a time such as 0.1s"},
      {"--initial-backoff=0.0005s", "must be a time such as 0.1s"},
      {"--max-backoff=-1s", "must be a time such as 2s"},
      {"--backoff-multiplier=0", "must be in (0, 1000]"},
      {"--backoff-multiplier=1e-60", "must be in (0, 1000]"},
      {"--backoff-multiplier=1000.1", "must be in (0, 1000], got '1000.1'"},
      {"--backoff-multiplier=nan", "must be in (0, 1000]"},
      {"--backoff-multiplier=inf", "must be in (0, 1000]"},
      {"--backoff-multiplier=2,5", "must be in (0, 1000]"},
  };
  for (const auto &[option, said] : cases) {
    Outcome outcome = Policy({option, kSet});
    EXPECT_EQ(outcome.status, 64) << option;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(said)) << option;
  }
}

TEST(PolicyVerb, SaysWhatIsNoDescriptorSet) {
  Outcome outcome =
      Command({"policy", "-"}).Input("{ \"retryGuard\": {} }").Run();
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "retry-guard: standard input is damaged or no descriptor set\n");
}

TEST(PolicyVerb, SaysWhatCannotBeRead) {
  Outcome outcome = Policy({"/nowhere/shop.pb"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "retry-guard: /nowhere/shop.pb: No such file or directory\n");
}

TEST(PolicyVerb, WantsOneFile) {
  EXPECT_EQ(Policy({}).status, 64);
  EXPECT_EQ(Policy({kSet, kSet}).status, 64);
}

}  // namespace
