/* SPDX-License-Identifier: Apache-2.0 */

/* The metrics of a running program, got by HTTP.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_SCRAPE_H
#define RG_CLI_SCRAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_SCRAPE_ADDRESS "127.0.0.1:9464" /* where nothing else is said */
#define RG_SCRAPE_MAX_BYTES ((size_t)32 * 1024 * 1024)
#define RG_SCRAPE_FAULT_SIZE 160

struct rg_scrape {
  char *text; /* ends in NUL */
  size_t length;
};

/* Gets /metrics from `address`: HOST, HOST:PORT, :PORT or "", as
 * metrics_endpoint.h says, but any host. It takes at most `timeout_ms`, the
 * look-up of a name apart. False: `fault` (of RG_SCRAPE_FAULT_SIZE bytes) says
 * why, and there is nothing to clean up. */
bool rg_scrape_get(const char *address, uint64_t timeout_ms,
                   struct rg_scrape *scrape, char *fault);

void rg_scrape_clean_up(struct rg_scrape *scrape);

RG_C_END

#endif
