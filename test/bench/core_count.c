/* SPDX-License-Identifier: Apache-2.0 */

/* rg_core_count: runs each operation of the core as often as its argument says,
 * for callgrind to count, and prints the names and limits. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/core_ops.h"

int main(int argc, char **argv) {
  uint64_t count = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
  if (count == 0) {
    fputs("Usage: rg_core_count COUNT\n", stderr);
    return 2;
  }
  rg_core_ops_prepare();
  for (size_t i = 0; i < rg_core_op_count; i++) {
    printf("%s %u\n", rg_core_ops[i].name, rg_core_ops[i].limit);
    rg_core_ops[i].run(count);
  }
  return EXIT_SUCCESS;
}
