/* SPDX-License-Identifier: Apache-2.0 */
#include "host/target.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host/stats.h"

#define BUCKETS 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rg_target *buckets[BUCKETS];
static struct rg_target *idle_oldest;
static struct rg_target *idle_newest;
static size_t idle_count;
static size_t named_count;
static bool crowded; /* there is or was a target without a name */
static retry_guard_stats crowd_gone;
static RG_ATOMIC(uint64_t) last_policy_number;

/* FNV-1a, 32 bits. */
static struct rg_target **bucket_of(const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name != '\0'; name++) hash = (hash ^ (uint8_t)*name) * 16777619u;
  return &buckets[hash % BUCKETS];
}

static struct rg_target *find_nolock(const char *name) {
  struct rg_target *target = *bucket_of(name);
  while (target != NULL && strcmp(target->name, name) != 0)
    target = target->next;
  return target;
}

static void idle_push_nolock(struct rg_target *target) {
  target->idle_previous = idle_newest;
  target->idle_next = NULL;
  *(idle_newest != NULL ? &idle_newest->idle_next : &idle_oldest) = target;
  idle_newest = target;
  idle_count++;
}

static void idle_remove_nolock(struct rg_target *target) {
  struct rg_target *next = target->idle_next;
  struct rg_target *previous = target->idle_previous;
  *(previous != NULL ? &previous->idle_next : &idle_oldest) = next;
  *(next != NULL ? &next->idle_previous : &idle_newest) = previous;
  idle_count--;
}

static void unlink_nolock(struct rg_target *target) {
  struct rg_target **link = bucket_of(target->name);
  while (*link != target) link = &(*link)->next;
  *link = target->next;
}

static void christen_nolock(struct rg_target *target) {
  bool named = named_count < RG_TARGETS_NAMED_MAX &&
               strlen(target->name) <= RG_TARGET_NAMED_BYTES &&
               strcmp(target->name, RG_TARGET_CROWD) != 0;
  atomic_store_explicit(&target->named, named, memory_order_relaxed);
  if (named)
    named_count++;
  else
    crowded = true;
}

/* Before it is freed. */
static void bury_nolock(struct rg_target *target) {
  if (atomic_load(&target->policy_number) == 0) return;
  if (atomic_load_explicit(&target->named, memory_order_relaxed)) {
    named_count--;
    return;
  }
  retry_guard_stats stats = {.size = sizeof stats};
  rg_stats_read_counters(target, &stats);
  rg_stats_add_counters(&crowd_gone, &stats);
}

static void insert_nolock(struct rg_target *target) {
  struct rg_target **bucket = bucket_of(target->name);
  target->next = *bucket;
  *bucket = target;
}

static struct rg_target *new_target(const char *name) {
  size_t length = strlen(name) + 1;
  size_t alignment = _Alignof(struct rg_target);
  size_t size =
      (sizeof(struct rg_target) + length + alignment - 1) & ~(alignment - 1);
  struct rg_target *target = aligned_alloc(alignment, size);
  if (target == NULL) return NULL;
  memset(target, 0, size);
  target->name = memcpy(target + 1, name, length);
  return target;
}

/* The target called `name`, or else `fresh` (or NULL), for one more channel. */
static struct rg_target *acquire(const char *name, struct rg_target *fresh) {
  pthread_mutex_lock(&lock);
  struct rg_target *target = find_nolock(name);
  if (target == NULL && fresh != NULL)
    insert_nolock(target = fresh);
  else if (target != NULL && target->channels == 0)
    idle_remove_nolock(target);
  if (target != NULL) target->channels++;
  pthread_mutex_unlock(&lock);
  return target;
}

/* The first in the buckets from `bucket` on, or NULL. */
static struct rg_target *first_from_nolock(struct rg_target **bucket) {
  while (bucket < buckets + BUCKETS && *bucket == NULL) bucket++;
  return bucket < buckets + BUCKETS ? *bucket : NULL;
}

static struct rg_target *after_nolock(const struct rg_target *previous) {
  if (previous == NULL) return first_from_nolock(buckets);
  if (previous->next != NULL) return previous->next;
  return first_from_nolock(bucket_of(previous->name) + 1);
}

/* A fork while another thread holds the lock would leave it locked for ever in
 * the child, whose only thread does not know of it. */
static void before_fork(void) {
  pthread_mutex_lock(&lock);
  rg_breakers_lock();
}

static void after_fork_in_parent(void) {
  rg_breakers_unlock();
  pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void) {
  for (struct rg_target *target = after_nolock(NULL); target != NULL;
       target = after_nolock(target))
    rg_amplification_after_fork(&target->amplification);
  after_fork_in_parent();
}

static void watch_forks(void) {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

struct rg_target *rg_target_acquire(const char *name) {
  static pthread_once_t watched = PTHREAD_ONCE_INIT;
  pthread_once(&watched, watch_forks);
  struct rg_target *target = acquire(name, NULL);
  if (target != NULL) return target;
  struct rg_target *fresh = new_target(name);
  if (fresh == NULL) return NULL;
  target = acquire(name, fresh);
  if (target != fresh) free(fresh); /* another channel was faster */
  return target;
}

/* NULL: somebody looks at each. */
static struct rg_target *longest_idle_nolock(void) {
  struct rg_target *target = idle_oldest;
  while (target != NULL && target->walkers > 0) target = target->idle_next;
  return target;
}

void rg_target_release(struct rg_target *target) {
  if (target == NULL) return;
  struct rg_target *dropped = NULL;
  pthread_mutex_lock(&lock);
  if (--target->channels == 0) idle_push_nolock(target);
  if (idle_count > RG_TARGETS_IDLE_MAX) dropped = longest_idle_nolock();
  if (dropped != NULL) {
    idle_remove_nolock(dropped);
    unlink_nolock(dropped);
    bury_nolock(dropped);
  }
  pthread_mutex_unlock(&lock);
  if (dropped != NULL) rg_breakers_clean_up(&dropped->breakers);
  free(dropped);
}

static bool same_budget(const struct rg_budget_policy *a,
                        const struct rg_budget_policy *b) {
  return a->kind == b->kind && a->bucket.ratio_milli == b->bucket.ratio_milli &&
         a->bucket.burst_ns == b->bucket.burst_ns &&
         a->bucket.initial_milli == b->bucket.initial_milli &&
         a->bucket.max_milli == b->bucket.max_milli &&
         a->window.percent == b->window.percent &&
         a->window.interval_ns == b->window.interval_ns &&
         a->window.min_retries_milli == b->window.min_retries_milli;
}

/* Returns what is left of `reserve`. */
static struct rg_scoped_breaker *adopt_nolock(
    struct rg_target *target, uint64_t number, const struct rg_policy *policy,
    uint64_t now, struct rg_scoped_breaker *reserve) {
  uint64_t in_force = atomic_load(&target->policy_number);
  if (number <= in_force) return reserve;
  if (in_force == 0)
    rg_budget_init(&target->budget, &policy->budget, now);
  else if (!same_budget(&policy->budget, &target->budget_policy))
    rg_budget_update(&target->budget, &policy->budget, now);
  if (in_force == 0) {
    rg_amplification_init(&target->amplification, now);
    christen_nolock(target);
  }
  atomic_store_explicit(&target->alarm_milli, policy->amplification_alarm_milli,
                        memory_order_relaxed);
  target->budget_policy = policy->budget;
  reserve = rg_breakers_configure(&target->breakers, &policy->breaker,
                                  in_force == 0, reserve);
  if (atomic_load(&target->breakers.scope) != (uint32_t)policy->breaker.scope)
    target->counters.fail_open++; /* no memory for one breaker a scope */
  atomic_store_explicit(&target->policy_number, number, memory_order_release);
  return reserve;
}

RG_SELDOM static void adopt_newer(struct rg_target *target, uint64_t number,
                                  const struct rg_policy *policy,
                                  uint64_t now) {
  struct rg_scoped_breaker *reserve =
      rg_breakers_reserve(&target->breakers, &policy->breaker);
  pthread_mutex_lock(&lock);
  reserve = adopt_nolock(target, number, policy, now, reserve);
  pthread_mutex_unlock(&lock);
  free(reserve);
}

void rg_target_adopt(struct rg_target *target, uint64_t number,
                     const struct rg_policy *policy, uint64_t now) {
  if (atomic_load_explicit(&target->policy_number, memory_order_acquire) <
      number)
    adopt_newer(target, number, policy, now);
}

uint64_t rg_target_next_policy_number(void) {
  return atomic_fetch_add(&last_policy_number, 1) + 1;
}

struct rg_target *rg_target_next(struct rg_target *previous) {
  pthread_mutex_lock(&lock);
  struct rg_target *next = after_nolock(previous);
  if (next != NULL) next->walkers++;
  if (previous != NULL) previous->walkers--;
  pthread_mutex_unlock(&lock);
  return next;
}

bool rg_target_visit_crowd(void (*visit)(struct rg_target *target, void *arg),
                           void *arg, retry_guard_stats *gone) {
  pthread_mutex_lock(&lock);
  bool any = crowded;
  struct rg_target *target = any ? after_nolock(NULL) : NULL;
  for (; target != NULL; target = after_nolock(target))
    if (atomic_load(&target->policy_number) > 0 &&
        !atomic_load_explicit(&target->named, memory_order_relaxed))
      visit(target, arg);
  rg_stats_add_counters(gone, &crowd_gone);
  pthread_mutex_unlock(&lock);
  return any;
}

bool rg_target_visit(const char *name,
                     void (*visit)(struct rg_target *target, void *arg),
                     void *arg) {
  pthread_mutex_lock(&lock);
  struct rg_target *target = find_nolock(name);
  bool found = target != NULL && atomic_load(&target->policy_number) > 0;
  if (found) visit(target, arg);
  pthread_mutex_unlock(&lock);
  return found;
}
