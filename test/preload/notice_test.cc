// SPDX-License-Identifier: Apache-2.0
#include "preload/notice.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace {

// A pipe in place of standard error.
class Notice : public testing::Test {
 protected:
  Notice() {
    EXPECT_EQ(pipe(ends_), 0);
    saved_ = dup(STDERR_FILENO);
    dup2(ends_[1], STDERR_FILENO);
    close(ends_[1]);
  }
  ~Notice() override {
    dup2(saved_, STDERR_FILENO);
    close(saved_);
    close(ends_[0]);
  }

  std::string Read() {
    char text[2 * RG_NOTICE_MAX_BYTES];
    ssize_t size = read(ends_[0], text, sizeof text);
    return {text, static_cast<size_t>(size > 0 ? size : 0)};
  }

  void StopReading() {
    close(ends_[0]);
    ends_[0] = -1;
  }

 private:
  int ends_[2];
  int saved_;
};

TEST_F(Notice, IsOneLine) {
  rg_notice("%s is %d", "two", 2);
  EXPECT_EQ(Read(), "retry-guard: two is 2\n");
}

TEST_F(Notice, HasNoControlCharacters) {
  rg_notice("%s", "a\nb\033[2J\x7f\xc3\xa4");
  EXPECT_EQ(Read(), "retry-guard: a?b?[2J?\xc3\xa4\n");
}

TEST_F(Notice, IsCutWhereItIsTooLong) {
  rg_notice("%s", std::string(3 * RG_NOTICE_MAX_BYTES, 'x').c_str());
  std::string line = Read();
  EXPECT_LE(line.size(), size_t{RG_NOTICE_MAX_BYTES});
  EXPECT_EQ(line.substr(line.size() - 2), "x\n");
}

TEST_F(Notice, LeavesErrnoAlone) {
  StopReading();
  errno = ENOTTY;
  rg_notice("this fails with EPIPE");
  EXPECT_EQ(errno, ENOTTY);
}

TEST_F(Notice, ThatNobodyReadsRaisesNoSignal) {
  StopReading();
  rg_notice("nobody reads this");
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST_F(Notice, LeavesAProgramsOwnSigpipeAlone) {
  sigset_t pipe, before, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  raise(SIGPIPE);
  StopReading();
  rg_notice("nobody reads this");
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 1);
  int number;
  sigwait(&pipe, &number);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_F(Notice, KnowsTheProgram) {
  EXPECT_STREQ(rg_notice_program(), "rg_preload_test");
}

}  // namespace
