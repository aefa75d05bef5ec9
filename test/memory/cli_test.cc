// SPDX-License-Identifier: Apache-2.0

// The command's verbs, with each allocation failing in turn: an answer that
// looks good is the right one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/check.h"
#include "cli/config_file.h"
#include "cli/explain.h"
#include "cli/init.h"
#include "cli/mark.h"
#include "cli/paper.h"
#include "cli/policy.h"
#include "cli/verb.h"
#include "memory/each_failure.h"

namespace rg_test {
namespace {

using Verb = int (*)(int, char **);

struct Answer {
  int status;
  std::string out;
};

// The place of a standard stream, taken by a file.
class Taken {
 public:
  explicit Taken(FILE *stream)
      : stream_(stream), original_(dup(fileno(stream))), file_(tmpfile()) {
    fflush(stream);
    dup2(fileno(file_), fileno(stream));
  }
  ~Taken() {
    fflush(stream_);
    dup2(original_, fileno(stream_));
    close(original_);
    fclose(file_);
  }
  std::string Read() {
    fflush(stream_);
    std::string text;
    rewind(file_);
    for (int c; (c = getc(file_)) != EOF;) text.push_back(static_cast<char>(c));
    return text;
  }

 private:
  FILE *stream_;
  int original_;
  FILE *file_;
};

// Of a verb that an allocation failed in, or `nth` 0.
Answer Run(Verb verb, std::vector<std::string> words, uint64_t nth,
           bool all_after, bool *failed) {
  std::vector<char *> argv;
  for (std::string &word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Taken out(stdout), err(stderr);
  Answer answer;
  optind = 0;
  {
    ScarceHeap heap(ScarceHeap::Of::kThisThread, nth, all_after);
    answer.status = verb(static_cast<int>(words.size()), argv.data());
    *failed = nth > 0 && heap.Failed();
  }
  if (rg_paper_lost_text()) answer.status = RG_CLI_OUTPUT;  // as main says
  answer.out = out.Read();
  return answer;
}

void EachFailureOf(Verb verb, const std::vector<std::string> &words,
                   int status = RG_CLI_OK) {
  bool failed;
  const Answer whole = Run(verb, words, 0, false, &failed);
  EXPECT_EQ(whole.status, status);
  EXPECT_NE(whole.out, "");
  for (bool all_after : {false, true})
    for (uint64_t n = 1;; n++) {
      SCOPED_TRACE(testing::Message() << words[0] << ", allocation " << n
                                      << (all_after ? " and all after" : ""));
      Answer answer = Run(verb, words, n, all_after, &failed);
      bool right = answer.status == status && answer.out == whole.out;
      EXPECT_TRUE(right || (failed && answer.status != status)) << answer.out;
      if (!failed || testing::Test::HasFailure()) break;
    }
}

TEST(ScarceMemory, InitAndMarkAnswerRightOrFail) {
  EachFailureOf(rg_cli_init, {"init"});
  EachFailureOf(rg_cli_mark, {"mark", "CghjaGVja291dBgB"});
}

TEST(ScarceMemory, CheckAndExplainAnswerRightOrFail) {
  ConfigFile config(RetryConfig(3, R"("retryGuard": {},)"));
  for (const char *format : {"--format=text", "--format=json"})
    EachFailureOf(rg_cli_check, {"check", format, config.path()});
  EachFailureOf(rg_cli_explain, {"explain", config.path(), "shop.Ledger/Pay"});
}

TEST(ScarceMemory, PolicyAnswersRightOrFails) {
  EachFailureOf(rg_cli_policy, {"policy", std::string(RG_DESCRIPTOR_DIR) +
                                              "/shop_imports.pb"});
}

}  // namespace
}  // namespace rg_test
