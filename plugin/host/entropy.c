/* SPDX-License-Identifier: Apache-2.0 */
#include "host/entropy.h"

#include <pthread.h>
#include <sys/random.h>

#include "host/clock.h"

/* Counts forks; starts at 1, so that a thread's 0 means not seeded. */
static RG_ATOMIC(uint32_t) process_generation = 1;
static pthread_once_t fork_handler = PTHREAD_ONCE_INIT;

static _Thread_local RG_TLS_FAST uint64_t state;
static _Thread_local RG_TLS_FAST uint32_t seeded_in;

static void note_fork(void) { atomic_fetch_add(&process_generation, 1); }

static void watch_forks(void) { pthread_atfork(NULL, NULL, note_fork); }

RG_SELDOM static void seed(uint32_t generation) {
  pthread_once(&fork_handler, watch_forks);
  /* Early in boot the kernel may have nothing; then time and place must do. */
  if (getrandom(&state, sizeof state, GRND_NONBLOCK) != (ssize_t)sizeof state)
    state = rg_clock_now() ^ (uint64_t)(uintptr_t)&state;
  seeded_in = generation;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t rg_entropy_next(void) {
  uint32_t generation =
      atomic_load_explicit(&process_generation, memory_order_relaxed);
  if (seeded_in != generation) seed(generation);
  uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}
