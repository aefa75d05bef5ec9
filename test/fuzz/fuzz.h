/* SPDX-License-Identifier: Apache-2.0 */

/* What the fuzzers share: a check that libFuzzer sees, and a script of choices
 * read from the input.
 *
 * Threads: one owner. */
#ifndef RG_TEST_FUZZ_FUZZ_H
#define RG_TEST_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/cxx.h"

RG_C_BEGIN

/* The fuzzer; returns 0, and aborts when something is not as it must be. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

RG_C_END

/* Ends the process, so that libFuzzer keeps the input. */
#define RG_FUZZ_CHECK(condition) \
  ((condition) ? (void)0 : rg_fuzz_fail(#condition, __FILE__, __LINE__))

static inline void rg_fuzz_fail(const char *what, const char *file, int line) {
  fprintf(stderr, "%s:%d: must hold: %s\n", file, line, what);
  abort();
}

/* What is left of an input. Once it is used up every choice is 0. */
struct rg_fuzz_script {
  const uint8_t *at;
  size_t left;
};

/* The next `bytes` (at most 8) as a number, the lowest byte first. */
static inline uint64_t rg_fuzz_number(struct rg_fuzz_script *script,
                                      size_t bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < bytes && script->left > 0; i++) {
    number |= (uint64_t)*script->at++ << (8 * i);
    script->left--;
  }
  return number;
}

/* A choice in [0, n), for n from 1; as few bytes as it takes. */
static inline uint64_t rg_fuzz_below(struct rg_fuzz_script *script,
                                     uint64_t n) {
  size_t bytes = 1;
  while (bytes < 8 && (n - 1) >> (8 * bytes) != 0) bytes++;
  return rg_fuzz_number(script, bytes) % n;
}

#endif
