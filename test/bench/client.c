/* SPDX-License-Identifier: Apache-2.0 */

/* rg_bench_client: makes unary calls in a closed loop, on one thread, as the
 * lines of its standard input say:
 *
 *   run CALLS INFLIGHT   makes CALLS calls, INFLIGHT of them at a time
 *   channels COUNT       opens and closes COUNT channels, each to a target of
 *                        its own that nobody calls
 *   rss                  nothing but the answer
 *
 * Each is answered by one line when it is done: how many calls ended OK and how
 * many did not, how long it took, what the heap was asked for meanwhile (0
 * unless the library rg_bench_heap is preloaded), and what the process holds
 * now:
 *
 *   ok 100 failed 0 ns 6123456 allocations 3100 bytes 712345 rss_kib 9120 */
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/control.h"
#include "bench/heap.h"
#include "retry_guard/retry_guard.h"
#include "support/rpc.h"

#define USAGE                                                       \
  "Usage: rg_bench_client [OPTIONS] [--config JSON] TARGET\n"       \
  "Makes calls to TARGET (lame: nowhere) as standard input says.\n" \
  "--guard: registers Retry Guard\n"                                \
  "--control filters|marks|everything: what gRPC takes for it\n"    \
  "--hop: on behalf of a marked call\n"                             \
  "--entry: with a metadata entry like a mark\n"
#define METHOD "/retry_guard.bench.Echo/Call"
/* So long that what gRPC sends of it does not change as time passes. */
#define DEADLINE_MS 36000000

struct options {
  bool guard;
  enum rg_bench_control control;
  bool hop;
  bool entry;
  const char *config;
  const char *target;
};

struct client {
  grpc_channel *channel;
  grpc_completion_queue *queue;
  grpc_byte_buffer *message;
  grpc_metadata entry;
  size_t entries; /* 1: `entry` is sent */
  uint64_t ok, failed;
};

struct call {
  grpc_call *call;
  grpc_metadata_array initial;
  grpc_metadata_array trailing;
  grpc_byte_buffer *reply;
  grpc_status_code status;
  grpc_slice details;
};

/* ---- Calls -------------------------------------------------------------- */

static void start(struct client *client, struct call *call) {
  memset(call, 0, sizeof(*call));
  call->call = grpc_channel_create_call(
      client->channel, NULL, GRPC_PROPAGATE_DEFAULTS, client->queue,
      grpc_slice_from_static_string(METHOD), NULL, rg_rpc_after_ms(DEADLINE_MS),
      NULL);
  grpc_op ops[] = {
      {.op = GRPC_OP_SEND_INITIAL_METADATA},
      {.op = GRPC_OP_SEND_MESSAGE},
      {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
      {.op = GRPC_OP_RECV_INITIAL_METADATA},
      {.op = GRPC_OP_RECV_MESSAGE},
      {.op = GRPC_OP_RECV_STATUS_ON_CLIENT},
  };
  ops[0].data.send_initial_metadata.metadata = &client->entry;
  ops[0].data.send_initial_metadata.count = client->entries;
  ops[1].data.send_message.send_message = client->message;
  ops[3].data.recv_initial_metadata.recv_initial_metadata = &call->initial;
  ops[4].data.recv_message.recv_message = &call->reply;
  ops[5].data.recv_status_on_client.trailing_metadata = &call->trailing;
  ops[5].data.recv_status_on_client.status = &call->status;
  ops[5].data.recv_status_on_client.status_details = &call->details;
  rg_rpc_check(grpc_call_start_batch(call->call, ops,
                                     sizeof(ops) / sizeof(ops[0]), call, NULL),
               "start a call");
}

static void finish(struct client *client, struct call *call) {
  *(call->status == GRPC_STATUS_OK ? &client->ok : &client->failed) += 1;
  grpc_metadata_array_destroy(&call->initial);
  grpc_metadata_array_destroy(&call->trailing);
  if (call->reply != NULL) grpc_byte_buffer_destroy(call->reply);
  grpc_slice_unref(call->details);
  grpc_call_unref(call->call);
}

static struct call *next_ended(struct client *client) {
  grpc_event event = grpc_completion_queue_next(
      client->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
  return event.tag;
}

static void run(struct client *client, uint64_t calls, uint64_t in_flight) {
  struct call *slots = rg_rpc_alloc(in_flight, sizeof(*slots));
  uint64_t started = 0;
  for (; started < in_flight && started < calls; started++)
    start(client, &slots[started]);
  for (uint64_t ended = 0; ended < calls; ended++) {
    struct call *call = next_ended(client);
    finish(client, call);
    if (started++ < calls) start(client, call);
  }
  free(slots);
}

/* ---- Channels ----------------------------------------------------------- */

static grpc_channel *new_channel(const char *target, const char *config) {
  /* No traffic that depends on the time: it would be counted too. */
  grpc_arg args[] = {
      {.type = GRPC_ARG_INTEGER, .key = GRPC_ARG_ENABLE_HTTP_PROXY},
      {.type = GRPC_ARG_INTEGER, .key = GRPC_ARG_HTTP2_BDP_PROBE},
      {.type = GRPC_ARG_STRING,
       .key = GRPC_ARG_SERVICE_CONFIG,
       .value.string = (char *)config},
  };
  grpc_channel_args all = {config != NULL ? 3 : 2, args};
  grpc_channel_credentials *insecure = grpc_insecure_credentials_create();
  grpc_channel *channel = grpc_channel_create(target, insecure, &all);
  grpc_channel_credentials_release(insecure);
  return channel;
}

static void open_and_close(const char *config, uint64_t count) {
  char target[64];
  for (uint64_t i = 0; i < count; i++) {
    snprintf(target, sizeof(target), "ipv4:127.0.0.1:%" PRIu64, i % 65000 + 1);
    grpc_channel_destroy(new_channel(target, config));
  }
}

static grpc_channel *open_channel(const struct options *options) {
  if (strcmp(options->target, "lame") == 0)
    return grpc_lame_client_channel_create("lame", GRPC_STATUS_UNAVAILABLE,
                                           "this channel is lame");
  return new_channel(options->target, options->config);
}

/* ---- Commands ----------------------------------------------------------- */

static uint64_t rss_kib(void) {
  unsigned long all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%lu %lu", &all, &resident) != 2) resident = 0;
  fclose(file);
  return resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static bool obey(struct client *client, const struct options *options,
                 const char *line) {
  uint64_t count = 0, in_flight = 1;
  if (sscanf(line, "run %" SCNu64 " %" SCNu64, &count, &in_flight) == 2)
    run(client, count, in_flight);
  else if (sscanf(line, "channels %" SCNu64, &count) == 1)
    open_and_close(options->config, count);
  else
    return strcmp(line, "rss\n") == 0;
  return true;
}

static int serve(struct client *client, const struct options *options) {
  char line[80];
  while (fgets(line, sizeof(line), stdin) != NULL) {
    struct rg_heap before = rg_heap_now();
    uint64_t began = rg_rpc_now_ns();
    client->ok = client->failed = 0;
    if (!obey(client, options, line)) return EXIT_FAILURE;
    uint64_t ended = rg_rpc_now_ns();
    struct rg_heap after = rg_heap_now();
    printf("ok %" PRIu64 " failed %" PRIu64 " ns %" PRIu64
           " allocations %" PRIu64 " bytes %" PRIu64 " rss_kib %" PRIu64 "\n",
           client->ok, client->failed, ended - began,
           after.allocations - before.allocations, after.bytes - before.bytes,
           rss_kib());
    fflush(stdout);
  }
  return EXIT_SUCCESS;
}

/* ---- Life --------------------------------------------------------------- */

/* What a call that a caller two hops up marks hands on. */
static retry_guard_hop *new_hop(void) {
  static const char mark[] = "\x0a\x04\x65\x64\x67\x65\x10\x01\x18\x01";
  retry_guard_metadata entry = {"retry-layer-bin", mark, sizeof(mark) - 1};
  retry_guard_hop *hop = NULL;
  if (retry_guard_hop_from_metadata(&entry, 1, &hop) != RETRY_GUARD_OK) abort();
  return hop;
}

static bool parse(struct options *options, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--guard") == 0)
      options->guard = true;
    else if (strcmp(argv[i], "--control") == 0 && i + 1 < argc)
      options->control = rg_bench_control_named(argv[++i]);
    else if (strcmp(argv[i], "--hop") == 0)
      options->hop = true;
    else if (strcmp(argv[i], "--entry") == 0)
      options->entry = true;
    else if (strcmp(argv[i], "--config") == 0 && i + 1 < argc)
      options->config = argv[++i];
    else if (options->target == NULL && argv[i][0] != '-')
      options->target = argv[i];
    else
      return false;
  }
  return options->target != NULL;
}

static void shut_down(struct client *client) {
  grpc_channel_destroy(client->channel);
  grpc_completion_queue_shutdown(client->queue);
  while (grpc_completion_queue_next(client->queue,
                                    gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL)
             .type != GRPC_QUEUE_SHUTDOWN) {
  }
  grpc_completion_queue_destroy(client->queue);
  grpc_byte_buffer_destroy(client->message);
}

int main(int argc, char **argv) {
  struct options options = {.guard = false};
  if (!parse(&options, argc, argv)) {
    fputs(USAGE, stderr);
    return 2;
  }
  if (options.guard && retry_guard_register(NULL) != RETRY_GUARD_OK) abort();
  rg_bench_control_register(options.control);
  grpc_init();
  struct client client = {
      .channel = open_channel(&options),
      .queue = grpc_completion_queue_create_for_next(NULL),
      .message = rg_rpc_buffer_new("0123456789", 10),
      .entry = {.key = grpc_slice_from_static_string("bench-entry-bin"),
                .value = grpc_slice_from_static_buffer("\x18\x01", 2)},
      .entries = options.entry ? 1 : 0,
  };
  retry_guard_hop *hop = options.hop ? new_hop() : NULL;
  retry_guard_hop *previous = retry_guard_scope_enter(hop);
  int status = serve(&client, &options);
  retry_guard_scope_leave(previous);
  retry_guard_hop_unref(hop);
  shut_down(&client);
  grpc_shutdown();
  return status;
}
