/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/stats.h"
#include "host/target.h"

static struct rg_snapshot_target *append(struct rg_snapshot *snapshot,
                                         const char *name) {
  if (snapshot->count == snapshot->capacity) {
    size_t capacity = snapshot->capacity == 0 ? 16 : 2 * snapshot->capacity;
    void *targets =
        realloc(snapshot->targets, capacity * sizeof *snapshot->targets);
    if (targets == NULL) return NULL;
    snapshot->targets = targets;
    snapshot->capacity = capacity;
  }
  size_t size = strlen(name) + 1;
  char *copy = malloc(size);
  if (copy == NULL) return NULL;
  struct rg_snapshot_target *target = &snapshot->targets[snapshot->count++];
  *target = (struct rg_snapshot_target){
      .name = memcpy(copy, name, size),
      .stats = {.size = sizeof(retry_guard_stats)},
  };
  return target;
}

/* ---- Named targets ------------------------------------------------------- */

/* Of ratios the worst counts: a sum or a mean would hide it. */
static void count_state(struct rg_snapshot_target *target,
                        const retry_guard_stats *stats) {
  if (stats->amplification_milli > target->amplification_milli)
    target->amplification_milli = stats->amplification_milli;
  if (stats->amplification_alarm) target->alarms++;
}

/* `room` is for as many as one target can have. */
static bool read_breakers(struct rg_target *target, uint64_t now,
                          struct rg_told_breaker *room,
                          struct rg_snapshot_target *read) {
  size_t count = rg_breaker_series_tell(&target->breakers, now, room);
  if (count == 0) return true;
  read->breakers = malloc(count * sizeof *room);
  if (read->breakers == NULL) return false;
  memcpy(read->breakers, room, count * sizeof *room);
  read->breaker_count = count;
  return true;
}

static bool read_one(struct rg_snapshot *snapshot, struct rg_target *target,
                     struct rg_told_breaker *room) {
  uint64_t now = rg_clock_now();
  struct rg_snapshot_target *read = append(snapshot, target->name);
  if (read == NULL) return false;
  rg_stats_read(target, now, &read->stats);
  count_state(read, &read->stats);
  return read_breakers(target, now, room, read);
}

static bool read_named(struct rg_snapshot *snapshot,
                       struct rg_told_breaker *room) {
  bool whole = true;
  struct rg_target *target = rg_target_next(NULL);
  /* To the end in any case: the walk holds a target until the next step. */
  for (; target != NULL; target = rg_target_next(target)) {
    if (!whole || atomic_load(&target->policy_number) == 0 ||
        !atomic_load_explicit(&target->named, memory_order_relaxed))
      continue;
    whole = read_one(snapshot, target, room);
  }
  return whole;
}

static int by_name(const void *a, const void *b) {
  const struct rg_snapshot_target *left = a;
  const struct rg_snapshot_target *right = b;
  return strcmp(left->name, right->name);
}

/* ---- The others, as one -------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void add_to_crowd(struct rg_target *target, void *arg) {
  struct rg_snapshot_target *crowd = arg;
  retry_guard_stats *sum = &crowd->stats;
  retry_guard_stats stats = {.size = sizeof stats};
  rg_stats_read(target, rg_clock_now(), &stats);
  rg_stats_add_counters(sum, &stats);
  for (int i = 0; i < RETRY_GUARD_BREAKER_STATE_COUNT; i++)
    sum->breakers[i] += stats.breakers[i];
  sum->tokens_outstanding += stats.tokens_outstanding;
  sum->budget_milli = add(sum->budget_milli, stats.budget_milli);
  count_state(crowd, &stats);
}

static bool read_crowd(struct rg_snapshot *snapshot) {
  struct rg_snapshot_target *crowd = append(snapshot, RG_TARGET_CROWD);
  if (crowd == NULL) return false;
  if (rg_target_visit_crowd(add_to_crowd, crowd, &crowd->stats)) return true;
  free(crowd->name);
  snapshot->count--;
  return true;
}

/* ---- All ----------------------------------------------------------------- */

bool rg_snapshot_take(struct rg_snapshot *snapshot) {
  *snapshot = (struct rg_snapshot){
      .process = {.size = sizeof(retry_guard_process_stats)}};
  retry_guard_process_stats_get(&snapshot->process);
  struct rg_told_breaker *room =
      malloc((RG_BREAKER_SERIES_OF_TARGET_MAX + 1) * sizeof *room);
  bool whole = room != NULL && read_named(snapshot, room);
  free(room);
  if (!whole) return rg_snapshot_clean_up(snapshot), false;
  if (snapshot->count > 1)
    qsort(snapshot->targets, snapshot->count, sizeof *snapshot->targets,
          by_name);
  if (!read_crowd(snapshot)) return rg_snapshot_clean_up(snapshot), false;
  return true;
}

void rg_snapshot_clean_up(struct rg_snapshot *snapshot) {
  for (size_t i = 0; i < snapshot->count; i++) {
    free(snapshot->targets[i].name);
    free(snapshot->targets[i].breakers);
  }
  free(snapshot->targets);
  *snapshot = (struct rg_snapshot){.targets = NULL};
}
