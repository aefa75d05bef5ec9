/* SPDX-License-Identifier: Apache-2.0 */

/* What is to hold whatever the order in which a few threads take their steps.
 *
 * All that threads share, and all that they leave for `finish`, is in one
 * world: states are told apart by its bytes and by what each thread saw. So a
 * thread's code must depend on nothing else. */
#ifndef RG_VERIFY_PROPERTY_H
#define RG_VERIFY_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>

#define RG_VERIFY_THREADS_MAX 4

struct rg_property {
  const char *name;
  void *world;
  size_t world_size;
  int threads; /* 1..RG_VERIFY_THREADS_MAX */
  /* Makes the world, whose bytes are all 0. */
  void (*start)(void);
  /* What the thread `id` does; stops before each atomic operation. */
  void (*thread)(int id);
  /* Checks the world when all threads are through. */
  void (*finish)(void);
  bool slow; /* more than a second or two */
};

/* The initialisers of one whose world is the variable `world`; the second of
 * one that is slow. */
#define RG_PROPERTY(title, count, begin, body, end)                  \
  {                                                                  \
    .name = title, .world = &world, .world_size = sizeof world,      \
    .threads = count, .start = begin, .thread = body, .finish = end, \
  }
#define RG_SLOW_PROPERTY(title, count, begin, body, end)             \
  {                                                                  \
    .name = title, .world = &world, .world_size = sizeof world,      \
    .threads = count, .start = begin, .thread = body, .finish = end, \
    .slow = true,                                                    \
  }

/* Those of one file, ended by one without a name. */
extern const struct rg_property rg_window_properties[];
extern const struct rg_property rg_token_bucket_properties[];
extern const struct rg_property rg_retry_window_properties[];
extern const struct rg_property rg_budget_properties[];
extern const struct rg_property rg_breaker_properties[];

/* Says that `condition` must hold here. */
#define RG_REQUIRE(condition) \
  ((condition) ? (void)0 : rg_property_broken(__FILE__, __LINE__, #condition))
void rg_property_broken(const char *file, int line, const char *condition);

#endif
