/* SPDX-License-Identifier: Apache-2.0 */

/* Call trees for the demo: a chain of rg_tier processes, edge first.
 *
 * Threads: one owner, which is main's thread. */
#ifndef RG_TEST_E2E_DEMO_TREE_H
#define RG_TEST_E2E_DEMO_TREE_H

#include "support/tier_process.h"

#define RG_DEMO_TREE_MAX 4

struct rg_demo_tree {
  struct rg_tier_process tiers[RG_DEMO_TREE_MAX]; /* the leaf first */
  size_t count;
};

/* What a tree is made of. */
struct rg_demo_plan {
  const char *program;        /* the path of rg_tier */
  const char *const *names;   /* of the processes, the leaf first */
  size_t count;               /* at most RG_DEMO_TREE_MAX */
  const char *service_config; /* of every process but the leaf */
  bool guard;                 /* whether those register Retry Guard */
  const char *const *leaf;    /* more arguments of the leaf, ending in NULL */
};

/* Starts the processes. False, with the reason on standard error and nothing
 * left running, when one fails. */
bool rg_demo_tree_start(struct rg_demo_tree *tree,
                        const struct rg_demo_plan *plan);

struct rg_tier_process *rg_demo_tree_edge(struct rg_demo_tree *tree);
struct rg_tier_process *rg_demo_tree_leaf(struct rg_demo_tree *tree);

/* How many requests the leaf saw since the last reset; 0 when it does not
 * answer. */
uint64_t rg_demo_tree_requests(struct rg_demo_tree *tree);

/* Ends all processes. */
void rg_demo_tree_stop(struct rg_demo_tree *tree);

#endif
