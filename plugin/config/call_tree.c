/* SPDX-License-Identifier: Apache-2.0 */
#include "config/call_tree.h"

#include "core/num.h"

/* The one that gRPC makes most attempts for; NULL: none is retried. */
static const struct rg_method_config *most_retried(
    const struct rg_service_config *config) {
  const struct rg_method_config *most = NULL;
  for (size_t i = 0; i < config->count; i++) {
    const struct rg_method_config *method = &config->methods[i];
    if (method->has_retry &&
        (most == NULL || method->retry.max_attempts > most->retry.max_attempts))
      most = method;
  }
  return most;
}

/* A layer that retries nothing itself forwards marks. */
struct rg_tree_layer rg_call_tree_layer_of(
    const struct rg_service_config *config) {
  const struct rg_method_config *method = most_retried(config);
  bool guards = method != NULL ? rg_service_config_guards(config, method)
                               : config->block != NULL;
  struct rg_policy policy;
  rg_service_config_policy(config, method, &policy);
  return (struct rg_tree_layer){
      .attempts = method != NULL ? method->retry.max_attempts : 1,
      .guarded =
          guards && policy.mode == RG_MODE_ENFORCE && !policy.layer.disabled,
      .mode = policy.layer.mode,
  };
}

/* What one request to a layer comes to. */
struct effect {
  uint64_t requests; /* 0: not known yet */
  bool pushback;     /* its caller is told not to retry */
};

struct tree {
  const struct rg_tree_layer *layers;
  size_t count;
  bool retried[RG_CALL_TREE_MAX];
  struct effect effects[RG_CALL_TREE_MAX][2]; /* of unmarked and marked ones */
};

static bool may_retry(const struct rg_tree_layer *layer, bool marked) {
  return layer->attempts > 1 && !(layer->guarded && marked);
}

/* Whether the attempt `n` = 0, 1, ... of `layer` looks marked to the next. A
 * layer without the guard makes no mark, but gRPC tells of its retries. */
static bool marks(const struct rg_tree_layer *layer, bool marked, uint32_t n) {
  if (!layer->guarded) return n > 0;
  return marked || (layer->mode == RG_LAYER_OUTERMOST && layer->attempts > 1);
}

static struct effect request(struct tree *tree, size_t i, bool marked);

static struct effect work_out(struct tree *tree, size_t i, bool marked) {
  const struct rg_tree_layer *layer = &tree->layers[i];
  uint32_t attempts = may_retry(layer, marked) ? layer->attempts : 1;
  struct effect sum = {0, false};
  uint32_t n = 0;
  do {
    struct effect one = request(tree, i + 1, marks(layer, marked, n));
    sum.requests = rg_num_add(sum.requests, one.requests);
    sum.pushback = one.pushback;
    n++;
  } while (n < attempts && !sum.pushback);
  if (n > 1) tree->retried[i] = true;
  bool gave_up = layer->mode == RG_LAYER_INNERMOST && layer->attempts > 1;
  sum.pushback = layer->guarded && (sum.pushback || gave_up);
  return sum;
}

/* As deep as there are layers. */
static struct effect request(struct tree *tree, size_t i, bool marked) {
  if (i == tree->count) return (struct effect){1, false};
  struct effect *known = &tree->effects[i][marked];
  if (known->requests == 0) *known = work_out(tree, i, marked);
  return *known;
}

static uint64_t product(const struct rg_tree_layer *layers, size_t count) {
  uint64_t requests = 1;
  for (size_t i = 0; i < count; i++)
    requests = rg_num_mul(requests, layers[i].attempts);
  return requests;
}

struct rg_call_tree rg_call_tree_of(const struct rg_tree_layer *layers,
                                    size_t count) {
  struct tree tree = {.layers = layers, .count = count};
  struct rg_call_tree result = {.native = product(layers, count),
                                .owner = count};
  result.requests = request(&tree, 0, false).requests;
  for (size_t i = count; i-- > 0;) {
    if (!tree.retried[i]) continue;
    result.owner = i;
    result.retrying++;
  }
  return result;
}
