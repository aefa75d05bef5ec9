/* SPDX-License-Identifier: Apache-2.0 */

/* A list of what is wrong with a configuration.
 *
 * Threads: one owner. */
#ifndef RG_CONFIG_FAULTS_H
#define RG_CONFIG_FAULTS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

/* More faults than this are counted, but not kept: nobody reads them, and a
 * config made of nonsense must not cost any amount of memory. */
#define RG_FAULTS_MAX 100

struct rg_fault {
  char *path;    /* such as "retryGuard.budget.tokenBucket.tokenRatio" */
  char *message; /* such as "must be in (0, 1], got 1.5" */
};

struct rg_faults {
  struct rg_fault *items;
  size_t count;
  size_t capacity;
  size_t unlisted;    /* found, but not among the items */
  bool out_of_memory; /* a fault could not be stored, or none was looked for */
};

void rg_faults_init(struct rg_faults *faults);
void rg_faults_clean_up(struct rg_faults *faults);

/* Whether nothing was wrong. */
bool rg_faults_empty(const struct rg_faults *faults);

/* How many faults were found so far, the unlisted ones included. */
size_t rg_faults_total(const struct rg_faults *faults);

/* Adds a fault; both texts are copied, `format` is printf's. */
void rg_faults_add(struct rg_faults *faults, const char *path,
                   const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rg_faults_vadd(struct rg_faults *faults, const char *path,
                    const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Says that memory ran out before all was looked at. */
void rg_faults_add_out_of_memory(struct rg_faults *faults);

RG_C_END

#endif
