/* SPDX-License-Identifier: Apache-2.0 */

/* The circuit breakers of one target: one for all of it, or one for each
 * service, method or backend that is called.
 *
 * The number of these is bounded; a new one takes the place of the one that was
 * idle longest, which then starts closed. They are told apart by a 64-bit hash
 * of their name.
 *
 * Threads: safe and lock-free, but for configure, of which one may run at a
 * time. */
#ifndef RG_HOST_BREAKERS_H
#define RG_HOST_BREAKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/breaker.h"
#include "core/cxx.h"

RG_C_BEGIN

#define RG_BREAKERS_MAX 64

struct rg_scoped_breaker {
  RG_ATOMIC(uint64_t) hash;      /* of the scope's name; 0: unused */
  RG_ATOMIC(uint64_t) last_used; /* a time */
  struct rg_breaker breaker;
};

struct rg_breakers {
  RG_ATOMIC(uint32_t) scope; /* enum rg_breaker_scope */
  struct rg_breaker whole;   /* the target's own */
  /* RG_BREAKERS_MAX of them, from the first policy on that wants them. */
  RG_ATOMIC(struct rg_scoped_breaker *) scoped;
};

/* The scopes that a call belongs to, as hashes (rg_breakers_hash). */
struct rg_breaker_key {
  uint64_t service;
  uint64_t method;
  uint64_t backend; /* 0: not known yet */
};

/* What rg_breakers_configure will need for `policy`: NULL if nothing, or when
 * memory is out. */
struct rg_scoped_breaker *rg_breakers_reserve(
    const struct rg_breakers *breakers, const struct rg_breaker_policy *policy);

/* Puts `policy` in force; the first time (`fresh`) all start closed, later
 * their states survive. `reserve` was reserved beforehand, since this runs
 * under a lock; what is returned was not needed and goes to free. Without the
 * memory for it, scopes fall back to the target. */
struct rg_scoped_breaker *rg_breakers_configure(
    struct rg_breakers *breakers, const struct rg_breaker_policy *policy,
    bool fresh, struct rg_scoped_breaker *reserve);

void rg_breakers_clean_up(struct rg_breakers *breakers);

/* The breaker for `key`; NULL when it is not known yet, which only happens
 * with RG_BREAKER_PER_BACKEND and no backend. */
struct rg_breaker *rg_breakers_find(struct rg_breakers *breakers,
                                    const struct rg_breaker_key *key,
                                    uint64_t now);

/* The breaker for every call, where the scope is the target; else NULL. */
struct rg_breaker *rg_breakers_whole(struct rg_breakers *breakers);

/* A hash of `length` bytes, never 0. */
uint64_t rg_breakers_hash(const char *bytes, size_t length);

/* The key of the method "/package.Service/Method"; the backend is left 0. */
struct rg_breaker_key rg_breakers_key(const char *path, size_t length);

RG_C_END

#endif
