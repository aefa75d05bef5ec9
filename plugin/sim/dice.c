/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/dice.h"

#include <math.h>

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t rg_dice_bits(struct rg_dice *dice) {
  uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

double rg_dice_share(struct rg_dice *dice) {
  return (double)(rg_dice_bits(dice) >> 11) * 0x1p-53;
}

uint32_t rg_dice_pick(struct rg_dice *dice, uint32_t count) {
  return (uint32_t)((rg_dice_bits(dice) >> 32) * count >> 32);
}

uint64_t rg_dice_exponential(struct rg_dice *dice, double mean_ns) {
  return (uint64_t)(-log1p(-rg_dice_share(dice)) * mean_ns);
}
