/* SPDX-License-Identifier: Apache-2.0 */

/* What the retries of several layers make of one request, when the last one
 * fails every time: each layer's retries multiply those of the layers above,
 * unless one layer owns them.
 *
 * Threads: pure. */
#ifndef RG_CONFIG_CALL_TREE_H
#define RG_CONFIG_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/service_config.h"
#include "core/cxx.h"
#include "core/layer.h"

RG_C_BEGIN

#define RG_CALL_TREE_MAX 16

/* One layer, a client of the next. */
struct rg_tree_layer {
  uint32_t attempts; /* of its method; 1: it has no retryPolicy */
  bool guarded;      /* and layer marks are not disabled */
  enum rg_layer_mode mode;
};

/* What the service config makes of the layer whose channel has it: that of the
 * method with most attempts. */
struct rg_tree_layer rg_call_tree_layer_of(
    const struct rg_service_config *config);

struct rg_call_tree {
  uint64_t requests; /* that reach the bottom for one request at the top */
  uint64_t native;   /* the same without any guard */
  size_t owner;      /* the topmost layer that retries; `count`: none */
  size_t retrying;   /* how many layers retry, one after the other */
};

/* `layers` from the top down, 1 to RG_CALL_TREE_MAX of them. Budgets, breakers
 * and deadlines, which only make it less, are left out. */
struct rg_call_tree rg_call_tree_of(const struct rg_tree_layer *layers,
                                    size_t count);

RG_C_END

#endif
