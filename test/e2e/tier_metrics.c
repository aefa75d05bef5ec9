/* SPDX-License-Identifier: Apache-2.0 */
#include "e2e/tier_metrics.h"

#include <stdio.h>

#include "retry_guard/metrics_endpoint.h"

#ifdef RG_WITH_METRICS_ENDPOINT

static retry_guard_metrics_server *server;

bool rg_tier_metrics_start(const char *address) {
  if (address == NULL) return true;
  retry_guard_status status = retry_guard_metrics_serve(address, &server);
  if (status != RETRY_GUARD_OK) {
    fprintf(stderr, "rg_tier: %s: %s\n", address,
            retry_guard_status_string(status));
    return false;
  }
  printf("metrics %s\n", retry_guard_metrics_address(server));
  fflush(stdout);
  return true;
}

void rg_tier_metrics_stop(void) { retry_guard_metrics_stop(server); }

#else

bool rg_tier_metrics_start(const char *address) {
  if (address == NULL) return true;
  fputs("rg_tier: was built without the metrics endpoint\n", stderr);
  return false;
}

void rg_tier_metrics_stop(void) {}

#endif
