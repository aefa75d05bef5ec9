/* SPDX-License-Identifier: Apache-2.0 */

/* The circuit breakers of one target: one for all of it, or one for each
 * service, method or backend that is called.
 *
 * The number of these is bounded; a new one takes the place of the one that was
 * idle longest, which then starts closed. They are told apart by a 64-bit hash
 * of their name.
 *
 * Threads: safe and lock-free, but for configure, of which one may run at a
 * time. A place changes hands under a lock that is only tried there; those who
 * read names wait for it. */
#ifndef RG_HOST_BREAKERS_H
#define RG_HOST_BREAKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/breaker.h"
#include "core/cxx.h"

RG_C_BEGIN

#define RG_BREAKERS_MAX 64

/* Of what a breaker is for, with its NUL. Longer names are cut at their begin:
 * it is the end that differs. */
#define RG_BREAKER_NAME_SIZE 128

/* What is counted for each breaker; nothing is before it opened first. */
enum rg_breaker_tally {
  RG_TALLY_OPENED,
  RG_TALLY_HALF_OPENED,
  RG_TALLY_CLOSED,
  RG_TALLY_PROBES,
  RG_TALLY_REJECTIONS,
  RG_TALLIES
};

#define RG_BREAKER_STATES (RG_BREAKER_HALF_OPEN + 1)

struct rg_breaker_series;

struct rg_scoped_breaker {
  RG_ATOMIC(uint64_t) hash;      /* of the scope's name; 0: unused */
  RG_ATOMIC(uint64_t) last_used; /* a time */
  RG_ATOMIC(uint32_t) scope;     /* enum rg_breaker_scope */
  struct rg_breaker breaker;
  RG_ATOMIC(uint64_t) tallies[RG_TALLIES];
  /* Under the lock: */
  struct rg_breaker_series *series; /* that tell of it; NULL: none */
  bool crowded;                     /* told of without a name */
  char name[RG_BREAKER_NAME_SIZE];
};

struct rg_breakers {
  RG_ATOMIC(uint32_t) scope; /* enum rg_breaker_scope */
  struct rg_breaker whole;   /* the target's own */
  RG_ATOMIC(uint64_t) whole_tallies[RG_TALLIES];
  /* RG_BREAKERS_MAX of them, from the first policy on that wants them. */
  RG_ATOMIC(struct rg_scoped_breaker *) scoped;
  /* Under the lock: what metrics tell of by name, and the tallies of those that
   * lost their place without a name there. */
  struct rg_breaker_series *series;
  uint64_t nameless[RG_TALLIES];
};

/* One address of a target; the caller's memory. */
struct rg_backend {
  uint64_t hash; /* rg_breakers_hash of its name */
  const char *name;
  size_t length;
};

/* The scopes that a call belongs to. Hashes of 0 and NULL: not known. */
struct rg_breaker_key {
  uint64_t service;
  uint64_t method;
  const char *path; /* "/package.Service/Method"; the caller's */
  size_t path_length;
  const struct rg_backend *backend;
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

/* The breaker for `key`; NULL when there is none: what it would be for is not
 * known yet, or another place changes hands in this very moment. A new breaker
 * is closed, so that one result is lost. (Where more than RG_BREAKERS_MAX are
 * in use by turns, places change hands all the time, breakers do not live to
 * open, and so it is for many calls.) */
struct rg_breaker *rg_breakers_find(struct rg_breakers *breakers,
                                    const struct rg_breaker_key *key,
                                    uint64_t now);

/* The breaker for every call, where the scope is the target; else NULL. */
struct rg_breaker *rg_breakers_whole(struct rg_breakers *breakers);

/* Counts for `breaker`, which is one of these. */
void rg_breakers_count(struct rg_breakers *breakers, struct rg_breaker *breaker,
                       enum rg_breaker_tally tally);

/* Writes to `name` what `breaker`, which was found with `key`, is for, and
 * returns its scope; TARGET and "" too when the place has changed hands. */
enum rg_breaker_scope rg_breakers_name(const struct rg_breakers *breakers,
                                       const struct rg_breaker *breaker,
                                       const struct rg_breaker_key *key,
                                       char name[RG_BREAKER_NAME_SIZE]);

/* A hash of `length` bytes, never 0. */
uint64_t rg_breakers_hash(const char *bytes, size_t length);

/* The key of the method "/package.Service/Method", which it borrows, without a
 * backend. */
struct rg_breaker_key rg_breakers_key(const char *path, size_t length);

/* For breaker_series.c and breaker_report.c, and for a fork: nobody waits long
 * for it. */
void rg_breakers_lock(void);
void rg_breakers_unlock(void);

RG_C_END

#endif
