/* SPDX-License-Identifier: Apache-2.0 */
#include "e2e/demo_tree.h"

#include <string.h>

#define ARGUMENTS_MAX 16

static bool start_leaf(struct rg_demo_tree *tree,
                       const struct rg_demo_plan *plan) {
  const char *arguments[ARGUMENTS_MAX] = {"--name", plan->names[0]};
  for (size_t i = 0; plan->leaf[i] != NULL && i + 3 < ARGUMENTS_MAX; i++)
    arguments[i + 2] = plan->leaf[i];
  return rg_tier_process_start(&tree->tiers[0], plan->program, arguments);
}

static bool start_tier(struct rg_demo_tree *tree,
                       const struct rg_demo_plan *plan, size_t index) {
  const char *arguments[] = {
      "--name",
      plan->names[index],
      "--next",
      tree->tiers[index - 1].address,
      "--service-config",
      plan->service_config,
      plan->guard ? "--guard" : NULL,
      NULL,
  };
  return rg_tier_process_start(&tree->tiers[index], plan->program, arguments);
}

bool rg_demo_tree_start(struct rg_demo_tree *tree,
                        const struct rg_demo_plan *plan) {
  memset(tree, 0, sizeof(*tree));
  tree->count = plan->count;
  for (size_t i = 0; i < plan->count; i++) {
    if (i == 0 ? start_leaf(tree, plan) : start_tier(tree, plan, i)) continue;
    rg_demo_tree_stop(tree);
    return false;
  }
  return true;
}

struct rg_tier_process *rg_demo_tree_edge(struct rg_demo_tree *tree) {
  return &tree->tiers[tree->count - 1];
}

struct rg_tier_process *rg_demo_tree_leaf(struct rg_demo_tree *tree) {
  return &tree->tiers[0];
}

uint64_t rg_demo_tree_requests(struct rg_demo_tree *tree) {
  RetryGuard__Test__Counts *counts =
      rg_tier_process_read(rg_demo_tree_leaf(tree), false);
  if (counts == NULL) return 0;
  uint64_t requests = counts->requests;
  retry_guard__test__counts__free_unpacked(counts, NULL);
  return requests;
}

void rg_demo_tree_stop(struct rg_demo_tree *tree) {
  /* Edge first, so that nobody calls a process that is gone. */
  for (size_t i = tree->count; i-- > 0;) rg_tier_process_stop(&tree->tiers[i]);
}
