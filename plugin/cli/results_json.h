/* SPDX-License-Identifier: Apache-2.0 */

/* Results of simulations for programs.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_RESULTS_JSON_H
#define RG_CLI_RESULTS_JSON_H

#include <jansson.h>

#include "core/cxx.h"
#include "sim/result.h"

RG_C_BEGIN

/* All of it; NULL when memory is out. */
json_t *rg_results_to_json(const struct rg_results *results);

RG_C_END

#endif
