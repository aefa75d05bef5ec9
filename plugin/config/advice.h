/* SPDX-License-Identifier: Apache-2.0 */

/* What a service config that is valid deserves to be warned of: parts that do
 * not go together, retries that can never happen, and retries that do harm.
 *
 * Threads: one owner of the warnings. */
#ifndef RG_CONFIG_ADVICE_H
#define RG_CONFIG_ADVICE_H

#include <stddef.h>
#include <stdint.h>

#include "config/faults.h"
#include "config/service_config.h"
#include "core/cxx.h"

RG_C_BEGIN

/* rg_service_config_read, and these warnings too where it found no errors. */
struct rg_service_config *rg_advise_read(const char *json, size_t length,
                                         struct rg_report *report);

/* Adds the warnings for `config`, which was read without errors. */
void rg_advise(const struct rg_service_config *config,
               struct rg_faults *warnings);

/* The clients that a target has, all with the same service config. */
struct rg_fleet {
  uint64_t clients;
  uint64_t calls_per_s; /* of all clients together; 0: one of each */
};

/* Adds the warnings for what every client may do for itself, such as
 * minRetryRate, where the whole fleet doing it retries more than the budget's
 * share of its calls. */
void rg_advise_fleet(const struct rg_service_config *config,
                     const struct rg_fleet *fleet, struct rg_faults *warnings);

RG_C_END

#endif
