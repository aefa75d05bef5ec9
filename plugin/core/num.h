/* SPDX-License-Identifier: Apache-2.0 */

/* Saturating integer arithmetic on times and amounts.
 *
 * Threads: pure. */
#ifndef RG_CORE_NUM_H
#define RG_CORE_NUM_H

#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_NS_PER_MS UINT64_C(1000000)
#define RG_NS_PER_S UINT64_C(1000000000)

/* a + b, at most UINT64_MAX. */
static inline uint64_t rg_num_add(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* a - b, at least 0. Of two times it is what has passed between them: time
 * that steps back means none passed. */
static inline uint64_t rg_num_sub(uint64_t a, uint64_t b) {
  return a < b ? 0 : a - b;
}

/* a * b, at most UINT64_MAX. */
static inline uint64_t rg_num_mul(uint64_t a, uint64_t b) {
  uint64_t result;
  return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* a * b / d without loss in between, rounded down, at most UINT64_MAX.
 * d must not be 0. */
uint64_t rg_num_mul_div(uint64_t a, uint64_t b, uint64_t d);

/* Maps 64 random bits to an integer in [low, high], both ends included; each
 * value is as likely as any other but for a bias below 2^-32 on ranges up to
 * 2^32. Needs low <= high. */
uint64_t rg_num_uniform(uint64_t random, uint64_t low, uint64_t high);

RG_C_END

#endif
