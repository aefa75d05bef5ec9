/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/pool.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS_PER_SLAB 1024

struct rg_pool_slab {
  struct rg_pool_slab *next;
  alignas(max_align_t) unsigned char bytes[];
};

void rg_pool_init(struct rg_pool *pool, size_t size, size_t limit) {
  size_t unit = alignof(max_align_t);
  *pool = (struct rg_pool){
      .size = (size + unit - 1) / unit * unit,
      .limit = limit,
  };
}

void rg_pool_clean_up(struct rg_pool *pool) {
  while (pool->slabs != NULL) {
    struct rg_pool_slab *slab = pool->slabs;
    pool->slabs = slab->next;
    free(slab);
  }
}

static void add_slab(struct rg_pool *pool) {
  struct rg_pool_slab *slab =
      calloc(1, sizeof *slab + OBJECTS_PER_SLAB * pool->size);
  if (slab == NULL) return;
  slab->next = pool->slabs;
  pool->slabs = slab;
  for (size_t i = OBJECTS_PER_SLAB; i-- > 0;) {
    struct rg_pooled *object = (void *)(slab->bytes + i * pool->size);
    object->next = pool->free;
    pool->free = object;
  }
}

void *rg_pool_take(struct rg_pool *pool) {
  if (pool->used == pool->limit) return NULL;
  if (pool->free == NULL) add_slab(pool);
  struct rg_pooled *object = pool->free;
  if (object == NULL) return NULL;
  pool->free = object->next;
  pool->used++;
  uint32_t serial = object->serial;
  memset(object, 0, pool->size);
  object->serial = serial;
  return object;
}

void rg_pool_give(struct rg_pool *pool, void *object) {
  struct rg_pooled *pooled = object;
  pooled->serial++;
  pooled->next = pool->free;
  pool->free = pooled;
  pool->used--;
}
