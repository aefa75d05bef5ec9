// SPDX-License-Identifier: Apache-2.0

// The command's verbs, with each allocation failing in turn: an answer that
// looks good is the right one.
#include <gtest/gtest.h>
#include <jansson.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "cli/check.h"
#include "cli/checked.h"
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

// Of something that an allocation failed in, or `nth` 0.
Answer Run(const std::function<int()> &what, uint64_t nth, bool all_after,
           bool *failed) {
  Taken out(stdout), err(stderr);
  Answer answer;
  {
    ScarceHeap heap(ScarceHeap::Of::kThisThread, nth, all_after);
    answer.status = what();
    *failed = nth > 0 && heap.Failed();
  }
  if (rg_paper_lost_text()) answer.status = RG_CLI_OUTPUT;  // as main says
  answer.out = out.Read();
  return answer;
}

// Returns how many allocations could fail.
uint64_t EachFailureIn(const std::function<int()> &what, int status) {
  bool failed;
  const Answer whole = Run(what, 0, false, &failed);
  EXPECT_EQ(whole.status, status);
  EXPECT_NE(whole.out, "");
  uint64_t count = 0;
  for (bool all_after : {false, true}) {
    failed = true;
    for (count = 0; failed; count++) {
      SCOPED_TRACE(testing::Message() << "allocation " << count + 1
                                      << (all_after ? " and all after" : ""));
      Answer answer = Run(what, count + 1, all_after, &failed);
      bool right = answer.status == status && answer.out == whole.out;
      EXPECT_TRUE(right || (failed && answer.status != status)) << answer.out;
      if (testing::Test::HasFailure()) return count;
    }
  }
  return count - 1;
}

uint64_t EachFailureOf(Verb verb, const std::vector<std::string> &words,
                       int status = RG_CLI_OK) {
  SCOPED_TRACE(words[0]);
  return EachFailureIn(
      [&] {
        // Copies, which a verb may write to; they need no heap.
        char copies[8][256];
        char *argv[9] = {};
        int argc = 0;
        for (const std::string &word : words) {
          std::snprintf(copies[argc], sizeof copies[argc], "%s", word.c_str());
          argv[argc] = copies[argc];
          argc++;
        }
        optind = 0;
        return verb(argc, argv);
      },
      status);
}

TEST(ScarceMemory, InitNeedsNone) {
  EXPECT_EQ(EachFailureOf(rg_cli_init, {"init"}), 0u);
}

TEST(ScarceMemory, MarkAnswersRightOrFails) {
  EXPECT_GT(EachFailureOf(rg_cli_mark, {"mark", "CghjaGVja291dBgB"}), 5u);
}

TEST(ScarceMemory, CheckAndExplainAnswerRightOrFail) {
  ConfigFile config(RetryConfig(3, R"("retryGuard": {},)"));
  for (const char *format : {"--format=text", "--format=json"})
    EXPECT_GT(EachFailureOf(rg_cli_check, {"check", format, config.path()}),
              50u);
  EXPECT_GT(EachFailureOf(rg_cli_explain,
                          {"explain", config.path(), "shop.Ledger/Pay"}),
            50u);
}

// What jansson allocates may fail as well. (While it reads, its parser does not
// survive that.)
TEST(ScarceMemory, AReportInJsonIsWholeOrFails) {
  ConfigFile config(RetryConfig(3, ""));
  rg_checked_file files[1];
  const rg_fleet none = {};
  rg_checked_file_init(&files[0], config.path().c_str(), &none);
  rg_checked checked = {};
  checked.files = files;
  checked.count = 1;
  rg_checked_tree_init(&checked.tree, files, 1);
  ASSERT_EQ(rg_checked_status(&checked), RG_CLI_WARNINGS);

  json_set_alloc_funcs([](size_t size) { return malloc(size); }, free);
  EXPECT_GT(EachFailureIn(
                [&] {
                  return rg_checked_write_json(&checked) ? RG_CLI_OK
                                                         : RG_CLI_OUTPUT;
                },
                RG_CLI_OK),
            10u);
  json_set_alloc_funcs(malloc, free);
  rg_checked_file_clean_up(&files[0]);
}

TEST(ScarceMemory, PolicyAnswersRightOrFails) {
  EXPECT_GT(EachFailureOf(rg_cli_policy,
                          {"policy", RG_DESCRIPTOR_DIR "/shop_imports.pb"}),
            50u);
}

}  // namespace
}  // namespace rg_test
