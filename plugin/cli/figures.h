/* SPDX-License-Identifier: Apache-2.0 */

/* What a text of metrics says of each target, as far as `top` shows it; and
 * what happened between two of them.
 *
 * Threads: one owner. */
#ifndef RG_CLI_FIGURES_H
#define RG_CLI_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cxx.h"
#include "retry_guard/retry_guard.h"

RG_C_BEGIN

#define RG_FIGURES_NAME_SIZE 513 /* of a target or a breaker, with its NUL */

/* More targets or breakers are not read: no text of ours has as many. */
#define RG_FIGURES_MAX 10000

/* What only rises, or by how much it rose each second. */
struct rg_figures_counts {
  double calls;
  double retries;
  double stops[RETRY_GUARD_STOP_COUNT];
};

struct rg_figures_target {
  char name[RG_FIGURES_NAME_SIZE];
  struct rg_figures_counts counts;
  double amplification;
  double tokens; /* infinite: no limit */
  bool alarm;
  double open; /* breakers in this state */
  double half_open;
};

/* The breaker of a service, method or backend, or several that have no name of
 * their own, which let nothing through or a probe only. */
struct rg_figures_breaker {
  char target[RG_FIGURES_NAME_SIZE];
  char name[RG_FIGURES_NAME_SIZE];
  bool open; /* or half-open */
  double count;
};

/* The caller's memory. */
struct rg_figures {
  struct rg_figures_target *targets; /* in the order of their names */
  size_t count;
  size_t capacity;
  struct rg_figures_breaker *breakers; /* the open ones first */
  size_t breaker_count;
  size_t breaker_capacity;
};

/* Reads `text`, of `length` bytes. False: there was no memory, or it is not
 * from Retry Guard; nothing is to be cleaned up. */
bool rg_figures_read(const char *text, size_t length,
                     struct rg_figures *figures);

void rg_figures_clean_up(struct rg_figures *figures);

/* Makes the counts of `now` what happened each second since `before`, which
 * was `seconds` ago. What fell has begun anew, and is counted from 0; so is
 * what is new. */
void rg_figures_make_rates(struct rg_figures *now,
                           const struct rg_figures *before, double seconds);

/* Puts those first where most retries are made or stopped, then most calls. */
void rg_figures_sort(struct rg_figures *figures);

RG_C_END

#endif
