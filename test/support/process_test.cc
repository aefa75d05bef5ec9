// SPDX-License-Identifier: Apache-2.0
#include "support/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace {

// Long enough for any machine; no test waits for it to pass.
constexpr uint32_t kEverMs = 60000;

// Takes the orphans that these tests make, as init would, and lays them to
// rest.
class Process : public testing::Test {
 protected:
  void SetUp() override { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  void TearDown() override {
    while (waitpid(-1, nullptr, 0) > 0) {
    }
  }
};

bool StartShell(rg_process *process, const char *script) {
  const char *const argv[] = {"/bin/sh", "-c", script, nullptr};
  return rg_process_start(process, argv);
}

std::string ReadLine(rg_process *process) {
  char line[64];
  return rg_process_read_line(process, line, sizeof(line), kEverMs) ? line
                                                                    : "(none)";
}

// Forks a parent that starts a child and then does `last`; tells when the
// child is gone by the end of a pipe that the child alone holds open.
class Family {
 public:
  template <typename Last>
  explicit Family(Last last) {
    EXPECT_EQ(pipe(ends_), 0);
    parent_ = fork();
    if (parent_ == 0) {
      rg_process child{};
      close(ends_[0]);
      StartShell(&child, "echo ready; exec sleep 600");
      ReadLine(&child);
      last();
      _exit(3);
    }
    close(ends_[1]);
  }
  ~Family() { close(ends_[0]); }

  pid_t parent() const { return parent_; }
  int WaitForParent() {
    int status = 0;
    waitpid(parent_, &status, 0);
    return status;
  }
  bool WaitForChild() {
    char byte;
    return read(ends_[0], &byte, 1) == 0;
  }

 private:
  int ends_[2];
  pid_t parent_;
};

TEST_F(Process, ReadsWhatTheChildPrintsAndItsExitStatus) {
  rg_process process{};
  ASSERT_TRUE(StartShell(&process, "echo one; echo two; exit 7"));
  EXPECT_EQ(ReadLine(&process), "one");
  EXPECT_EQ(ReadLine(&process), "two");
  EXPECT_EQ(ReadLine(&process), "(none)");
  EXPECT_EQ(rg_process_wait(&process, kEverMs), 7);
  EXPECT_EQ(process.pid, 0);
}

TEST_F(Process, AProgramThatDoesNotExistIsNotStarted) {
  rg_process process{};
  const char *const argv[] = {"/nowhere/at/all", nullptr};
  EXPECT_FALSE(rg_process_start(&process, argv));
  EXPECT_EQ(rg_process_stop(&process, kEverMs), 0);
}

TEST_F(Process, ALineThatIsTooLongIsNone) {
  rg_process process{};
  ASSERT_TRUE(StartShell(&process, "echo 12345678"));
  char line[4];
  EXPECT_FALSE(rg_process_read_line(&process, line, sizeof(line), kEverMs));
  rg_process_wait(&process, kEverMs);
}

TEST_F(Process, StopLetsTheChildEndByItself) {
  rg_process process{};
  ASSERT_TRUE(StartShell(
      &process,
      "trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done"));
  EXPECT_EQ(ReadLine(&process), "ready");
  EXPECT_EQ(rg_process_stop(&process, kEverMs), 5);
}

TEST_F(Process, StopKillsAChildThatDoesNotListen) {
  rg_process process{};
  ASSERT_TRUE(StartShell(&process, "trap '' TERM; echo ready; exec sleep 600"));
  EXPECT_EQ(ReadLine(&process), "ready");
  EXPECT_EQ(rg_process_stop(&process, 1), 128 + SIGKILL);
}

TEST_F(Process, APausedChildIsSilentAndCanBeStopped) {
  rg_process process{};
  ASSERT_TRUE(StartShell(&process, "while :; do echo tick; sleep 0.01; done"));
  EXPECT_EQ(ReadLine(&process), "tick");
  rg_process_pause(&process);
  char line[64];
  while (rg_process_read_line(&process, line, sizeof(line), 50)) {
  }
  rg_process_resume(&process);
  EXPECT_EQ(ReadLine(&process), "tick");
  rg_process_pause(&process);
  EXPECT_EQ(rg_process_stop(&process, kEverMs), 128 + SIGTERM);
}

TEST_F(Process, ManyCanBeStartedAndNoneIsLeftAZombie) {
  for (int round = 0; round < 2 * RG_PROCESS_MAX; round++) {
    rg_process process{};
    ASSERT_TRUE(StartShell(&process, "exit 0"));
    EXPECT_EQ(rg_process_wait(&process, kEverMs), 0);
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(Process, AChildDiesWithItsParent) {
  Family family([] {});
  family.WaitForParent();
  EXPECT_TRUE(family.WaitForChild());
}

TEST_F(Process, AChildDiesWithAParentThatIsKilled) {
  Family family([] { kill(getpid(), SIGKILL); });
  family.WaitForParent();
  EXPECT_TRUE(family.WaitForChild());
}

TEST_F(Process, ASignalEndsTheChildrenAndThenTheParent) {
  for (int number : {SIGINT, SIGTERM}) {
    Family family([number] {
      rg_process_end_all_on_signals();
      kill(getpid(), number);
      pause();
    });
    int status = family.WaitForParent();
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), number);
    EXPECT_TRUE(family.WaitForChild());
  }
}

}  // namespace
