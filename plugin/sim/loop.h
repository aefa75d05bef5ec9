/* SPDX-License-Identifier: Apache-2.0 */

/* The loops that applications write around their calls.
 *
 * Threads: pure, but for the dice. */
#ifndef RG_SIM_LOOP_H
#define RG_SIM_LOOP_H

#include <stdint.h>

#include "core/cxx.h"
#include "sim/dice.h"
#include "sim/scenario.h"

RG_C_BEGIN

/* The pause before retry number `retry`, from 0 on. */
uint64_t rg_loop_pause_ns(const struct rg_loop_spec *loop, uint32_t retry,
                          struct rg_dice *dice);

RG_C_END

#endif
