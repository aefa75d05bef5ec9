/* SPDX-License-Identifier: Apache-2.0 */

/* What `simulate` is asked for, and does.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_SIMULATION_H
#define RG_CLI_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/file.h"
#include "core/cxx.h"
#include "sim/result.h"
#include "sim/scenario.h"

RG_C_BEGIN

enum rg_simulation_format {
  RG_SIMULATION_TEXT,
  RG_SIMULATION_JSON,
  RG_SIMULATION_CSV,
};

/* What a run must not exceed; negative: any. */
struct rg_limits {
  double amplification;
  double peak;
  double recovery_s;
  double lost_percent; /* of the calls */
};

struct rg_simulation_request {
  const char *scenario; /* a file, or the name of one that is installed */
  char **policies;      /* files in place of its variants */
  size_t policy_count;
  char *variants;     /* names with commas between them; NULL: all */
  const char *method; /* "service/method" of all calls; NULL: the tiers' own */
  uint64_t seed;
  double share; /* of the goodput that is asked for */
  enum rg_simulation_format format;
  bool chart;
  const char *svg; /* files to draw to; NULL: none */
  const char *png;
  struct rg_limits limits;
};

/* Does all of it; the exit status. */
int rg_simulation_do(const struct rg_simulation_request *request);

/* Writes the results as a table, and with a chart of each under it. */
void rg_simulation_write_text(const struct rg_results *results,
                              const struct rg_limits *limits, bool chart);

/* Whether the run keeps within the limits. */
bool rg_simulation_holds(const struct rg_trial *result,
                         const struct rg_limits *limits);

/* Names the scenarios that are installed, one a line with its title. */
int rg_simulation_list(void);

RG_C_END

#endif
