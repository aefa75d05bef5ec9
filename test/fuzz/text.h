/* SPDX-License-Identifier: Apache-2.0 */

/* Texts that people are to read, whatever they are about.
 *
 * Threads: pure. */
#ifndef RG_TEST_FUZZ_TEXT_H
#define RG_TEST_FUZZ_TEXT_H

#include <stddef.h>

#include "fuzz/fuzz.h"

/* The bytes that follow `first` in a character of UTF-8; -1 for none that
 * begins one. */
static inline int rg_fuzz_continuation(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first < 0xE0) return 1;
  if (first >= 0xE0 && first < 0xF0) return 2;
  if (first >= 0xF0 && first < 0xF5) return 3;
  return -1;
}

/* Whole characters, none of which moves a terminal's cursor. */
static inline void rg_fuzz_check_text(const char *text) {
  RG_FUZZ_CHECK(text != NULL && text[0] != '\0');
  const unsigned char *at = (const unsigned char *)text;
  while (*at != '\0') {
    RG_FUZZ_CHECK(*at >= 0x20 && *at != 0x7F);
    int more = rg_fuzz_continuation(*at++);
    RG_FUZZ_CHECK(more >= 0);
    for (; more > 0; more--) RG_FUZZ_CHECK((*at++ & 0xC0) == 0x80);
  }
}

#endif
