/* SPDX-License-Identifier: Apache-2.0 */

/* rg_tier: one process of a call tree. With a next tier it calls that for each
 * request, on behalf of the incoming call; without, it is the leaf and answers
 * as the request's plan says. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "e2e/tier_counts.h"
#include "e2e/tier_hold.h"
#include "e2e/tier_metrics.h"
#include "e2e/tier_options.h"
#include "e2e/tier_plan.h"
#include "retry_guard/retry_guard.h"
#include "support/echo.pb-c.h"
#include "support/rpc_client.h"
#include "support/rpc_server.h"

struct tier {
  struct rg_tier_options options;
  struct rg_tier_counts *counts;
  struct rg_tier_hold *hold;      /* NULL: none */
  struct rg_rpc_channel *channel; /* NULL: the leaf */
};

/* ---- Requests ----------------------------------------------------------- */

static void pass_on(const struct rg_rpc_result *result, void *data) {
  struct rg_rpc_answer answer = {
      .status = result->status,
      .details = result->details,
      .message = result->message,
  };
  rg_rpc_reply(data, &answer);
}

static void forward(struct tier *tier, struct rg_rpc_incoming *incoming) {
  struct rg_rpc_request request = {
      .method = incoming->method,
      .message = incoming->message,
      .parent = incoming->call,
  };
  rg_rpc_start(tier->channel, &request, pass_on, incoming, NULL);
}

static void answer_status(const struct tier *tier,
                          struct rg_rpc_incoming *incoming,
                          grpc_status_code status) {
  char details[256];
  snprintf(details, sizeof(details), "%s answers %s", tier->options.name,
           rg_rpc_status_name(status));
  rg_rpc_reply(incoming,
               &(struct rg_rpc_answer){.status = status, .details = details});
}

static void handle(struct tier *tier, struct rg_rpc_incoming *incoming,
                   uint64_t number) {
  if (number < tier->options.fail_count)
    answer_status(tier, incoming, tier->options.fail);
  else if (tier->channel != NULL)
    forward(tier, incoming);
  else
    rg_tier_plan_follow(incoming);
}

static void on_release(struct rg_rpc_incoming *incoming, uint64_t number,
                       void *data) {
  struct tier *tier = data;
  rg_tier_counts_released(tier->counts, rg_rpc_now_ns());
  handle(tier, incoming, number);
}

static void on_call(struct rg_rpc_incoming *incoming, void *data) {
  struct tier *tier = data;
  uint64_t number = rg_tier_counts_add(tier->counts, incoming);
  if (tier->hold != NULL && number < tier->options.hold)
    rg_tier_hold_add(tier->hold, incoming, number);
  else
    handle(tier, incoming, number);
}

static void on_call_ended(bool cancelled, void *data) {
  struct tier *tier = data;
  if (cancelled) rg_tier_counts_cancelled(tier->counts);
}

/* 0, closed, when there is no guard or nothing to guard. */
static uint32_t breaker_state(const struct tier *tier) {
  retry_guard_stats stats = {.size = sizeof(stats)};
  if (tier->options.next == NULL ||
      retry_guard_stats_get(tier->options.next, &stats) != RETRY_GUARD_OK)
    return 0;
  return (uint32_t)stats.breaker_state;
}

static void on_read(struct rg_rpc_incoming *incoming, void *data) {
  struct tier *tier = data;
  RetryGuard__Test__ReadRequest *request =
      retry_guard__test__read_request__unpack(NULL, incoming->message.size,
                                              incoming->message.data);
  struct rg_rpc_answer answer = {.status = GRPC_STATUS_OK};
  uint8_t *packed =
      rg_tier_counts_pack(tier->counts, request != NULL && request->reset,
                          breaker_state(tier), &answer.message.size);
  answer.message.data = packed;
  rg_rpc_reply(incoming, &answer);
  free(packed);
  retry_guard__test__read_request__free_unpacked(request, NULL);
}

static void on_release_all(struct rg_rpc_incoming *incoming, void *data) {
  struct tier *tier = data;
  if (tier->hold != NULL) rg_tier_hold_end(tier->hold);
  /* The reply is an empty message. */
  rg_rpc_reply(incoming, &(struct rg_rpc_answer){.status = GRPC_STATUS_OK});
}

/* ---- Life --------------------------------------------------------------- */

static bool register_guard(const struct rg_tier_options *options) {
  retry_guard_options guard;
  retry_guard_options_init(&guard);
  guard.layer_name = options->layer_name;
  guard.accept_marks = options->accept_marks;
  retry_guard_status status = retry_guard_register(&guard);
  if (status == RETRY_GUARD_OK) return true;
  fprintf(stderr, "rg_tier: %s\n", retry_guard_status_string(status));
  return false;
}

static void wait_for_end(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  int number;
  sigwait(&ends, &number);
}

/* Before any thread starts, so that all of them leave the signals to main. */
static void block_signals(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, NULL);
}

static int serve(struct tier *tier) {
  const struct rg_rpc_method methods[] = {
      {"/retry_guard.test.Echo/Call", on_call, on_call_ended, tier},
      {"/retry_guard.test.Control/Read", on_read, NULL, tier},
      {"/retry_guard.test.Control/Release", on_release_all, NULL, tier},
  };
  struct rg_rpc_server_options options = {
      .methods = methods,
      .count = sizeof(methods) / sizeof(methods[0]),
      .port = tier->options.port,
  };
  struct rg_rpc_server *server = rg_rpc_server_new(&options);
  if (server == NULL) return EXIT_FAILURE;
  printf("port %d\n", rg_rpc_server_port(server));
  fflush(stdout);
  bool started = rg_tier_metrics_start(tier->options.metrics);
  if (started) wait_for_end();
  rg_tier_metrics_stop();
  if (tier->hold != NULL) rg_tier_hold_end(tier->hold);
  rg_rpc_server_destroy(server);
  return started ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(struct tier *tier) {
  const struct rg_tier_options *options = &tier->options;
  if (options->guard && !register_guard(options)) return EXIT_FAILURE;
  tier->counts = rg_tier_counts_new();
  if (options->hold > 0)
    tier->hold = rg_tier_hold_new(options->hold, on_release, tier);
  if (options->next != NULL)
    tier->channel =
        rg_rpc_channel_new(options->next, options->service_config, NULL);
  int status = serve(tier);
  if (tier->channel != NULL) rg_rpc_channel_destroy(tier->channel);
  if (tier->hold != NULL) rg_tier_hold_destroy(tier->hold);
  rg_tier_counts_destroy(tier->counts);
  return status;
}

int main(int argc, char **argv) {
  struct tier tier = {.counts = NULL};
  enum rg_tier_parse parse = rg_tier_options_parse(&tier.options, argc, argv);
  block_signals();
  int status = parse == RG_TIER_PARSE_ERROR ? 2 : EXIT_SUCCESS;
  if (parse == RG_TIER_PARSE_OK) status = run(&tier);
  rg_tier_options_clean_up(&tier.options);
  return status;
}
