// SPDX-License-Identifier: Apache-2.0

// What is written on a paper.
#ifndef RG_TEST_CLI_WRITTEN_H
#define RG_TEST_CLI_WRITTEN_H

#include <stdio.h>
#include <stdlib.h>

#include <functional>
#include <string>

#include "cli/paper.h"

namespace rg_test {

// On a paper of so many columns.
inline std::string Written(size_t width,
                           const std::function<void(rg_paper *)> &write,
                           bool coloured = false) {
  char *text = nullptr;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  rg_paper paper{};
  paper.out = out;
  paper.width = width;
  paper.coloured = coloured;
  write(&paper);
  fclose(out);
  std::string written(text, size);
  free(text);
  return written;
}

}  // namespace rg_test

#endif
