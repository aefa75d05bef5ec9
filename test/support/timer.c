/* SPDX-License-Identifier: Apache-2.0 */
#include "support/timer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "support/rpc.h"

#define NS_PER_S UINT64_C(1000000000)

struct rg_timers {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  pthread_t thread;
  struct rg_timer *first; /* sorted by due_ns */
  bool rush;
  bool end;
};

static void wait_until(struct rg_timers *timers, uint64_t due_ns) {
  struct timespec due = {
      .tv_sec = (time_t)(due_ns / NS_PER_S),
      .tv_nsec = (long)(due_ns % NS_PER_S),
  };
  pthread_cond_timedwait(&timers->changed, &timers->mutex, &due);
}

/* Waits for the next timer that is due and removes it; NULL: it is over. */
static struct rg_timer *next_due(struct rg_timers *timers) {
  for (;;) {
    struct rg_timer *first = timers->first;
    if (first == NULL) {
      if (timers->end) return NULL;
      pthread_cond_wait(&timers->changed, &timers->mutex);
    } else if (timers->rush || first->due_ns <= rg_rpc_now_ns()) {
      timers->first = first->next;
      return first;
    } else {
      wait_until(timers, first->due_ns);
    }
  }
}

static void *run_timers(void *data) {
  struct rg_timers *timers = data;
  pthread_mutex_lock(&timers->mutex);
  for (struct rg_timer *timer; (timer = next_due(timers)) != NULL;) {
    pthread_mutex_unlock(&timers->mutex);
    timer->run(timer->data);
    pthread_mutex_lock(&timers->mutex);
  }
  pthread_mutex_unlock(&timers->mutex);
  return NULL;
}

struct rg_timers *rg_timers_new(void) {
  struct rg_timers *timers = rg_rpc_alloc(1, sizeof(*timers));
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&timers->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&timers->mutex, NULL);
  if (pthread_create(&timers->thread, NULL, run_timers, timers) != 0) abort();
  return timers;
}

static void insert(struct rg_timers *timers, struct rg_timer *timer) {
  struct rg_timer **place = &timers->first;
  while (*place != NULL && (*place)->due_ns <= timer->due_ns)
    place = &(*place)->next;
  timer->next = *place;
  *place = timer;
}

void rg_timers_add(struct rg_timers *timers, struct rg_timer *timer) {
  pthread_mutex_lock(&timers->mutex);
  bool at_once = timers->rush;
  if (!at_once) {
    insert(timers, timer);
    pthread_cond_signal(&timers->changed);
  }
  pthread_mutex_unlock(&timers->mutex);
  if (at_once) timer->run(timer->data);
}

void rg_timers_rush(struct rg_timers *timers) {
  pthread_mutex_lock(&timers->mutex);
  timers->rush = true;
  pthread_cond_signal(&timers->changed);
  pthread_mutex_unlock(&timers->mutex);
}

void rg_timers_destroy(struct rg_timers *timers) {
  pthread_mutex_lock(&timers->mutex);
  timers->rush = true;
  timers->end = true;
  pthread_cond_signal(&timers->changed);
  pthread_mutex_unlock(&timers->mutex);
  pthread_join(timers->thread, NULL);
  pthread_cond_destroy(&timers->changed);
  pthread_mutex_destroy(&timers->mutex);
  free(timers);
}
