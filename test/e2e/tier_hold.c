/* SPDX-License-Identifier: Apache-2.0 */
#include "e2e/tier_hold.h"

#include <pthread.h>
#include <stdlib.h>

struct kept {
  struct rg_rpc_incoming *incoming;
  uint64_t number;
};

struct rg_tier_hold {
  pthread_mutex_t mutex;
  size_t wanted;
  bool ended;
  rg_tier_release *release;
  void *data;
  size_t count;
  struct kept *kept; /* room for `wanted` */
};

struct rg_tier_hold *rg_tier_hold_new(size_t count, rg_tier_release *release,
                                      void *data) {
  struct rg_tier_hold *hold = rg_rpc_alloc(1, sizeof(*hold));
  pthread_mutex_init(&hold->mutex, NULL);
  hold->wanted = count;
  hold->release = release;
  hold->data = data;
  hold->kept = rg_rpc_alloc(count, sizeof(*hold->kept));
  return hold;
}

void rg_tier_hold_destroy(struct rg_tier_hold *hold) {
  pthread_mutex_destroy(&hold->mutex);
  free(hold->kept);
  free(hold);
}

void rg_tier_hold_end(struct rg_tier_hold *hold) {
  pthread_mutex_lock(&hold->mutex);
  hold->ended = true;
  size_t count = hold->count;
  hold->count = 0;
  pthread_mutex_unlock(&hold->mutex);
  for (size_t i = 0; i < count; i++)
    hold->release(hold->kept[i].incoming, hold->kept[i].number, hold->data);
}

void rg_tier_hold_add(struct rg_tier_hold *hold,
                      struct rg_rpc_incoming *incoming, uint64_t number) {
  pthread_mutex_lock(&hold->mutex);
  bool keep = !hold->ended;
  if (keep) hold->kept[hold->count++] = (struct kept){incoming, number};
  bool last = keep && hold->count == hold->wanted;
  if (last) hold->ended = true;
  pthread_mutex_unlock(&hold->mutex);
  if (!keep) hold->release(incoming, number, hold->data);
  if (last) rg_tier_hold_end(hold);
}
