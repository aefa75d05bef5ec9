/* SPDX-License-Identifier: Apache-2.0 */

/* A list of what is wrong with a configuration, or of what it deserves to be
 * warned of.
 *
 * Threads: one owner. */
#ifndef RG_CONFIG_FAULTS_H
#define RG_CONFIG_FAULTS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

/* More faults than this are counted, but not kept, unless the owner of the list
 * raises its limit: nobody reads them, and a config made of nonsense must not
 * cost any amount of memory. */
#define RG_FAULTS_MAX 100

enum rg_fault_kind {
  RG_FAULT_SYNTAX,    /* it is no JSON, or nests too deep */
  RG_FAULT_DUPLICATE, /* it is given twice */
  RG_FAULT_UNKNOWN,   /* there is no such thing */
  RG_FAULT_MISSING,   /* it has to be there */
  RG_FAULT_TYPE,      /* a string, say, in place of a number */
  RG_FAULT_RANGE,     /* a number, duration or text out of bounds */
  RG_FAULT_VALUE,     /* none of what is allowed */
  RG_FAULT_PLACE,     /* it belongs elsewhere */
  /* Warnings: it is valid, but */
  RG_FAULT_IGNORED,  /* nobody looks at it */
  RG_FAULT_MISREAD,  /* gRPC takes it for something else */
  RG_FAULT_FUTILE,   /* it does not have the effect it seems to have */
  RG_FAULT_RISK,     /* it makes an outage worse, or likelier */
  RG_FAULT_CONFLICT, /* it and something else work against each other */
  RG_FAULT_KIND_COUNT
};

/* The name of `kind`, such as "range"; static. */
const char *rg_fault_kind_name(enum rg_fault_kind kind);

struct rg_fault {
  enum rg_fault_kind kind;
  char *path;    /* such as "retryGuard.budget.tokenBucket.tokenRatio" */
  char *message; /* such as "must be in (0, 1], got 1.5" */
};

struct rg_faults {
  struct rg_fault *items;
  size_t count;
  size_t capacity;
  size_t limit;       /* of the items */
  size_t unlisted;    /* found, but not among the items */
  bool out_of_memory; /* a fault could not be stored, or none was looked for */
};

void rg_faults_init(struct rg_faults *faults);
void rg_faults_clean_up(struct rg_faults *faults);

/* Whether nothing was wrong. */
bool rg_faults_empty(const struct rg_faults *faults);

/* How many faults were found so far, the unlisted ones included. */
size_t rg_faults_total(const struct rg_faults *faults);

/* Adds a fault; both texts are copied, `format` is printf's. What is no
 * printable UTF-8 in them becomes '?': they may quote what a parser did not
 * understand, and go to logs and terminals. */
void rg_faults_add(struct rg_faults *faults, enum rg_fault_kind kind,
                   const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void rg_faults_vadd(struct rg_faults *faults, enum rg_fault_kind kind,
                    const char *path, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

/* Says that memory ran out before all was looked at. */
void rg_faults_add_out_of_memory(struct rg_faults *faults);

RG_C_END

#endif
