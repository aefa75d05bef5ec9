/* SPDX-License-Identifier: Apache-2.0 */
#include "guarded_call.h"

#include <retry_guard/metrics.h>
#include <retry_guard/metrics_endpoint.h>
#include <retry_guard/retry_guard.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rpc_client.h"
#include "support/rpc_server.h"

#define METHOD "/shop.Ledger/Charge"

static void demand(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "guarded_call: this does not hold: %s\n", what);
  exit(1);
}
#define DEMAND(condition) demand(condition, #condition)

static void refuse(struct rg_rpc_incoming *incoming, void *data) {
  (void)data;
  rg_rpc_reply(incoming,
               &(struct rg_rpc_answer){.status = GRPC_STATUS_UNAVAILABLE});
}

static void call(const char *target) {
  struct rg_rpc_channel *channel = rg_rpc_channel_new(target, NULL, NULL);
  struct rg_rpc_result *result =
      rg_rpc_call(channel, &(struct rg_rpc_request){.method = METHOD});
  DEMAND(result->status == GRPC_STATUS_UNAVAILABLE);
  rg_rpc_result_destroy(result);
  rg_rpc_channel_destroy(channel);
}

static void look_at_counters(const char *target) {
  retry_guard_stats stats = {.size = sizeof stats};
  DEMAND(retry_guard_stats_get(target, &stats) == RETRY_GUARD_OK);
  printf("attempts: %d, retries stopped by the budget: %d\n",
         (int)stats.attempts, (int)stats.stops[RETRY_GUARD_STOP_BUDGET]);
  DEMAND(stats.attempts == 2);
  DEMAND(stats.stops[RETRY_GUARD_STOP_BUDGET] == 1);
}

struct page {
  char text[1 << 16];
  size_t length;
};

static bool append(const char *bytes, size_t length, void *arg) {
  struct page *page = arg;
  if (length >= sizeof page->text - page->length) return false;
  memcpy(page->text + page->length, bytes, length);
  page->length += length;
  return true;
}

static void look_at_metrics(void) {
  static struct page page;
  DEMAND(retry_guard_metrics_text(RETRY_GUARD_METRICS_PROMETHEUS, append,
                                  &page) == RETRY_GUARD_OK);
  DEMAND(strstr(page.text, "retry_guard_retries_stopped_total") != NULL);
  DEMAND(strstr(page.text, "reason=\"budget\"} 1\n") != NULL);
}

/* With the installed command, which is in the PATH. */
static void look_by_http(void) {
  retry_guard_metrics_server *server;
  char command[128];
  DEMAND(retry_guard_metrics_serve("127.0.0.1:0", &server) == RETRY_GUARD_OK);
  snprintf(command, sizeof command, "retry-guard top --once --interval=0.1 %s",
           retry_guard_metrics_address(server));
  fflush(stdout);
  DEMAND(system(command) == 0);
  retry_guard_metrics_stop(server);
}

void guarded_call(void) {
  struct rg_rpc_method method = {.name = METHOD, .handler = refuse};
  struct rg_rpc_server *server = rg_rpc_server_new(
      &(struct rg_rpc_server_options){.methods = &method, .count = 1});
  const char *target = rg_rpc_server_address(server);
  call(target);
  look_at_counters(target);
  look_at_metrics();
  look_by_http();
  rg_rpc_server_destroy(server);
}
