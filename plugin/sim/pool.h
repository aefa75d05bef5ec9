/* SPDX-License-Identifier: Apache-2.0 */

/* Objects of one size that come and go by the million. Their memory stays until
 * the end, so that an appointment may look at one that is gone; each begins
 * with a serial number, which grows when it is given back and is never reset.
 *
 * Threads: one owner. */
#ifndef RG_SIM_POOL_H
#define RG_SIM_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

/* The first member of each object. */
struct rg_pooled {
  uint32_t serial;
  struct rg_pooled *next; /* while it is free */
};

struct rg_pool_slab;

struct rg_pool {
  size_t size;  /* of an object */
  size_t limit; /* of the objects in use */
  size_t used;
  struct rg_pooled *free;
  struct rg_pool_slab *slabs;
};

void rg_pool_init(struct rg_pool *pool, size_t size, size_t limit);
void rg_pool_clean_up(struct rg_pool *pool);

/* An object, zeroed but for its serial; NULL when there are too many, or memory
 * is out. */
void *rg_pool_take(struct rg_pool *pool);

void rg_pool_give(struct rg_pool *pool, void *object);

RG_C_END

#endif
