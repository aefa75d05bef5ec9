// SPDX-License-Identifier: Apache-2.0
#include "cli/paper.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

#include "cli/written.h"

namespace {

using rg_test::Written;

// ---- What the paper is like -------------------------------------------------

// Where nothing is mounted on /dev/pts there are none.
bool HasTerminals() {
  int master = -1;
  int slave = -1;
  if (openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) return false;
  close(master);
  close(slave);
  return true;
}

class Paper : public testing::Test {
 protected:
  Paper() {
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    unsetenv("COLUMNS");
  }
};

class PaperOnATerminal : public Paper {
 protected:
  void SetUp() override {
    if (!HasTerminals()) GTEST_SKIP() << "there are no pseudo-terminals";
  }
};

// A terminal of so many columns.
class Terminal {
 public:
  explicit Terminal(unsigned short columns = 90) {
    winsize size{};
    size.ws_row = 25;
    size.ws_col = columns;
    EXPECT_EQ(openpty(&master_, &slave_, nullptr, nullptr, &size), 0);
    out_ = fdopen(slave_, "w");
  }
  ~Terminal() {
    fclose(out_);
    close(master_);
  }

  rg_paper paper() const { return rg_paper_on(out_); }

 private:
  int master_ = -1;
  int slave_ = -1;
  FILE *out_ = nullptr;
};

rg_paper PaperOnAFile() {
  static FILE *file = tmpfile();
  return rg_paper_on(file);
}

TEST_F(Paper, OnAFileIsPlainAndAsWideAsColumnsSays) {
  EXPECT_FALSE(PaperOnAFile().coloured);
  EXPECT_EQ(PaperOnAFile().width, 80u);
  setenv("COLUMNS", "64", 1);
  EXPECT_EQ(PaperOnAFile().width, 64u);
  setenv("COLUMNS", "99999999999999999999", 1);
  EXPECT_EQ(PaperOnAFile().width, 100u);
}

TEST_F(PaperOnATerminal, IsColoured) {
  EXPECT_TRUE(Terminal().paper().coloured);
}

TEST_F(PaperOnATerminal, IsNotColouredOnADumbTerminal) {
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(Terminal().paper().coloured);
  unsetenv("TERM");
  EXPECT_FALSE(Terminal().paper().coloured);
}

TEST_F(PaperOnATerminal, IsNotColouredWhereNoColourIsWanted) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(Terminal().paper().coloured);
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(Terminal().paper().coloured);
}

TEST_F(PaperOnATerminal, IsAsWideAsTheTerminal) {
  EXPECT_EQ(Terminal(90).paper().width, 90u);
  EXPECT_EQ(Terminal(0).paper().width, 80u);
}

TEST_F(PaperOnATerminal, IsAsWideAsColumnsSays) {
  setenv("COLUMNS", "64", 1);
  EXPECT_EQ(Terminal(90).paper().width, 64u);
  for (const char *nonsense : {"", "0", "-5", "wide"}) {
    setenv("COLUMNS", nonsense, 1);
    EXPECT_EQ(Terminal(90).paper().width, 90u) << nonsense;
  }
}

TEST_F(PaperOnATerminal, IsNeitherTooWideNorTooNarrow) {
  EXPECT_EQ(Terminal(300).paper().width, 100u);
  EXPECT_EQ(Terminal(3).paper().width, 20u);
}

// ---- Writing ----------------------------------------------------------------

std::string Wrapped(size_t width, size_t hang, const std::string &text) {
  return Written(width, [&](rg_paper *paper) {
    rg_paper_wrap(paper, hang, RG_INK_PLAIN, "%s", text.c_str());
  });
}

TEST_F(Paper, PutsTextAsItIs) {
  EXPECT_EQ(Written(20,
                    [](rg_paper *paper) {
                      rg_paper_put(paper, RG_INK_RED, "%d  retries of a call",
                                   3);
                      rg_paper_newline(paper);
                    }),
            "3  retries of a call\n");
}

TEST_F(Paper, NeverPutsControlCharactersOfATextRaw) {
  EXPECT_EQ(Written(80,
                    [](rg_paper *paper) {
                      rg_paper_put(paper, RG_INK_PLAIN, "%s", "\033[31m\n");
                      rg_paper_wrap(paper, 0, RG_INK_PLAIN, "%s", "\033c\n");
                    }),
            "\\u001b[31m\\u000a\\u001bc\\u000a");
}

TEST_F(Paper, EndsEveryColour) {
  auto write = [](rg_paper *paper) {
    rg_paper_put(paper, RG_INK_RED, "error");
    rg_paper_put(paper, RG_INK_PLAIN, ": ");
    rg_paper_wrap(paper, 0, RG_INK_BOLD, "not good");
  };
  EXPECT_EQ(Written(80, write, true),
            "\033[31merror\033[0m: \033[1mnot good\033[0m");
  EXPECT_EQ(Written(80, write), "error: not good");
}

TEST_F(Paper, ColoursTakeNoColumns) {
  size_t column = 0;
  Written(
      80,
      [&](rg_paper *paper) {
        rg_paper_put(paper, RG_INK_RED, "Größe");
        column = paper->column;
      },
      true);
  EXPECT_EQ(column, 5u);
}

TEST_F(Paper, BreaksLinesBetweenWords) {
  EXPECT_EQ(Wrapped(10, 0, "one two three four"), "one two\nthree four");
  EXPECT_EQ(Wrapped(9, 0, "one two three four"), "one two\nthree\nfour");
}

TEST_F(Paper, GoesOnAtTheHangingIndent) {
  EXPECT_EQ(Wrapped(10, 2, "one two three four"), "one two\n  three\n  four");
  EXPECT_EQ(Written(14,
                    [](rg_paper *paper) {
                      rg_paper_put(paper, RG_INK_PLAIN, "mode: ");
                      rg_paper_wrap(paper, 6, RG_INK_PLAIN, "one two three");
                    }),
            "mode: one two\n      three");
}

TEST_F(Paper, GivesAWordThatFitsNowhereALineOfItsOwn) {
  EXPECT_EQ(Wrapped(6, 0, "a retryGuard.budget b"), "a\nretryGuard.budget\nb");
  EXPECT_EQ(Wrapped(6, 2, "retryGuard b"), "retryGuard\n  b");
}

TEST_F(Paper, WrapsByColumnsRatherThanBytes) {
  EXPECT_EQ(Wrapped(11, 0, "Größe Größe Größe"), "Größe Größe\nGröße");
  EXPECT_EQ(Wrapped(7, 0, "日本 日本"), "日本\n日本");
}

TEST_F(Paper, TakesSeveralSpacesBetweenWordsAsOne) {
  EXPECT_EQ(Wrapped(80, 0, "  one   two "), "one two");
  EXPECT_EQ(Wrapped(80, 0, ""), "");
}

TEST_F(Paper, IndentsUpToAColumnAndNotBack) {
  EXPECT_EQ(Written(80,
                    [](rg_paper *paper) {
                      rg_paper_indent(paper, 2);
                      rg_paper_put(paper, RG_INK_PLAIN, "abc");
                      rg_paper_indent(paper, 4);
                      rg_paper_put(paper, RG_INK_PLAIN, "d");
                    }),
            "  abcd");
}

}  // namespace
