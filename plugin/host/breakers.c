/* SPDX-License-Identifier: Apache-2.0 */
#include "host/breakers.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "host/breaker_series.h"

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
  rg_breaker_series_clean_up(breakers);
  free(atomic_load(&breakers->scoped));
}

/* ---- Names --------------------------------------------------------------- */

/* 0: not known. */
static uint64_t hash_of(const struct rg_breaker_key *key, uint32_t scope) {
  switch (scope) {
    case RG_BREAKER_PER_SERVICE:
      return key->service;
    case RG_BREAKER_PER_METHOD:
      return key->method;
    case RG_BREAKER_PER_BACKEND:
      return key->backend != NULL ? key->backend->hash : 0;
    default:
      return 0;
  }
}

struct name {
  uint64_t hash;
  const char *bytes;
  size_t length;
};

/* Of "/shop.Ledger/Add" what "/shop.Ledger/" has. */
static size_t service_length(const char *path, size_t length) {
  const char *slash = memrchr(path, '/', length);
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* "/shop.Ledger/Add" is a method of "shop.Ledger". */
static struct name service_of(const struct rg_breaker_key *key) {
  size_t end = service_length(key->path, key->path_length);
  if (end > 0) end--;
  size_t begin = end > 0 && key->path[0] == '/' ? 1 : 0;
  return (struct name){key->service, key->path + begin, end - begin};
}

static struct name name_of(const struct rg_breaker_key *key, uint32_t scope) {
  if (hash_of(key, scope) == 0) return (struct name){0, "", 0};
  if (scope == RG_BREAKER_PER_SERVICE) return service_of(key);
  if (scope == RG_BREAKER_PER_METHOD)
    return (struct name){key->method, key->path, key->path_length};
  return (struct name){key->backend->hash, key->backend->name,
                       key->backend->length};
}

static void write_name(const struct name *from,
                       char name[RG_BREAKER_NAME_SIZE]) {
  static const char cut[] = "...";
  size_t room = RG_BREAKER_NAME_SIZE - 1;
  size_t length = from->length <= room ? from->length : room - strlen(cut);
  size_t at = 0;
  if (length < from->length) at = strlen(strcpy(name, cut));
  memcpy(name + at, from->bytes + from->length - length, length);
  name[at + length] = '\0';
}

/* ---- Places -------------------------------------------------------------- */

/* Of all targets: places change hands seldom. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void rg_breakers_lock(void) { pthread_mutex_lock(&lock); }
void rg_breakers_unlock(void) { pthread_mutex_unlock(&lock); }

/* Where the breaker for `hash` is, unless another one was there first. */
static struct rg_scoped_breaker *home(struct rg_scoped_breaker *scoped,
                                      uint64_t hash) {
  return &scoped[hash % RG_BREAKERS_MAX];
}

/* Its home, if no other place is older. */
static struct rg_scoped_breaker *oldest(struct rg_scoped_breaker *scoped,
                                        uint64_t hash) {
  struct rg_scoped_breaker *result = home(scoped, hash);
  for (int i = 0; i < RG_BREAKERS_MAX; i++)
    if (atomic_load_explicit(&scoped[i].last_used, memory_order_relaxed) <
        atomic_load_explicit(&result->last_used, memory_order_relaxed))
      result = &scoped[i];
  return result;
}

static bool is_for(const struct rg_scoped_breaker *place, uint64_t hash) {
  return atomic_load_explicit(&place->hash, memory_order_acquire) == hash;
}

static struct rg_scoped_breaker *look_up(struct rg_scoped_breaker *scoped,
                                         uint64_t hash) {
  if (is_for(home(scoped, hash), hash)) return home(scoped, hash);
  for (int i = 0; i < RG_BREAKERS_MAX; i++)
    if (is_for(&scoped[i], hash)) return &scoped[i];
  return NULL;
}

/* Unused places are the oldest of all. A permit for the breaker that had the
 * place before turns stale, since closing starts a generation; by then nobody
 * finds it under its old name, and nobody yet under the new one. */
static struct rg_scoped_breaker *claim_nolock(struct rg_breakers *breakers,
                                              const struct name *name,
                                              uint32_t scope, uint64_t now) {
  struct rg_scoped_breaker *scoped = atomic_load(&breakers->scoped);
  struct rg_scoped_breaker *place = look_up(scoped, name->hash);
  if (place != NULL) return place; /* another thread was faster */
  place = oldest(scoped, name->hash);
  bool used = atomic_exchange(&place->hash, 0) != 0;
  if (used) rg_breaker_reset(&place->breaker);
  rg_breaker_series_leave(breakers, place, now);
  write_name(name, place->name);
  atomic_store(&place->scope, scope);
  atomic_store(&place->last_used, now); /* the oldest no more */
  rg_breaker_series_enter(breakers, place, name->hash);
  atomic_store(&place->hash, name->hash);
  return place;
}

static struct rg_breaker *use(struct rg_scoped_breaker *place, uint64_t now) {
  atomic_store_explicit(&place->last_used, now, memory_order_relaxed);
  return &place->breaker;
}

/* Kept out of the way of breakers that are there already. */
RG_SELDOM static struct rg_breaker *claim(struct rg_breakers *breakers,
                                          const struct rg_breaker_key *key,
                                          uint32_t scope, uint64_t now) {
  struct name name = name_of(key, scope);
  if (name.hash == 0 || pthread_mutex_trylock(&lock) != 0) return NULL;
  struct rg_scoped_breaker *place = claim_nolock(breakers, &name, scope, now);
  pthread_mutex_unlock(&lock);
  return use(place, now);
}

struct rg_breaker *rg_breakers_whole(struct rg_breakers *breakers) {
  bool whole = atomic_load_explicit(&breakers->scope, memory_order_acquire) ==
               RG_BREAKER_PER_TARGET;
  return whole ? &breakers->whole : NULL;
}

/* Kept out of the way of targets with one breaker. */
RG_SELDOM static struct rg_breaker *find_scoped(
    struct rg_breakers *breakers, const struct rg_breaker_key *key,
    uint32_t scope, uint64_t now) {
  uint64_t hash = hash_of(key, scope);
  if (hash == 0) return NULL;
  struct rg_scoped_breaker *place =
      look_up(atomic_load(&breakers->scoped), hash);
  return place != NULL ? use(place, now) : claim(breakers, key, scope, now);
}

struct rg_breaker *rg_breakers_find(struct rg_breakers *breakers,
                                    const struct rg_breaker_key *key,
                                    uint64_t now) {
  uint32_t scope = atomic_load_explicit(&breakers->scope, memory_order_acquire);
  if (scope == RG_BREAKER_PER_TARGET) return &breakers->whole;
  return find_scoped(breakers, key, scope, now);
}

/* ---- What they do -------------------------------------------------------- */

static struct rg_scoped_breaker *place_of(const struct rg_breaker *breaker) {
  return (
      struct rg_scoped_breaker *)((const char *)breaker -
                                  offsetof(struct rg_scoped_breaker, breaker));
}

void rg_breakers_count(struct rg_breakers *breakers, struct rg_breaker *breaker,
                       enum rg_breaker_tally tally) {
  RG_ATOMIC(uint64_t) *tallies = breaker == &breakers->whole
                                     ? breakers->whole_tallies
                                     : place_of(breaker)->tallies;
  atomic_fetch_add_explicit(&tallies[tally], 1, memory_order_relaxed);
}

enum rg_breaker_scope rg_breakers_name(const struct rg_breakers *breakers,
                                       const struct rg_breaker *breaker,
                                       const struct rg_breaker_key *key,
                                       char name[RG_BREAKER_NAME_SIZE]) {
  name[0] = '\0';
  if (breaker == &breakers->whole) return RG_BREAKER_PER_TARGET;
  const struct rg_scoped_breaker *place = place_of(breaker);
  uint32_t scope = atomic_load(&place->scope);
  struct name found = name_of(key, scope);
  if (found.hash != atomic_load(&place->hash)) return RG_BREAKER_PER_TARGET;
  write_name(&found, name);
  return (enum rg_breaker_scope)scope;
}

/* ---- Hashes -------------------------------------------------------------- */

/* What a hash begins with. Not 0, which words of zeros would leave as it is. */
#define HASH_OF_NOTHING UINT64_C(14695981039346656037)

/* Takes up a word: what multiplication sends to the upper half comes down again
 * for the next one. */
static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

/* Of what `hash` is of, and these bytes behind it. The last word has what is
 * left, and how much that is. */
static uint64_t hash_on(uint64_t hash, const char *bytes, size_t length) {
  uint64_t word;
  for (; length >= sizeof word; length -= sizeof word, bytes += sizeof word) {
    memcpy(&word, bytes, sizeof word);
    hash = mix(hash, word);
  }
  word = length;
  for (size_t i = 0; i < length; i++) word = word << 8 | (uint8_t)bytes[i];
  return mix(hash, word);
}

static uint64_t never_nothing(uint64_t hash) { return hash != 0 ? hash : 1; }

uint64_t rg_breakers_hash(const char *bytes, size_t length) {
  return never_nothing(hash_on(HASH_OF_NOTHING, bytes, length));
}

struct rg_breaker_key rg_breakers_key(const char *path, size_t length) {
  size_t service = service_length(path, length);
  uint64_t hash = hash_on(HASH_OF_NOTHING, path, service);
  return (struct rg_breaker_key){
      .service = never_nothing(hash),
      .method = never_nothing(hash_on(hash, path + service, length - service)),
      .path = path,
      .path_length = length,
  };
}
