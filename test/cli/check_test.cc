// SPDX-License-Identifier: Apache-2.0

// `retry-guard check`, run as people run it.
#include <gtest/gtest.h>
#include <jansson.h>

#include <string>

#include "cli/command.h"
#include "cli/config_file.h"

namespace rg_test {
namespace {

Outcome Check(const std::string &json,
              std::vector<std::string> arguments = {"check", "-"}) {
  return Command(std::move(arguments)).Input(json).Run();
}

// Parsed, and freed at the end.
class Json {
 public:
  explicit Json(const std::string &text)
      : root_(json_loads(text.c_str(), 0, nullptr)) {
    EXPECT_NE(root_, nullptr) << text;
  }
  ~Json() { json_decref(root_); }
  Json(const Json &) = delete;
  Json &operator=(const Json &) = delete;

  json_t *get() const { return root_; }
  json_t *at(const char *key) const { return json_object_get(root_, key); }

 private:
  json_t *root_;
};

std::string TextAt(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text != nullptr ? text : "";
}

TEST(Check, HasNothingAgainstAGoodConfig) {
  Outcome outcome = Check(RetryConfig(3, kGuard));
  EXPECT_EQ(outcome.out, "standard input: clean\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
}

TEST(Check, WarnsOfWhatDoesNotDoWhatItSays) {
  Outcome outcome = Check(RetryConfig(7, kGuard));
  EXPECT_EQ(outcome.out,
            "standard input: 1 warning\n"
            "\n"
            "  warning  methodConfig[0].retryPolicy.maxAttempts\n"
            "           is 7, but gRPC makes at most 5 attempts\n");
  EXPECT_EQ(outcome.status, 1);
}

TEST(Check, FindsAllErrorsAndWrapsWhatItSays) {
  Outcome outcome =
      Check(RetryConfig(1, R"("retryGuard": {"circutBreaker": {}},)"));
  EXPECT_EQ(
      outcome.out,
      "standard input: 2 errors\n"
      "\n"
      "  error    retryGuard.circutBreaker\n"
      "           is unknown; known here: budget, backoff, layer, "
      "circuitBreaker,\n"
      "           deadline, idempotency, mode, keyHeader, amplificationAlarm\n"
      "\n"
      "  error    methodConfig[0].retryPolicy.maxAttempts\n"
      "           must be at least 2, got 1: it counts the first attempt, so 1 "
      "would be\n"
      "           no retry\n");
  EXPECT_EQ(outcome.status, 2);
}

TEST(Check, SaysWhichFileIsNoJson) {
  Outcome outcome = Check("{ \"retryGuard\": ");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out.substr(0, outcome.out.find("too early")),
            "standard input: 1 error\n"
            "\n"
            "  error    retryGuard\n"
            "           is not valid JSON: the text ends ");
}

TEST(Check, TakesSeveralFiles) {
  ConfigFile good(RetryConfig(3, kGuard));
  ConfigFile bad("[]");
  Outcome outcome = RunCommand({"check", good.path(), bad.path(), "/gone"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, good.path() + ": clean\n\n" + bad.path() +
                             ": 1 error\n\n"
                             "  error    the whole file\n"
                             "           must be an object, got an array\n\n"
                             "/gone: cannot be read: No such file or "
                             "directory\n");
}

TEST(Check, WritesNoControlCharactersOfAFile) {
  Outcome outcome = Check("{\"\\u001b[31m\": 1, \"retryGuard\": {}}");
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.status, 1);
}

TEST(Check, ReportsToPrograms) {
  Outcome outcome = Check(RetryConfig(7, R"("retryGuard": {"mode": 9},)"),
                          {"check", "--format=json", "-"});
  EXPECT_EQ(outcome.status, 2);
  Json report(outcome.out);
  EXPECT_EQ(json_integer_value(report.at("status")), 2);
  const json_t *file = json_array_get(report.at("files"), 0);
  EXPECT_EQ(TextAt(file, "file"), "-");
  const json_t *error = json_array_get(json_object_get(file, "errors"), 0);
  EXPECT_EQ(TextAt(error, "path"), "retryGuard.mode");
  EXPECT_EQ(TextAt(error, "kind"), "value");
  EXPECT_EQ(TextAt(error, "message"), "must be ENFORCE, SHADOW or OFF, got 9");
  const json_t *warning = json_array_get(json_object_get(file, "warnings"), 0);
  EXPECT_EQ(TextAt(warning, "kind"), "futile");
  EXPECT_EQ(report.at("tree"), nullptr);
}

TEST(Check, ReportsWhatCannotBeReadToProgramsToo) {
  Outcome outcome = RunCommand({"check", "--format=json", "/gone"});
  EXPECT_EQ(outcome.status, 2);
  Json report(outcome.out);
  EXPECT_EQ(TextAt(json_array_get(report.at("files"), 0), "unreadable"),
            "No such file or directory");
}

TEST(Check, MultipliesTheLayersOfATree) {
  ConfigFile edge(RetryConfig(3, ""));
  ConfigFile front(RetryConfig(3, kGuard));
  ConfigFile leaf(RetryConfig(3, kGuard));
  Outcome outcome = RunCommand({"check", "--tree=" + edge.path() + "," +
                                             front.path() + "," + leaf.path()});
  EXPECT_EQ(outcome.status, 1);
  std::string tree = outcome.out.substr(outcome.out.find("The call tree"));
  EXPECT_EQ(
      tree,
      "The call tree, from the top:\n"
      "  " +
          edge.path() +
          "  3 attempts  no guard\n"
          "  " +
          front.path() +
          "  3 attempts  guarded, OUTERMOST\n"
          "  " +
          leaf.path() +
          "  3 attempts  guarded, OUTERMOST\n"
          "  One request at the top becomes 5 at the bottom while that fails; "
          "without any\n"
          "  guard 3 x 3 x 3 = 27.\n"
          "  warning  2 layers retry, one inside the other. With "
          "\"retryGuard\": {} in all of\n"
          "           them, and the incoming call passed on as parent,\n"
          "           " +
          edge.path() +
          " would own the retries: the first "
          "that has a\n"
          "           retryPolicy.\n");
}

TEST(Check, SaysWhoOwnsTheRetries) {
  ConfigFile config(RetryConfig(3, kGuard));
  const std::string tree =
      "--tree=" + config.path() + "," + config.path() + "," + config.path();
  Outcome outcome = RunCommand({"check", tree});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("OUTERMOST  owns retries\n"), std::string::npos)
      << outcome.out;
  Json report(RunCommand({"check", "--format=json", tree}).out);
  EXPECT_EQ(json_integer_value(json_object_get(report.at("tree"), "requests")),
            3);
  EXPECT_EQ(json_integer_value(
                json_object_get(report.at("tree"), "requestsWithoutGuard")),
            27);
  EXPECT_EQ(TextAt(report.at("tree"), "owner"), config.path());
}

TEST(Check, LeavesTheTreeOutWhileALayerIsWrong) {
  ConfigFile good(RetryConfig(3, kGuard));
  ConfigFile bad("[]");
  Outcome outcome =
      RunCommand({"check", "--tree", good.path() + "," + bad.path()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out.find("The call tree"), std::string::npos);
}

TEST(Check, MultipliesByTheFleet) {
  const std::string config = RetryConfig(3, R"("retryGuard": {"budget":
    {"window": {"minRetryRate": {"count": 10, "interval": "1s"}}}},)");
  EXPECT_EQ(Check(config).status, 0);
  Outcome outcome =
      Check(config, {"check", "--clients=400", "--calls=700", "-"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("lets 400 clients make 4000.0 retries/s"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(
      Check(config, {"check", "--clients=400", "--calls=20000", "-"}).status,
      0);
}

TEST(Check, HasNothingAgainstWhatTheCommandItselfWrites) {
  for (const char *style : {"--style=budget", "--style=window"})
    EXPECT_EQ(Check(RunCommand({"init", style}).out).out,
              "standard input: clean\n");
  const std::string set = RG_DESCRIPTOR_DIR "/shop.pb";
  EXPECT_EQ(Check(RunCommand({"policy", set}).out).out,
            "standard input: clean\n");
}

TEST(Check, SaysHowItIsCalled) {
  EXPECT_EQ(RunCommand({"check", "--help"}).status, 0);
  EXPECT_EQ(RunCommand({"check"}).status, 64);
  for (const char *option :
       {"--format=xml", "--clients=0", "--clients=x", "--calls=-1",
        "--calls=", "--tree=,,,,,,,,,,,,,,,,", "--nonsense"}) {
    Outcome outcome = RunCommand({"check", option, "-"});
    EXPECT_EQ(outcome.status, 64) << option;
    EXPECT_NE(outcome.err, "") << option;
    EXPECT_EQ(outcome.out, "") << option;
  }
}

}  // namespace
}  // namespace rg_test
