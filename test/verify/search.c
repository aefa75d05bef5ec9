/* SPDX-License-Identifier: Apache-2.0 */
#include "search.h"

#include "states.h"
#include "threads.h"

#define THREADS RG_VERIFY_THREADS_MAX
#define CHOICES (2 * THREADS) /* thread n; and n whose step fails */
#define DEPTH_MAX 8000

struct node {
  struct rg_state state;
  unsigned open; /* bit n: choice n is still to be searched */
  int choice;    /* that is being searched */
  double ways;
};

static struct node path[DEPTH_MAX];
static int depth;

static bool is_open(const struct rg_property *property, int choice) {
  int thread = choice % THREADS;
  return thread < property->threads && rg_threads_can_go(thread) &&
         (choice < THREADS || rg_threads_can_fail(thread));
}

static unsigned open_choices(const struct rg_property *property) {
  unsigned open = 0;
  for (int i = 0; i < CHOICES; i++)
    if (is_open(property, i)) open |= 1u << i;
  return open;
}

static void take(int choice) {
  rg_threads_go(choice % THREADS, choice >= THREADS);
}

/* Takes the first choice that `node` has left. */
static void take_next(struct node *node) {
  node->choice = 0;
  while (!(node->open >> node->choice & 1)) node->choice++;
  node->open &= ~(1u << node->choice);
  take(node->choice);
}

/* Runs to the state of the deepest node. */
static void replay(const struct rg_property *property) {
  rg_threads_start(property);
  for (int i = 0; i < depth - 1; i++) take(path[i].choice);
}

/* Goes on from where the run is to an end or to a known state; returns the ways
 * from there, 0 when something broke. */
static double descend(const struct rg_property *property,
                      const struct rg_states *states) {
  for (;;) {
    if (rg_threads_broken()) return 0;
    struct rg_state state = rg_threads_state();
    double ways = rg_states_find(states, state);
    if (ways > 0) return ways;
    unsigned open = open_choices(property);
    if (open == 0) {
      property->finish();
      return rg_threads_broken() ? 0 : 1;
    }
    if (depth == DEPTH_MAX) {
      rg_property_broken(__FILE__, __LINE__, "the run comes to an end");
      return 0;
    }
    path[depth] = (struct node){.state = state, .open = open};
    take_next(&path[depth++]);
  }
}

/* Goes back to the deepest node with a choice left, and takes that; false when
 * there is none. `ways` lead on from the last choice. */
static bool backtrack(const struct rg_property *property,
                      struct rg_states *states, double ways) {
  while (depth > 0) {
    struct node *node = &path[depth - 1];
    node->ways += ways;
    if (node->open != 0) {
      replay(property);
      take_next(node);
      return true;
    }
    ways = node->ways;
    rg_states_add(states, node->state, ways);
    depth--;
  }
  return false;
}

static void show(const struct rg_property *property) {
  rg_threads_trace(true);
  replay(property);
  if (depth > 0) take(path[depth - 1].choice);
  rg_threads_trace(false);
  property->finish();
}

static struct rg_search search(const struct rg_property *property) {
  struct rg_states states = {0};
  double ways;
  depth = 0;
  rg_threads_start(property);
  do {
    ways = descend(property, &states);
  } while (ways > 0 && backtrack(property, &states, ways));
  struct rg_search result = {
      .broken = rg_threads_broken(),
      .states = states.count,
      .interleavings = states.count > 0 ? path[0].ways : ways,
  };
  rg_states_clean_up(&states);
  return result;
}

struct rg_search rg_search_all(const struct rg_property *property, bool trace) {
  struct rg_search result;
  rg_threads_forget();
  do {
    result = search(property);
  } while (!result.broken && rg_threads_learn());
  if (result.broken && trace) show(property);
  return result;
}
