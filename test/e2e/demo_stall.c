/* SPDX-License-Identifier: Apache-2.0 */
#include "e2e/demo_stall.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "e2e/demo_tree.h"

#define TICK_MS 200
#define TICKS 30
#define CALLS_PER_TICK 20
#define STALL_FROM 5 /* ticks */
#define STALL_TO 15
#define BAR 24
#define NS_PER_MS UINT64_C(1000000)

#define CALL_TIMEOUT_MS 250

#define METHOD                                            \
  "\"methodConfig\":[{\"name\":[{\"service\":"            \
  "\"retry_guard.test.Echo\"}],"                          \
  "\"retryPolicy\":{\"maxAttempts\":3,"                   \
  "\"initialBackoff\":\"0.05s\",\"maxBackoff\":\"0.1s\"," \
  "\"backoffMultiplier\":2,"                              \
  "\"retryableStatusCodes\":[\"UNAVAILABLE\"]}}]"
#define GUARD                                                \
  "\"retryGuard\":{\"circuitBreaker\":{\"cooldown\":\"1s\"," \
  "\"consecutiveFailures\":10}},"

/* What happened in each tick. */
struct stall {
  size_t arrivals[TICKS]; /* requests at the server */
  size_t failed[TICKS];   /* calls of the user that failed */
  uint32_t breaker[TICKS];
};

static void sleep_until(uint64_t ns) {
  struct timespec at = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) {
  }
}

static uint32_t breaker_state(struct rg_tier_process *client) {
  RetryGuard__Test__Counts *counts = rg_tier_process_read(client, false);
  uint32_t state = counts != NULL ? counts->breaker_state : 0;
  retry_guard__test__counts__free_unpacked(counts, NULL);
  return state;
}

static void run(struct rg_demo_tree *tree, uint64_t start_ns,
                struct stall *stall) {
  struct rg_tier_process *client = rg_demo_tree_edge(tree);
  struct rg_process *server = &rg_demo_tree_leaf(tree)->process;
  size_t failed = 0;
  for (size_t tick = 0; tick < TICKS; tick++) {
    if (tick == STALL_FROM) rg_process_pause(server);
    if (tick == STALL_TO) rg_process_resume(server);
    for (uint64_t i = 0; i < CALLS_PER_TICK; i++) {
      uint64_t ms = tick * TICK_MS + i * TICK_MS / CALLS_PER_TICK;
      sleep_until(start_ns + ms * NS_PER_MS);
      rg_tier_process_start_calls(client, 1, NULL);
    }
    stall->breaker[tick] = breaker_state(client);
    stall->failed[tick] = client->outcome.failed - failed;
    failed += stall->failed[tick];
  }
  rg_tier_process_wait(client);
}

static bool count_arrivals(struct rg_demo_tree *tree, uint64_t start_ns,
                           struct stall *stall) {
  RetryGuard__Test__Counts *counts =
      rg_tier_process_read(rg_demo_tree_leaf(tree), false);
  if (counts == NULL) return false;
  for (size_t i = 0; i < counts->n_arrivals_ns; i++) {
    if (counts->arrivals_ns[i] < start_ns) continue;
    uint64_t tick = (counts->arrivals_ns[i] - start_ns) / (TICK_MS * NS_PER_MS);
    if (tick < TICKS) stall->arrivals[tick]++;
  }
  retry_guard__test__counts__free_unpacked(counts, NULL);
  return true;
}

static bool measure(const char *program, bool guard, struct stall *stall) {
  static const char *const names[] = {"server", "client"};
  static const char *const no_arguments[] = {NULL};
  struct rg_demo_plan plan = {
      .program = program,
      .names = names,
      .count = 2,
      .service_config = guard ? "{" GUARD METHOD "}" : "{" METHOD "}",
      .guard = guard,
      .leaf = no_arguments,
  };
  memset(stall, 0, sizeof(*stall));
  struct rg_demo_tree tree;
  if (!rg_demo_tree_start(&tree, &plan)) return false;
  /* The first call connects; it is not part of the picture. */
  rg_tier_process_call(rg_demo_tree_edge(&tree), 1, NULL);
  rg_demo_tree_edge(&tree)->timeout_ms = CALL_TIMEOUT_MS;
  uint64_t start_ns = rg_rpc_now_ns();
  run(&tree, start_ns, stall);
  bool counted = count_arrivals(&tree, start_ns, stall);
  rg_demo_tree_stop(&tree);
  return counted;
}

static size_t highest(const struct stall *plain, const struct stall *guard) {
  size_t max = 1;
  for (size_t i = 0; i < TICKS; i++) {
    if (plain->arrivals[i] > max) max = plain->arrivals[i];
    if (guard->arrivals[i] > max) max = guard->arrivals[i];
  }
  return max;
}

static void print_side(const struct stall *stall, size_t tick,
                       size_t per_column) {
  char bar[BAR + 1] = "";
  memset(bar, '#', (stall->arrivals[tick] + per_column - 1) / per_column);
  printf("%5zu |%-*s", stall->arrivals[tick], BAR, bar);
}

static void print(const struct stall *plain, const struct stall *guard) {
  static const char *const states[] = {"closed", "OPEN", "half-open"};
  size_t per_column = (highest(plain, guard) + BAR - 1) / BAR;
  printf("   s  plain %-*s guard %-*s breaker\n", BAR, "", BAR, "");
  for (size_t tick = 0; tick < TICKS; tick++) {
    bool frozen = tick >= STALL_FROM && tick < STALL_TO;
    printf("%4.1f%c", (double)tick * TICK_MS / 1000, frozen ? '*' : ' ');
    print_side(plain, tick, per_column);
    print_side(guard, tick, per_column);
    printf(" %s\n", states[guard->breaker[tick] % 3]);
  }
  printf("  one # is %zu request%s; a row is %d ms; * the server is frozen\n",
         per_column, per_column == 1 ? "" : "s", TICK_MS);
}

bool rg_demo_stall_show(const char *program) {
  puts(
      "3. 100 calls per second, each with a deadline of 0.25 s, and a server\n"
      "   that freezes for two seconds. Requests as the server sees them:\n");
  struct stall plain;
  struct stall guard;
  if (!measure(program, false, &plain) || !measure(program, true, &guard))
    return false;
  print(&plain, &guard);
  puts(
      "\n   What was sent to the frozen server it has to read when it wakes,\n"
      "   though nobody waits for it any more. Guarded, the breaker opens\n"
      "   after some timeouts; calls fail at once, and the server wakes to a\n"
      "   probe instead of to a heap.\n");
  return true;
}
