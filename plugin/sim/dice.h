/* SPDX-License-Identifier: Apache-2.0 */

/* All chance of a simulation, from one seed.
 *
 * Threads: one owner. */
#ifndef RG_SIM_DICE_H
#define RG_SIM_DICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

struct rg_dice {
  uint64_t state;
};

/* 64 random bits. */
uint64_t rg_dice_bits(struct rg_dice *dice);

/* From [0, 1). */
double rg_dice_share(struct rg_dice *dice);

/* One of 0 .. count - 1; `count` is not 0. */
uint32_t rg_dice_pick(struct rg_dice *dice, uint32_t count);

/* A time from the exponential distribution with the mean `mean_ns`. */
uint64_t rg_dice_exponential(struct rg_dice *dice, double mean_ns);

RG_C_END

#endif
