/* SPDX-License-Identifier: Apache-2.0 */

/* rg_demo: shows on real processes what Retry Guard changes. Every number it
 * prints was counted by a server. Each process of a call tree is an rg_tier of
 * its own, so that plain and guarded runs share nothing; this program plays
 * the user who calls the edge, and never retries. */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "e2e/demo_picture.h"
#include "e2e/demo_stall.h"
#include "e2e/demo_tree.h"

#define RETRY(attempts, backoff)                                           \
  "\"methodConfig\":[{\"name\":[{\"service\":"                             \
  "\"retry_guard.test.Echo\"}],\"retryPolicy\":{\"maxAttempts\":" attempts \
  ",\"initialBackoff\":\"" backoff                                         \
  "\",\"maxBackoff\":\"1s\",\"backoffMultiplier\":2,"                      \
  "\"retryableStatusCodes\":[\"UNAVAILABLE\"]}}]"

/* The sections that are about retries show them without the breaker. */
#define GUARD "\"retryGuard\":{\"circuitBreaker\":{\"disabled\":true}},"
#define GUARD_WITH_BREAKER "\"retryGuard\":{},"

#define TREE_RETRY RETRY("3", "0.01s")
#define OUTAGE_RETRY RETRY("5", "0.01s")
#define PICTURE_RETRY RETRY("2", "0.1s")

#define GOOD_CALLS 50
#define OUTAGE_CALLS 1000
#define PICTURE_CALLS 500
#define HOLD_MORE 501 /* so that the server waits for the release */
#define AWAIT_NS UINT64_C(20000000000)

#define TEXT(number) TEXT_(number)
#define TEXT_(number) #number

static const char *const chain[] = {"leaf", "middle", "front", "edge"};
static const char *const pair[] = {"server", "client"};
static const char *const no_arguments[] = {NULL};

/* ---- 1: a tree ---------------------------------------------------------- */

/* Requests at the leaf for one call that fails; UINT64_MAX: could not run. */
static uint64_t measure_tree(const char *program, bool guard) {
  struct rg_demo_plan plan = {
      .program = program,
      .names = chain,
      .count = 4,
      .service_config = guard ? "{" GUARD TREE_RETRY "}" : "{" TREE_RETRY "}",
      .guard = guard,
      .leaf = no_arguments,
  };
  struct rg_demo_tree tree;
  if (!rg_demo_tree_start(&tree, &plan)) return UINT64_MAX;
  /* A new process may make one retry; more have to be earned. */
  rg_tier_process_call(rg_demo_tree_edge(&tree), GOOD_CALLS, NULL);
  RetryGuard__Test__Counts *before =
      rg_tier_process_read(rg_demo_tree_leaf(&tree), true);
  RetryGuard__Test__Plan failure = RETRY_GUARD__TEST__PLAN__INIT;
  failure.status = GRPC_STATUS_UNAVAILABLE;
  rg_tier_process_call(rg_demo_tree_edge(&tree), 1, &failure);
  uint64_t requests = rg_demo_tree_requests(&tree);
  retry_guard__test__counts__free_unpacked(before, NULL);
  rg_demo_tree_stop(&tree);
  return requests;
}

static bool show_tree(const char *program) {
  puts(
      "1. Four processes in a row: edge -> front -> middle -> leaf. The first\n"
      "   three may each make 3 attempts. After " TEXT(GOOD_CALLS)
      " good calls "
      "the leaf starts\n"
      "   to answer UNAVAILABLE, and one more call is made.\n");
  for (int guard = 0; guard <= 1; guard++) {
    uint64_t requests = measure_tree(program, guard != 0);
    if (requests == UINT64_MAX) return false;
    printf("tree %s: 1 call -> %llu requests at the leaf\n",
           guard ? "guard" : "plain", (unsigned long long)requests);
    fflush(stdout);
  }
  puts(
      "\n   Three layers of retries multiply. Guarded, only the outermost\n"
      "   layer retries: it marks its attempts, and the others see the "
      "mark.\n");
  return true;
}

/* ---- 2: an outage ------------------------------------------------------- */

struct outage {
  const char *name;
  const char *service_config;
  bool guard;
  bool in_turn; /* the calls one after the other, not all at once */
};

static const struct outage outages[] = {
    {"plain", "{" OUTAGE_RETRY "}", false, false},
    {"guard", "{" GUARD OUTAGE_RETRY "}", true, false},
    {"guard with breaker", "{" GUARD_WITH_BREAKER OUTAGE_RETRY "}", true, true},
};

static uint64_t measure_outage(const char *program,
                               const struct outage *outage) {
  static const char *const fail[] = {"--fail", "UNAVAILABLE", NULL};
  struct rg_demo_plan plan = {
      .program = program,
      .names = pair,
      .count = 2,
      .service_config = outage->service_config,
      .guard = outage->guard,
      .leaf = fail,
  };
  struct rg_demo_tree tree;
  if (!rg_demo_tree_start(&tree, &plan)) return UINT64_MAX;
  size_t at_once = outage->in_turn ? 1 : OUTAGE_CALLS;
  for (size_t made = 0; made < OUTAGE_CALLS; made += at_once)
    rg_tier_process_call(rg_demo_tree_edge(&tree), at_once, NULL);
  uint64_t requests = rg_demo_tree_requests(&tree);
  rg_demo_tree_stop(&tree);
  return requests;
}

static bool show_outage(const char *program) {
  puts(
      "2. One client, one server that answers UNAVAILABLE all the time, and a\n"
      "   retryPolicy with 5 attempts.\n");
  for (size_t i = 0; i < sizeof(outages) / sizeof(outages[0]); i++) {
    uint64_t attempts = measure_outage(program, &outages[i]);
    if (attempts == UINT64_MAX) return false;
    printf("outage %s: %d calls -> %llu attempts\n", outages[i].name,
           OUTAGE_CALLS, (unsigned long long)attempts);
    fflush(stdout);
  }
  puts(
      "\n   Retries multiply the load on a server that is down already.\n"
      "   Guarded, they are paid for by calls that succeed: a new client has\n"
      "   one retry to spend, and here nothing earns it another. With the\n"
      "   circuit breaker on, as it is by default, calls made one after the\n"
      "   other are not even tried once 20 attempts have told the story.\n");
  return true;
}

/* ---- 4: a picture ------------------------------------------------------- */

static bool fill(struct rg_demo_histogram *histogram,
                 struct rg_tier_process *server, uint64_t failed_ns) {
  RetryGuard__Test__Counts *counts = rg_tier_process_read(server, false);
  if (counts == NULL) return false;
  for (size_t i = 0; i < counts->n_retry_arrivals_ns; i++)
    rg_demo_histogram_add(histogram,
                          (int64_t)(counts->retry_arrivals_ns[i] - failed_ns));
  retry_guard__test__counts__free_unpacked(counts, NULL);
  return true;
}

static bool await_requests(struct rg_demo_tree *tree, uint64_t count) {
  uint64_t deadline = rg_rpc_now_ns() + AWAIT_NS;
  while (rg_demo_tree_requests(tree) < count)
    if (rg_rpc_now_ns() >= deadline) return false;
  return true;
}

/* Makes all calls fail at one instant: the client is frozen while the server
 * answers, and so finds all answers there when it wakes. */
static bool fail_at_once(struct rg_demo_tree *tree, uint64_t *instant_ns) {
  struct rg_tier_process *client = rg_demo_tree_edge(tree);
  rg_tier_process_start_calls(client, PICTURE_CALLS, NULL);
  if (!await_requests(tree, PICTURE_CALLS)) return false;
  rg_process_pause(&client->process);
  bool released = rg_tier_process_release(rg_demo_tree_leaf(tree));
  *instant_ns = rg_rpc_now_ns();
  rg_process_resume(&client->process);
  rg_tier_process_wait(client);
  return released;
}

static bool measure_picture(const char *program, bool guard,
                            struct rg_demo_histogram *histogram) {
  static const char *const fail[] = {
      "--hold", TEXT(HOLD_MORE), "--fail", "UNAVAILABLE:" TEXT(PICTURE_CALLS),
      NULL,
  };
  struct rg_demo_plan plan = {
      .program = program,
      .names = pair,
      .count = 2,
      .service_config =
          guard ? "{\"retryGuard\":{\"budget\":{\"disabled\":true},"
                  "\"circuitBreaker\":{\"disabled\":true}}," PICTURE_RETRY "}"
                : "{" PICTURE_RETRY "}",
      .guard = guard,
      .leaf = fail,
  };
  struct rg_demo_tree tree;
  if (!rg_demo_tree_start(&tree, &plan)) return false;
  uint64_t failed_ns;
  bool measured = fail_at_once(&tree, &failed_ns) &&
                  fill(histogram, rg_demo_tree_leaf(&tree), failed_ns);
  rg_demo_tree_stop(&tree);
  return measured;
}

static bool show_picture(const char *program) {
  puts("4. " TEXT(PICTURE_CALLS) " calls fail at the same instant; "
       "initialBackoff is 0.1s. When do their\n"
       "   first retries arrive at the server, counted from the failure?\n");
  struct rg_demo_histogram plain = {.title = "plain"};
  struct rg_demo_histogram guard = {.title = "guard (full jitter)"};
  if (!measure_picture(program, false, &plain) ||
      !measure_picture(program, true, &guard))
    return false;
  rg_demo_histogram_print(&plain, &guard);
  puts(
      "\n   gRPC's own first retry has no jitter: clients that fail together\n"
      "   come back together. Full jitter spreads them over the backoff.");
  return true;
}

/* ---- Start -------------------------------------------------------------- */

/* Where rg_tier is: named by the user, or beside this program. */
static bool find_tier(char *path, size_t size, const char *named) {
  char self[PATH_MAX] = "";
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (named == NULL && length < 0) return false;
  int written = named != NULL
                    ? snprintf(path, size, "%s", named)
                    : snprintf(path, size, "%s/rg_tier", dirname(self));
  if (written > 0 && (size_t)written < size && access(path, X_OK) == 0)
    return true;
  fprintf(stderr, "rg_demo: cannot run %s\n", path);
  return false;
}

int main(int argc, char **argv) {
  const char *named = argc > 1 ? argv[1] : NULL;
  if (argc > 2 || (named != NULL && named[0] == '-')) {
    puts(
        "Usage: rg_demo [RG_TIER]\n"
        "Shows on processes of the program rg_tier what Retry Guard changes.");
    return named != NULL && strcmp(named, "--help") == 0 ? 0 : 2;
  }
  char tier[PATH_MAX + 16];
  if (!find_tier(tier, sizeof(tier), named)) return EXIT_FAILURE;
  rg_process_end_all_on_signals();
  bool shown = show_tree(tier) && show_outage(tier) &&
               rg_demo_stall_show(tier) && show_picture(tier);
  return shown ? EXIT_SUCCESS : EXIT_FAILURE;
}
