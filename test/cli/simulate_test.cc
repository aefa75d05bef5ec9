// SPDX-License-Identifier: Apache-2.0

// `retry-guard simulate`, run as people run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jansson.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/config_file.h"

namespace rg_test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

// A minute of one server that fails for ten seconds; `more` are variants.
std::string Fleet(const std::string &more = "") {
  return R"({ "title": "A server fails", "duration": "60s", "warmUp": "5s",
  "tiers": [ { "name": "shop.Ledger", "workers": 10 } ],
  "loads": [ { "clients": 5, "callsPerSecond": 100 } ],
  "incidents": [ { "kind": "ERRORS", "at": "20s", "lasts": "10s" } ],
  "variants": [ { "name": "plain", "loop": { "attempts": 3 } })" +
         more + " ] }";
}

const char kGuarded[] = R"(, { "name": "guarded", "serviceConfig": {
  "retryGuard": {}, "methodConfig": [ { "name": [ {} ], "retryPolicy": {
    "maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s",
    "backoffMultiplier": 2, "retryableStatusCodes": [ "UNAVAILABLE" ]
  } } ] } })";

Outcome Simulate(const std::string &scenario,
                 std::vector<std::string> arguments) {
  ConfigFile file(scenario);
  arguments.insert(arguments.begin(), {"simulate", file.path()});
  return RunCommand(std::move(arguments));
}

class Json {
 public:
  explicit Json(const std::string &text)
      : root_(json_loads(text.c_str(), 0, nullptr), json_decref) {
    EXPECT_NE(root_, nullptr) << text;
  }

  const json_t *Variant(size_t i) const {
    return json_array_get(json_object_get(root_.get(), "variants"), i);
  }

  double Review(size_t variant, const char *key) const {
    return json_number_value(
        json_object_get(json_object_get(Variant(variant), "review"), key));
  }

  const json_t *Series(size_t variant, const char *key) const {
    return json_object_get(json_object_get(Variant(variant), "series"), key);
  }

 private:
  std::unique_ptr<json_t, void (*)(json_t *)> root_;
};

std::string ReadFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

double Sum(const json_t *series) {
  double sum = 0;
  for (size_t i = 0; i < json_array_size(series); i++)
    sum += json_number_value(json_array_get(series, i));
  return sum;
}

TEST(Simulate, PutsTheWaysToCallSideBySide) {
  Outcome outcome = Simulate(Fleet(kGuarded), {});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              MatchesRegex("A server fails\n"
                           "simulation of 60 s, seed 1; trouble from 20 s to "
                           "30 s\n\n"
                           " +requests +peak +burst +amplif. +back after "
                           "+lost\n"
                           "plain +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ "
                           "s +[0-9]+\n"
                           "guarded +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ "
                           "+[0-9.]+ s +[0-9]+\n"));
}

TEST(Simulate, GivesTheSameForTheSameSeedOnly) {
  std::string first = Simulate(Fleet(), {"--seed=7", "--format=csv"}).out;
  EXPECT_EQ(Simulate(Fleet(), {"--seed=7", "--format=csv"}).out, first);
  EXPECT_NE(Simulate(Fleet(), {"--seed=8", "--format=csv"}).out, first);
}

TEST(Simulate, TellsProgramsAllOfIt) {
  Json json(Simulate(Fleet(kGuarded), {"--format=json"}).out);
  // About 100 a second for 55 s, those in the trouble tried three times.
  EXPECT_NEAR(json.Review(0, "callsPerSecond"), 100, 10);
  EXPECT_NEAR(json.Review(0, "calls"), 5500, 300);
  EXPECT_NEAR(json.Review(0, "lost"), 1000, 100);
  EXPECT_NEAR(json.Review(0, "amplification"), 2 * 1000.0 / 5500, 0.05);
  EXPECT_NEAR(json.Review(0, "peak"), 3, 0.8);
  EXPECT_LT(json.Review(1, "amplification"), 0.05);
  EXPECT_EQ(json_array_size(json.Series(0, "calls")), 600u);
  EXPECT_NEAR(Sum(json.Series(0, "arrivals3")), 1000, 100);
  EXPECT_GT(Sum(json.Series(1, "open")), 0);
}

TEST(Simulate, WritesATableOfSlices) {
  std::string out = Simulate(Fleet(), {"--format=csv"}).out;
  EXPECT_EQ(out.substr(0, out.find('\n')),
            "variant,seconds,calls,ok,failed,arrivals1,arrivals2,arrivals3,"
            "arrivals4,arrivals5,arrivals6,queue,open,half_open");
  EXPECT_THAT(out, HasSubstr("\n\"plain\",59.9,"));
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 601);
}

TEST(Simulate, QuotesNamesInATable) {
  std::string scenario = Fleet();
  scenario.replace(scenario.find("plain"), 5, R"(a \"b\")");
  EXPECT_THAT(Simulate(scenario, {"--format=csv"}).out,
              HasSubstr("\n\"a \"\"b\"\"\",0.0,"));
}

TEST(Simulate, TellsOfAPolicyWhoseNameIsNoText) {
  ConfigFile policy(RetryConfig(3, ""));
  const std::string odd = policy.path() + "\xff";
  std::filesystem::copy_file(policy.path(), odd);
  Outcome outcome =
      Simulate(Fleet(), {odd, "--method=shop.Ledger/Pay", "--format=json"});
  std::filesystem::remove(odd);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(Json(outcome.out).Review(0, "calls"), 0);
}

TEST(Simulate, TriesAPolicyWithoutRetries) {
  ConfigFile breaker(R"({ "retryGuard": {} })");
  Outcome outcome = Simulate(Fleet(), {breaker.path(), "--format=json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(Json(outcome.out).Review(0, "rejections"), 0);
}

TEST(Simulate, DrawsAChart) {
  std::string out = Simulate(Fleet(), {"--chart"}).out;
  EXPECT_THAT(out, HasSubstr("requests: # first attempts, + retries"));
  EXPECT_THAT(out, HasSubstr("/s |"));
  EXPECT_THAT(out, HasSubstr("xxxx"));
  EXPECT_THAT(out, HasSubstr("++++"));
}

TEST(Simulate, RunsTheVariantsThatAreNamed) {
  std::string out = Simulate(Fleet(kGuarded), {"--variant=guarded"}).out;
  EXPECT_THAT(out, HasSubstr("\nguarded "));
  EXPECT_THAT(out, Not(HasSubstr("\nplain ")));
  Outcome outcome = Simulate(Fleet(), {"--variant=unheard"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("there is no variant 'unheard'"));
}

TEST(Simulate, HoldsARunAgainstLimits) {
  Outcome kept = Simulate(Fleet(), {"--max-amplification=0.5", "--max-peak=5",
                                    "--max-recovery=5s", "--max-lost=30"});
  EXPECT_EQ(kept.status, 0) << kept.out;
  for (const char *limit :
       {"--max-amplification=0.2", "--max-peak=1.5", "--max-lost=10"}) {
    Outcome outcome = Simulate(Fleet(), {limit});
    EXPECT_EQ(outcome.status, 1) << limit;
    EXPECT_THAT(outcome.out,
                HasSubstr("plain does not keep within the limits"));
  }
}

TEST(Simulate, TriesPoliciesInPlaceOfTheVariants) {
  ConfigFile guarded(RetryConfig(3, R"("retryGuard": {},)"));
  ConfigFile plain(RetryConfig(3, ""));
  Outcome outcome =
      Simulate(Fleet(), {"--compare", plain.path(), guarded.path(),
                         "--method=shop.Ledger/Pay", "--format=json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  Json json(outcome.out);
  EXPECT_STREQ(json_string_value(json_object_get(json.Variant(0), "name")),
               plain.path().c_str());
  EXPECT_GT(json.Review(0, "amplification"), 0.2);
  EXPECT_LT(json.Review(1, "amplification"), 0.05);
}

TEST(Simulate, RefusesAPolicyThatConcernsNothing) {
  ConfigFile policy(RetryConfig(3, ""));
  Outcome outcome =
      Simulate(Fleet(), {policy.path(), "--method=shop.Cart/Add"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("has neither retryPolicy"));
  EXPECT_THAT(outcome.err, HasSubstr("scenario calls"));
}

TEST(Simulate, SaysAllThatIsWrongWithAScenario) {
  Outcome outcome = Simulate(
      R"({ "duration": "0s", "tires": [], "tiers": [ { "workers": 0 } ],
           "loads": [ {} ], "variants": [ { "name": "a", "serviceConfig": {
             "retryGuard": { "budget": { "tokenBucket": { "tokenRatio": 2 } } }
           } } ] })",
      {});
  EXPECT_EQ(outcome.status, 2);
  for (const char *path :
       {"duration", "tires", "tiers[0].name", "tiers[0].workers", "loads[0]",
        "variants[0].serviceConfig.retryGuard.budget.tokenBucket.tokenRatio"})
    EXPECT_THAT(outcome.err, HasSubstr(std::string(" ") + path + "\n"));
}

TEST(Simulate, NamesWhatItCannotRead) {
  Outcome outcome = RunCommand({"simulate", "no-such-scenario"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no-such-scenario: No such file"));
  EXPECT_EQ(RunCommand({"simulate"}).status, 64);
  EXPECT_EQ(Simulate(Fleet(), {"--format=xml"}).status, 64);
  EXPECT_EQ(Simulate(Fleet(), {"--seed=-1"}).status, 64);
  EXPECT_EQ(Simulate(Fleet(), {"--method=Ledger"}).status, 64);
  EXPECT_EQ(Simulate(Fleet(), {"--compare"}).status, 64);
  // A gate that lets nothing through but nothing.
  EXPECT_EQ(Simulate(Fleet(), {"--variant="}).status, 2);
  EXPECT_EQ(Simulate(Fleet(), {"--variant=,"}).status, 2);
}

TEST(Simulate, FindsTheScenariosThatComeWithIt) {
  Outcome list = RunCommand({"simulate", "--list"});
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.out, HasSubstr("ledger-pause "));
  Outcome outcome = RunCommand({"simulate", "jitter-contest"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("over at"));
}

class SimulatePicture : public testing::Test {
 protected:
  void SetUp() override {
    if (system("command -v gnuplot >/dev/null") != 0)
      GTEST_SKIP() << "gnuplot is not installed";
  }
};

TEST_F(SimulatePicture, IsDrawnForScreenAndPrint) {
  ConfigFile svg("");
  ConfigFile png("");
  Outcome outcome =
      Simulate(Fleet(kGuarded), {"--svg=" + svg.path(), "--png=" + png.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  std::string text = ReadFile(svg.path());
  EXPECT_THAT(text, HasSubstr("<svg "));
  EXPECT_THAT(text, HasSubstr("A server fails"));
  EXPECT_THAT(text, HasSubstr("guarded: amplification"));
  EXPECT_EQ(ReadFile(png.path()).substr(1, 3), "PNG");
}

TEST_F(SimulatePicture, IsDrawnWhereNoLocaleIsSet) {
  setenv("LC_ALL", "C", 1);
  ConfigFile svg("");
  std::string scenario = Fleet();
  scenario.replace(scenario.find("A server"), 8, "Zürich, 5 °C, ");
  Outcome outcome = Simulate(scenario, {"--svg=" + svg.path()});
  unsetenv("LC_ALL");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(ReadFile(svg.path()), HasSubstr("Zürich, 5 °C"));
}

// Titles come from files.
TEST_F(SimulatePicture, TakesNoTextForACommand) {
  ConfigFile svg("");
  std::string scenario = Fleet();
  scenario.replace(scenario.find("A server"), 8, "it's '\\n' `x` $y @z ");
  Outcome outcome = Simulate(scenario, {"--svg=" + svg.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

TEST_F(SimulatePicture, ThatCannotBeWrittenIsComplainedAbout) {
  Outcome outcome = Simulate(Fleet(), {"--svg=/nonexistent/a.svg"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/nonexistent/a.svg: could not be drawn"));
}

}  // namespace
}  // namespace rg_test
