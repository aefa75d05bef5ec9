/* SPDX-License-Identifier: Apache-2.0 */

/* From the message of a scenario to what the simulation works with: defaults,
 * and names in place of which stand numbers.
 *
 * Threads: pure, but for the heap. */
#ifndef RG_SIM_SCENARIO_BUILD_H
#define RG_SIM_SCENARIO_BUILD_H

#include "config/faults.h"
#include "core/cxx.h"
#include "sim/scenario.h"

RG_C_BEGIN

/* Fills everything but the variants' service configs from
 * `scenario->message`. */
void rg_scenario_build(struct rg_scenario *scenario, struct rg_faults *faults);

RG_C_END

#endif
