/* SPDX-License-Identifier: Apache-2.0 */

/* rg_bench_server: answers every call of the benchmark's client at once, on one
 * thread, and prints its port. Ends when its standard input does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/control.h"
#include "retry_guard/retry_guard.h"
#include "support/rpc_client.h"
#include "support/rpc_server.h"

#define USAGE                                                          \
  "Usage: rg_bench_server [--guard] [--control NAME] [--config JSON] " \
  "[--fail]\n"                                                         \
  "--control: see rg_bench_client\n"                                   \
  "--config: of a channel to itself, so that its policy is known\n"    \
  "--fail: the first attempt of each call is answered UNAVAILABLE\n"
#define METHOD "/retry_guard.bench.Echo/Call"

struct options {
  bool guard;
  enum rg_bench_control control;
  bool fail;
  const char *config;
};

static void on_call(struct rg_rpc_incoming *incoming, void *data) {
  const struct options *options = data;
  bool failing =
      options->fail && rg_rpc_previous_attempts(incoming->metadata) == 0;
  struct rg_rpc_answer answer = {
      .status = failing ? GRPC_STATUS_UNAVAILABLE : GRPC_STATUS_OK,
      .message = incoming->message,
  };
  rg_rpc_reply(incoming, &answer);
}

static bool parse(struct options *options, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--guard") == 0)
      options->guard = true;
    else if (strcmp(argv[i], "--control") == 0 && i + 1 < argc)
      options->control = rg_bench_control_named(argv[++i]);
    else if (strcmp(argv[i], "--fail") == 0)
      options->fail = true;
    else if (strcmp(argv[i], "--config") == 0 && i + 1 < argc)
      options->config = argv[++i];
    else
      return false;
  }
  return true;
}

/* The guard reads incoming marks as the policies of the process say. */
static void make_policy_known(const char *address, const char *config) {
  struct rg_rpc_channel *channel = rg_rpc_channel_new(address, config, NULL);
  struct rg_rpc_request request = {.method = METHOD};
  rg_rpc_result_destroy(rg_rpc_call(channel, &request));
  rg_rpc_channel_destroy(channel);
}

int main(int argc, char **argv) {
  struct options options = {.guard = false};
  if (!parse(&options, argc, argv)) {
    fputs(USAGE, stderr);
    return 2;
  }
  if (options.guard && retry_guard_register(NULL) != RETRY_GUARD_OK) abort();
  rg_bench_control_register(options.control);
  grpc_arg quiet = {.type = GRPC_ARG_INTEGER, .key = GRPC_ARG_HTTP2_BDP_PROBE};
  grpc_channel_args args = {1, &quiet};
  struct rg_rpc_method method = {METHOD, on_call, NULL, &options};
  struct rg_rpc_server *server =
      rg_rpc_server_new(&(struct rg_rpc_server_options){
          .methods = &method, .count = 1, .threads = 1, .args = &args});
  if (server == NULL) return EXIT_FAILURE;
  if (options.config != NULL)
    make_policy_known(rg_rpc_server_address(server), options.config);
  printf("port %d\n", rg_rpc_server_port(server));
  fflush(stdout);
  while (getchar() != EOF) {
  }
  rg_rpc_server_destroy(server);
  return EXIT_SUCCESS;
}
