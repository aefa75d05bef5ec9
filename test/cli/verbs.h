// SPDX-License-Identifier: Apache-2.0

// What the command says that it can do.
#ifndef RG_TEST_CLI_VERBS_H
#define RG_TEST_CLI_VERBS_H

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"

namespace rg_test {

// The verbs that --help lists, each at the begin of a line.
inline std::vector<std::string> Verbs() {
  std::istringstream help(RunCommand({"--help"}).out);
  std::vector<std::string> verbs;
  for (std::string line; std::getline(help, line);) {
    std::string verb;
    if (line.rfind("  ", 0) == 0 && line[2] != ' ' &&
        std::istringstream(line) >> verb)
      verbs.push_back(verb);
  }
  EXPECT_GE(verbs.size(), 2u);
  return verbs;
}

// The long options that `retry-guard help VERB` lists.
inline std::vector<std::string> Options(const std::string &verb) {
  std::istringstream help(RunCommand({"help", verb}).out);
  std::vector<std::string> options;
  for (std::string line; std::getline(help, line);) {
    size_t end = line.find_first_of("= [", 4);
    if (line.rfind("  --", 0) == 0) options.push_back(line.substr(2, end - 2));
  }
  return options;
}

}  // namespace rg_test

#endif
