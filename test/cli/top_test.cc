// SPDX-License-Identifier: Apache-2.0

// The verb `top`, on a terminal and without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/served.h"
#include "cli/top_page.h"
#include "cli/written.h"

namespace {

using rg_test::Ok;
using rg_test::Outcome;
using rg_test::RunCommand;
using rg_test::Served;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kFirst[] =
    "retry_guard_calls_total{target=\"dns:///crm:443\"} 100\n"
    "retry_guard_build_info{version=\"1\"} 1\n";
constexpr char kSecond[] =
    "retry_guard_calls_total{target=\"dns:///crm:443\"} 100\n"
    "retry_guard_calls_total{target=\"dns:///stock:443\"} 0\n"
    "retry_guard_amplification_ratio{target=\"dns:///stock:443\"} 0.31\n"
    "retry_guard_budget_tokens{target=\"dns:///crm:443\"} 2.5\n"
    "retry_guard_breaker_state{target=\"dns:///stock:443\",state=\"open\"} 1\n"
    "retry_guard_build_info{version=\"1\"} 1\n";

// ---- Once ------------------------------------------------------------------

TEST(Top, PrintsATableOnce) {
  Served served({Ok(kFirst), Ok(kSecond)});
  Outcome outcome =
      RunCommand({"top", "--once", "--interval=0.1", served.address()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "target            calls/s  retry/s  amplif.  tokens  breaker  "
            "stopped/s\n"
            "dns:///crm:443        0.0      0.0     0.00     2.5  closed   "
            "-\n"
            "dns:///stock:443      0.0      0.0     0.31     0.0  open     "
            "-\n");
}

TEST(Top, SaysWhenThereIsNoTargetYet) {
  Served served({Ok("retry_guard_build_info{version=\"1\"} 1\n")});
  Outcome outcome =
      RunCommand({"top", "--once", "--interval=0.1", served.address()});
  EXPECT_THAT(outcome.out, EndsWith("no guarded call so far\n"));
}

TEST(Top, SaysWhenThereIsNoAnswer) {
  std::string address = Served({""}).address();
  Outcome outcome = RunCommand({"top", address});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "retry-guard: " + address + ": Connection refused\n");
}

TEST(Top, SaysWhenTheAnswerIsFromSomethingElse) {
  Served served({Ok("up 1\n")});
  Outcome outcome = RunCommand({"top", "--once", served.address()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, EndsWith("the answer is not from Retry Guard\n"));
}

TEST(Top, RefusesIntervalsThatAreNone) {
  for (const char *interval : {"0", "0.01", "3601", "-1", "x", "", "nan"})
    EXPECT_EQ(RunCommand({"top", "--interval", interval}).status, 64)
        << interval;
  EXPECT_EQ(RunCommand({"top", "a", "b"}).status, 64);
}

// ---- The table -------------------------------------------------------------

std::string Page(const rg_figures &figures, size_t rows) {
  return rg_test::Written(
      100, [&](rg_paper *paper) { rg_top_page_write(&figures, rows, paper); });
}

rg_figures Of(rg_figures_target *targets, size_t count = 1) {
  rg_figures figures = {};
  figures.targets = targets;
  figures.count = count;
  return figures;
}

rg_figures_target Row(const std::string &name) {
  rg_figures_target target = {};
  name.copy(target.name, sizeof target.name - 1);
  return target;
}

TEST(TopPage, ShowsStopsByReason) {
  rg_figures_target target = Row("crm");
  target.counts.stops[RETRY_GUARD_STOP_BUDGET] = 3.14;
  target.counts.stops[RETRY_GUARD_STOP_LAYER] = 20;
  target.counts.stops[RETRY_GUARD_STOP_UNSAFE] = 0.01;
  EXPECT_THAT(Page(Of(&target), 5), EndsWith("layer 20.0, budget 3.1\n"));
}

TEST(TopPage, ShowsBreakersOfSeveralTargets) {
  rg_figures_target target = Row("other");
  target.open = 3;
  target.tokens = INFINITY;
  EXPECT_THAT(Page(Of(&target), 5), HasSubstr(" no limit  3 open"));
  target.open = 0;
  target.half_open = 1;
  EXPECT_THAT(Page(Of(&target), 5), HasSubstr("half-open"));
}

rg_figures_breaker Breaker(const std::string &name, bool open, double count) {
  rg_figures_breaker breaker = {};
  name.copy(breaker.name, sizeof breaker.name - 1);
  std::string("dns:///crm:443").copy(breaker.target, sizeof breaker.target - 1);
  breaker.open = open;
  breaker.count = count;
  return breaker;
}

TEST(TopPage, NamesTheBreakersThatAreNotClosed) {
  rg_figures_target target = Row("dns:///crm:443");
  std::vector<rg_figures_breaker> breakers = {
      Breaker("/shop.Crm/Find", true, 1), Breaker("other", true, 3),
      Breaker("ipv4:10.0.0.7:443", false, 1)};
  rg_figures figures = {&target, 1, 1, breakers.data(), 3, 3};
  EXPECT_THAT(Page(figures, 30),
              EndsWith("\n\n"
                       "breaker of         state      target\n"
                       "/shop.Crm/Find     open       dns:///crm:443\n"
                       "other              3 open     dns:///crm:443\n"
                       "ipv4:10.0.0.7:443  half-open  dns:///crm:443\n"));
}

TEST(TopPage, LeavesMostOfTheScreenToTheTargets) {
  std::vector<rg_figures_target> targets(50, Row("a"));
  std::vector<rg_figures_breaker> breakers(50, Breaker("/b", true, 1));
  for (size_t rows : {1u, 5u, 12u, 26u, 60u}) {
    std::string page =
        Page({targets.data(), 50, 50, breakers.data(), 50, 50}, rows);
    // The table's head and how many more are not counted.
    EXPECT_LE(std::count(page.begin(), page.end(), '\n'),
              static_cast<long>(rows) + 2)
        << rows;
  }
  rg_figures figures = {targets.data(), 50, 50, breakers.data(), 50, 50};
  EXPECT_THAT(Page(figures, 26), EndsWith("dns:///crm:443\nand 45 more\n"));
}

TEST(TopPage, SaysHowManyMoreThereAre) {
  std::vector<rg_figures_target> targets = {Row("a"), Row("b"), Row("c")};
  std::string page = Page(Of(targets.data(), 3), 1);
  EXPECT_THAT(page, EndsWith("\nand 2 more\n"));
  EXPECT_THAT(page, Not(HasSubstr("\nb")));
}

TEST(TopPage, CutsLongNamesAtTheirBegin) {
  rg_figures_target target = Row(std::string(400, 'x') + ".inventory:443");
  EXPECT_THAT(Page(Of(&target), 1),
              HasSubstr("\n..." + std::string(15, 'x') + ".inventory:443 "));
}

TEST(TopPage, SendsNoCommandsToTheTerminal) {
  rg_figures_target target = Row("\033[2J");
  EXPECT_THAT(Page(Of(&target), 1), Not(HasSubstr("\033")));
}

// ---- Live ------------------------------------------------------------------

// Where nothing is mounted on /dev/pts there are no pseudo-terminals.
class TopLive : public testing::Test {
 protected:
  void SetUp() override {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    bool usable = master >= 0 && grantpt(master) == 0;
    if (master >= 0) close(master);
    if (!usable) GTEST_SKIP() << "there are no pseudo-terminals";
  }
};

// The command on a terminal of its own, of 30 lines.
class OnTerminal {
 public:
  explicit OnTerminal(std::vector<std::string> arguments)
      : master_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_EQ(grantpt(master_), 0);
    EXPECT_EQ(unlockpt(master_), 0);
    const std::string slave = ptsname(master_);
    child_ = fork();
    if (child_ != 0) return;
    setsid();
    int fd = open(slave.c_str(), O_RDWR);
    winsize size = {};
    size.ws_row = 30;
    size.ws_col = 90;
    ioctl(fd, TIOCSWINSZ, &size);
    for (int to = 0; to <= 2; to++) dup2(fd, to);
    setenv("TERM", "xterm", 1);
    unsetenv("COLUMNS");
    std::vector<char *> argv;
    arguments.insert(arguments.begin(), RG_COMMAND_PATH);
    for (const std::string &argument : arguments)
      argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  ~OnTerminal() { close(master_); }

  // Reads on until `text` has been written; false: the command ended before.
  bool Await(const std::string &text) {
    size_t begin = seen_.size();
    while (seen_.find(text, begin) == std::string::npos) {
      char piece[1024];
      ssize_t n = read(master_, piece, sizeof piece);
      if (n <= 0) return false;
      seen_.append(piece, static_cast<size_t>(n));
    }
    return true;
  }

  // Which signal ended it; 0: none did.
  int EndBy(int signal) {
    int status = 0;
    kill(child_, signal);
    EXPECT_EQ(waitpid(child_, &status, 0), child_);
    Await("never");
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

  std::string seen() const { return seen_; }

 private:
  int master_;
  pid_t child_;
  std::string seen_;
};

TEST_F(TopLive, ShowsTheTargetsAgainAndAgain) {
  Served served({Ok(kFirst), Ok(kSecond)});
  OnTerminal top({"top", "--interval=0.1", served.address()});
  EXPECT_TRUE(top.Await("dns:///stock:443"));
  EXPECT_TRUE(top.Await("dns:///stock:443"));
  EXPECT_THAT(top.seen(), StartsWith("\033[?1049h\033[?25l\033[H"));
  EXPECT_THAT(top.seen(), HasSubstr("\033[31mopen\033[0m"));
  top.EndBy(SIGINT);
}

TEST_F(TopLive, LeavesTheTerminalAsItWas) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Served served({Ok(kFirst)});
    OnTerminal top({"top", "--interval=0.1", served.address()});
    EXPECT_TRUE(top.Await("dns:///crm:443"));
    EXPECT_EQ(top.EndBy(signal), signal);
    EXPECT_THAT(top.seen(), EndsWith("\033[?25h\033[?1049l"));
  }
}

TEST_F(TopLive, GoesOnWhenThereIsNoAnswerForAWhile) {
  Served served({Ok(kFirst), Ok(kFirst), "", Ok(kSecond)});
  OnTerminal top({"top", "--interval=0.1", served.address()});
  EXPECT_TRUE(top.Await("no answer: the answer is no HTTP"));
  EXPECT_TRUE(top.Await("dns:///stock:443"));
  top.EndBy(SIGINT);
}

TEST_F(TopLive, SaysWhenThereIsNoAnswerFromTheBegin) {
  std::string address = Served({""}).address();
  OnTerminal top({"top", address});
  EXPECT_TRUE(top.Await("Connection refused"));
  EXPECT_THAT(top.seen(), Not(HasSubstr("\033[?1049h")));
  top.EndBy(0);
}

}  // namespace
