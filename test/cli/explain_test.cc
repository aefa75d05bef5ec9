// SPDX-License-Identifier: Apache-2.0

// `retry-guard explain`, run as people run it.
#include <gtest/gtest.h>

#include <string>

#include "cli/command.h"
#include "cli/config_file.h"

namespace rg_test {
namespace {

Outcome Explain(const std::string &json, const std::string &method) {
  return Command({"explain", "-", method}).Input(json).Run();
}

bool Says(const Outcome &outcome, const std::string &text) {
  return outcome.out.find(text) != std::string::npos;
}

TEST(Explain, SaysWhereEveryValueComesFrom) {
  Outcome outcome = Explain(RetryConfig(4, R"("retryGuard":
                        {"budget": {"tokenBucket": {"tokenRatio": 0.2}}},)"),
                            "shop.Ledger/Post");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(
      outcome.out.find("shop.Ledger/Post\n"
                       "  methodConfig[0] of standard input is for it.\n"
                       "\n"
                       "Policy, and where it comes from\n"
                       "  mode                                default     "
                       "ENFORCE\n"),
      0u)
      << outcome.out;
  EXPECT_TRUE(
      Says(outcome, "  budget.tokenBucket.tokenRatio       retryGuard  0.2\n"))
      << outcome.out;
}

TEST(Explain, ShowsWhatGrpcDoesWhereTheGuardOnlyWatches) {
  Outcome outcome =
      Explain(RetryConfig(4, R"("retryGuard": {"mode": "SHADOW"},)"),
              "shop.Ledger/Post");
  EXPECT_TRUE(Says(outcome,
                   "for it.\n  The guard only watches (SHADOW): "
                   "what follows is what gRPC does.\n"))
      << outcome.out;
  EXPECT_TRUE(Says(outcome, "budget.tokenBucket.tokenRatio")) << outcome.out;
  Outcome plain = Explain(RetryConfig(4, ""), "shop.Ledger/Post");
  auto retries = [](const Outcome &of) {
    return of.out.substr(of.out.find("Retries\n"));
  };
  EXPECT_EQ(retries(outcome), retries(plain));
}

TEST(Explain, ShowsTheDelaysAndTheWorstCase) {
  Outcome outcome = Explain(RetryConfig(4, kGuard), "shop.Ledger/Post");
  EXPECT_EQ(outcome.out.substr(outcome.out.find("Retries\n")),
            "Retries\n"
            "  Up to 4 attempts, after UNAVAILABLE.\n"
            "\n"
            "Delay before each retry\n"
            "  retry  earliest  latest   mean\n"
            "      1        0s    0.1s  0.05s\n"
            "      2        0s    0.2s   0.1s\n"
            "      3        0s    0.3s  0.15s\n"
            "\n"
            "One call at worst\n"
            "  4 attempts and 0.6s of waiting between them, but all of it ends "
            "with the\n"
            "  method's timeout, 5s.\n"
            "\n"
            "All calls, however long they fail\n"
            "  1.10 attempts for each call: what the budget lets through.\n");
}

TEST(Explain, ShowsWhatGrpcAloneDoes) {
  Outcome outcome = Explain(RetryConfig(4, ""), "/shop.Ledger/Post");
  EXPECT_EQ(outcome.out,
            "shop.Ledger/Post\n"
            "  methodConfig[0] of standard input is for it.\n"
            "  There is no retryGuard: the guard leaves it alone.\n"
            "\n"
            "Retries\n"
            "  Up to 4 attempts, after UNAVAILABLE.\n"
            "\n"
            "Delay before each retry\n"
            "  retry  earliest  latest  mean\n"
            "      1      0.1s    0.1s  0.1s\n"
            "      2     0.16s   0.24s  0.2s\n"
            "      3     0.24s   0.36s  0.3s\n"
            "\n"
            "One call at worst\n"
            "  4 attempts and 0.7s of waiting between them, but all of it ends "
            "with the\n"
            "  method's timeout, 5s.\n"
            "\n"
            "All calls, however long they fail\n"
            "  4.00 attempts for each call: nothing bounds retries but "
            "maxAttempts.\n");
}

TEST(Explain, AddsUpTheAttemptsWhereTheyEndInTime) {
  Outcome outcome = Explain(
      RetryConfig(3, R"("retryGuard": {"deadline": {"attemptTimeout": "1s"},
                                       "budget": {"window": {}}},)"),
      "shop.Ledger/Post");
  EXPECT_TRUE(Says(outcome,
                   "  3 attempts and 0.3s of waiting between them: 3.3s, or "
                   "until the call's\n  deadline.\n"))
      << outcome.out;
  EXPECT_TRUE(Says(outcome,
                   "  1.20 attempts for each call, and minRetryRate in "
                   "each client: what the budget\n"))
      << outcome.out;
}

TEST(Explain, SaysWhenNothingIsRetried) {
  EXPECT_TRUE(Says(Explain(RetryConfig(3, kGuard), "shop.Till/Open"),
                   "No methodConfig entry of standard input is for it: gRPC "
                   "does not retry it.\n"));
  EXPECT_TRUE(Says(Explain(R"({"methodConfig": [{"name": [{}]}]})", "a.B/C"),
                   "is for it, and has no retryPolicy:"));
  EXPECT_TRUE(Says(Explain(RetryConfig(3, R"("retryGuard": {"mode": "OFF"},)"),
                           "shop.Ledger/Post"),
                   "The guard is OFF for it.\n"));
}

TEST(Explain, RefusesWhatGrpcRefuses) {
  Outcome outcome = Explain(RetryConfig(1, ""), "shop.Ledger/Post");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(Says(outcome, "must be at least 2")) << outcome.out;
}

TEST(Explain, SaysHowItIsCalled) {
  EXPECT_EQ(RunCommand({"explain", "--help"}).status, 0);
  EXPECT_EQ(RunCommand({"explain", "-"}).status, 64);
  for (const char *method : {"shop.Ledger", "/", "//", "a/b/c", ""})
    EXPECT_EQ(Explain("{}", method).status, 64) << method;
}

}  // namespace
}  // namespace rg_test
