/* SPDX-License-Identifier: Apache-2.0 */
#include "host/breakers.h"

#include <stdlib.h>

struct rg_scoped_breaker *rg_breakers_reserve(
    const struct rg_breakers *breakers,
    const struct rg_breaker_policy *policy) {
  if (policy->scope == RG_BREAKER_PER_TARGET ||
      atomic_load(&breakers->scoped) != NULL)
    return NULL;
  return calloc(RG_BREAKERS_MAX, sizeof(struct rg_scoped_breaker));
}

static void configure_scoped(struct rg_scoped_breaker *scoped,
                             const struct rg_breaker_policy *policy,
                             bool fresh) {
  for (int i = 0; scoped != NULL && i < RG_BREAKERS_MAX; i++)
    (fresh ? rg_breaker_init : rg_breaker_update)(&scoped[i].breaker, policy);
}

struct rg_scoped_breaker *rg_breakers_configure(
    struct rg_breakers *breakers, const struct rg_breaker_policy *policy,
    bool fresh, struct rg_scoped_breaker *reserve) {
  (fresh ? rg_breaker_init : rg_breaker_update)(&breakers->whole, policy);
  enum rg_breaker_scope scope = policy->scope;
  struct rg_scoped_breaker *scoped = atomic_load(&breakers->scoped);
  if (scope != RG_BREAKER_PER_TARGET && scoped == NULL) {
    configure_scoped(reserve, policy, true);
    atomic_store(&breakers->scoped, reserve);
    if (reserve == NULL) scope = RG_BREAKER_PER_TARGET;
    reserve = NULL;
  } else {
    configure_scoped(scoped, policy, false);
  }
  atomic_store(&breakers->scope, (uint32_t)scope);
  return reserve;
}

void rg_breakers_clean_up(struct rg_breakers *breakers) {
  free(atomic_load(&breakers->scoped));
}

static struct rg_scoped_breaker *oldest(struct rg_scoped_breaker *scoped) {
  struct rg_scoped_breaker *result = &scoped[0];
  for (int i = 1; i < RG_BREAKERS_MAX; i++)
    if (atomic_load_explicit(&scoped[i].last_used, memory_order_relaxed) <
        atomic_load_explicit(&result->last_used, memory_order_relaxed))
      result = &scoped[i];
  return result;
}

/* Unused places are the oldest of all. A permit for the breaker that had the
 * place before turns stale, since closing starts a generation. */
static struct rg_scoped_breaker *claim(struct rg_scoped_breaker *scoped,
                                       uint64_t hash) {
  struct rg_scoped_breaker *place = oldest(scoped);
  uint64_t before = atomic_load(&place->hash);
  if (atomic_compare_exchange_strong(&place->hash, &before, hash) &&
      before != 0)
    rg_breaker_reset(&place->breaker);
  return place;
}

static struct rg_breaker *find_scoped(struct rg_scoped_breaker *scoped,
                                      uint64_t hash, uint64_t now) {
  struct rg_scoped_breaker *place = NULL;
  for (int i = 0; place == NULL && i < RG_BREAKERS_MAX; i++)
    if (atomic_load_explicit(&scoped[i].hash, memory_order_relaxed) == hash)
      place = &scoped[i];
  if (place == NULL) place = claim(scoped, hash);
  atomic_store_explicit(&place->last_used, now, memory_order_relaxed);
  return &place->breaker;
}

struct rg_breaker *rg_breakers_whole(struct rg_breakers *breakers) {
  bool whole = atomic_load_explicit(&breakers->scope, memory_order_acquire) ==
               RG_BREAKER_PER_TARGET;
  return whole ? &breakers->whole : NULL;
}

struct rg_breaker *rg_breakers_find(struct rg_breakers *breakers,
                                    const struct rg_breaker_key *key,
                                    uint64_t now) {
  uint64_t hash = 0;
  switch (atomic_load_explicit(&breakers->scope, memory_order_acquire)) {
    case RG_BREAKER_PER_SERVICE:
      hash = key->service;
      break;
    case RG_BREAKER_PER_METHOD:
      hash = key->method;
      break;
    case RG_BREAKER_PER_BACKEND:
      hash = key->backend;
      break;
    default:
      return &breakers->whole;
  }
  if (hash == 0) return NULL;
  return find_scoped(atomic_load(&breakers->scoped), hash, now);
}

/* FNV-1a, 64 bits. */
uint64_t rg_breakers_hash(const char *bytes, size_t length) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(1099511628211);
  return hash != 0 ? hash : 1;
}

struct rg_breaker_key rg_breakers_key(const char *path, size_t length) {
  size_t service = length;
  while (service > 0 && path[service - 1] != '/') service--;
  return (struct rg_breaker_key){
      .service = rg_breakers_hash(path, service),
      .method = rg_breakers_hash(path, length),
  };
}
