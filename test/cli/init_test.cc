// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jansson.h>
#include <stdlib.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "config/policy.h"
#include "config/policy_block.h"
#include "config/policy_facts.h"
#include "config/read_config.h"

namespace {

using rg_test::Outcome;
using rg_test::RunCommand;
using testing::HasSubstr;
using testing::IsEmpty;

using Json = std::unique_ptr<json_t, void (*)(json_t *)>;

Json Parse(const std::string &text) {
  json_error_t error;
  Json json(json_loads(text.c_str(), JSON_REJECT_DUPLICATES, &error),
            json_decref);
  EXPECT_NE(json, nullptr) << error.text << " at line " << error.line;
  return json;
}

std::string Print(std::vector<std::string> options) {
  options.insert(options.begin(), "init");
  Outcome outcome = RunCommand(options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out;
}

// The retryGuard block as text, and parsed.
class Block {
 public:
  explicit Block(const std::string &text) {
    rg_faults faults;
    rg_faults_init(&faults);
    block_ = rg_policy_block_parse(text.data(), text.size(), RG_POLICY_CHANNEL,
                                   "retryGuard", &faults);
    for (size_t i = 0; i < faults.count; i++)
      ADD_FAILURE() << faults.items[i].path << " " << faults.items[i].message;
    rg_faults_clean_up(&faults);
  }
  ~Block() { rg_policy_block_destroy(block_); }

  static std::string TextOf(const std::string &config) {
    Json json = Parse(config);
    char *text = json_dumps(json_object_get(json.get(), "retryGuard"), 0);
    std::string copy = text != nullptr ? text : "";
    free(text);
    return copy;
  }

  rg_policy Resolve() const {
    rg_policy policy;
    rg_policy_resolve(block_, nullptr, &policy);
    return policy;
  }

  const RetryGuard__V1__Policy &message() const { return *block_->message; }

 private:
  rg_policy_block *block_;
};

void ExpectSame(const rg_policy &a, const rg_policy &b) {
  EXPECT_EQ(PolicyFacts(a), PolicyFacts(b));
}

TEST(InitVerb, PrintsTheDefaults) {
  ExpectSame(Block(Block::TextOf(Print({}))).Resolve(), Block("{}").Resolve());
}

TEST(InitVerb, PrintsTheDefaultsOfAWindow) {
  ExpectSame(Block(Block::TextOf(Print({"--style=window"}))).Resolve(),
             Block(R"({"budget":{"window":{}}})").Resolve());
}

TEST(InitVerb, ShowsEveryPartThatIsOnByDefault) {
  Block block(Block::TextOf(Print({})));
  const RetryGuard__V1__Policy &policy = block.message();
  ASSERT_NE(policy.budget, nullptr);
  EXPECT_EQ(policy.budget->algorithm_case,
            RETRY_GUARD__V1__BUDGET__ALGORITHM_TOKEN_BUCKET);
  EXPECT_NE(policy.backoff, nullptr);
  EXPECT_NE(policy.layer, nullptr);
  EXPECT_NE(policy.circuit_breaker, nullptr);
}

TEST(InitVerb, PrintsNothingToBeWarnedOf) {
  for (const char *style : {"budget", "window"}) {
    rg_test::ReadConfig config(Print({"--style", style}));
    EXPECT_THAT(config.errors(), IsEmpty());
    EXPECT_THAT(config.Advise().warnings(), IsEmpty());
  }
}

TEST(InitVerb, TakesTheBudgetsStyle) {
  EXPECT_EQ(Print({"--style", "budget"}), Print({}));
  Block block(Block::TextOf(Print({"--style", "window"})));
  EXPECT_EQ(block.message().budget->algorithm_case,
            RETRY_GUARD__V1__BUDGET__ALGORITHM_WINDOW);
}

TEST(InitVerb, CommentsOutsideOfRetryGuardOnly) {
  Json config = Parse(Print({}));
  json_t *entry =
      json_array_get(json_object_get(config.get(), "methodConfig"), 0);
  EXPECT_GT(json_array_size(json_object_get(config.get(), "//")), 5u);
  EXPECT_GT(json_array_size(json_object_get(entry, "//")), 1u);
  EXPECT_EQ(Block::TextOf(Print({})).find("//"), std::string::npos);
}

TEST(InitVerb, RetriesTheServiceItIsTold) {
  for (std::string name : {"shop.Ledger", "Till"}) {
    Json config = Parse(Print({"--service", name}));
    json_t *entry =
        json_array_get(json_object_get(config.get(), "methodConfig"), 0);
    json_t *names = json_object_get(entry, "name");
    EXPECT_EQ(
        json_string_value(json_object_get(json_array_get(names, 0), "service")),
        name);
    EXPECT_TRUE(json_is_object(json_object_get(entry, "retryPolicy")));
  }
}

TEST(InitVerb, RetriesNothingThatIsUntold) {
  EXPECT_THAT(Print({}), HasSubstr(R"("service": "your.package.Service")"));
}

TEST(InitVerb, KeepsItsLinesShort) {
  for (const char *style : {"budget", "window"}) {
    std::string text = Print({"--style", style, "--service", "shop.Ledger"});
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at);
      EXPECT_LE(end - at, 84u) << text.substr(at, end - at);
      at = end + 1;
    }
  }
}

TEST(InitVerb, RefusesWhatItDoesNotKnow) {
  struct {
    std::vector<std::string> options;
    const char *said;
  } cases[] = {
      {{"--style=bucket"}, "--style must be budget or window, got 'bucket'"},
      {{"--service=a\"b"}, "--service must be a name such as shop.Ledger"},
      {{"--service="}, "--service must be a name"},
      {{"--service"}, "init: --service needs an argument"},
      {{"shop.json"}, "init: what is 'shop.json'?"},
      {{"--server=x"}, "init: --server=x is no option"},
  };
  for (auto &[options, said] : cases) {
    options.insert(options.begin(), "init");
    Outcome outcome = RunCommand(options);
    EXPECT_EQ(outcome.status, 64);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(said));
  }
}

}  // namespace
