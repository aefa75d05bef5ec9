/* SPDX-License-Identifier: Apache-2.0 */

/* What scenario.proto says of the ranges of its numbers and durations.
 *
 * Threads: pure. */
#ifndef RG_SIM_SCENARIO_RULES_H
#define RG_SIM_SCENARIO_RULES_H

#include <protobuf-c/protobuf-c.h>

#include "config/faults.h"
#include "config/json_path.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Adds a fault for each number or duration in `message`, which is at `path`,
 * and in the messages in it, that is out of range. */
void rg_scenario_check_ranges(const ProtobufCMessage *message,
                              const struct rg_json_path *path,
                              struct rg_faults *faults);

RG_C_END

#endif
