/* SPDX-License-Identifier: Apache-2.0 */

/* rg_memory_sizes: what the guard keeps for a call and for a target. */
#include <stdio.h>
#include <stdlib.h>

#include "host/call.h"

/* Says it; false when it is more than it may be. */
static bool tell(const char *what, size_t bytes, size_t limit) {
  printf("memory %s: %zu bytes, at most %zu\n", what, bytes, limit);
  return bytes <= limit;
}

int main(void) {
  bool call = tell("per call", sizeof(struct rg_call), 192);
  bool target = tell("per target", sizeof(struct rg_target), 4096);
  printf("memory per attempt: %zu bytes\n", sizeof(struct rg_attempt));
  printf("memory for breakers per service, method or backend: %zu bytes\n",
         RG_BREAKERS_MAX * sizeof(struct rg_scoped_breaker));
  return call && target ? EXIT_SUCCESS : EXIT_FAILURE;
}
