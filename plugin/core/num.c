/* SPDX-License-Identifier: Apache-2.0 */
#include "core/num.h"

/* Every compiler that can build gRPC has it on 64-bit targets. */
__extension__ typedef unsigned __int128 uint128;

uint64_t rg_num_mul_div(uint64_t a, uint64_t b, uint64_t d) {
  uint64_t product;
  /* The processor divides 64 bits, a function 128. */
  if (!__builtin_mul_overflow(a, b, &product)) return product / d;
  uint128 result = (uint128)a * b / d;
  return result > UINT64_MAX ? UINT64_MAX : (uint64_t)result;
}

uint64_t rg_num_uniform(uint64_t random, uint64_t low, uint64_t high) {
  uint64_t span = high - low;
  if (span == UINT64_MAX) return random;
  /* The upper half of the product is random scaled to [0, span]. */
  return low + (uint64_t)(((uint128)random * (span + 1)) >> 64);
}
