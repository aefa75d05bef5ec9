// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/written.h"

namespace {

using rg_test::Written;

class Table : public testing::Test {
 protected:
  std::string Write(const std::vector<rg_cell> &cells, size_t width = 80,
                    bool coloured = false) {
    table_.cells = cells.data();
    table_.rows = cells.size() / table_.columns;
    return Written(
        width, [&](rg_paper *paper) { rg_table_write(&table_, paper); },
        coloured);
  }

  static rg_cell Cell(const char *text) { return {text, RG_INK_PLAIN}; }

  rg_table table_{nullptr, 0, 2, 0, 0};
};

TEST_F(Table, AlignsItsColumns) {
  EXPECT_EQ(Write({Cell("owner"), Cell("front"), Cell("hops"), Cell("2")}),
            "owner  front\n"
            "hops   2\n");
}

TEST_F(Table, AlignsByColumnsRatherThanBytes) {
  EXPECT_EQ(Write({Cell("Größe"), Cell("1"), Cell("日本語"), Cell("2")}),
            "Größe   1\n"
            "日本語  2\n");
}

TEST_F(Table, PutsNumbersAtTheRight) {
  table_.right = 1u << 0 | 1u << 1;
  EXPECT_EQ(Write({Cell("9"), Cell("1000"), Cell("10"), Cell("1")}),
            " 9  1000\n"
            "10     1\n");
}

TEST_F(Table, LeavesNoSpacesAtTheEndOfALine) {
  table_.columns = 3;
  EXPECT_EQ(Write({Cell("a"), Cell(nullptr), Cell("c"), Cell("aa"), Cell(""),
                   Cell(nullptr), Cell(nullptr), Cell("b"), Cell(nullptr)}),
            "a      c\n"
            "aa\n"
            "    b\n");
}

TEST_F(Table, WrapsTheLastColumnWithinIt) {
  table_.indent = 2;
  EXPECT_EQ(Write({Cell("burst"), Cell("what the calls of this time earned"),
                   Cell("x"), Cell("y")},
                  34),
            "  burst  what the calls of this\n"
            "         time earned\n"
            "  x      y\n");
}

TEST_F(Table, HangsTextsUnderTheRowWhereTheLastColumnIsTooNarrow) {
  EXPECT_EQ(Write({Cell("retryGuard.budget"), Cell("may be a window")}, 26),
            "retryGuard.budget  may be\n"
            "    a window\n");
}

TEST_F(Table, ColoursCellsWithoutMovingThem) {
  EXPECT_EQ(
      Write({{"a", RG_INK_RED}, Cell("1"), Cell("bb"), Cell("2")}, 80, true),
      "\033[31ma\033[0m   1\n"
      "bb  2\n");
}

TEST_F(Table, WithoutRowsIsNothing) { EXPECT_EQ(Write({}), ""); }

}  // namespace
