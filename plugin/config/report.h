/* SPDX-License-Identifier: Apache-2.0 */

/* What there is to say about a configuration: errors, for which gRPC refuses
 * it, and warnings, with which it does not do what it says.
 *
 * Threads: one owner. */
#ifndef RG_CONFIG_REPORT_H
#define RG_CONFIG_REPORT_H

#include "config/faults.h"
#include "core/cxx.h"

RG_C_BEGIN

struct rg_report {
  struct rg_faults errors;
  struct rg_faults warnings;
};

static inline void rg_report_init(struct rg_report *report) {
  rg_faults_init(&report->errors);
  rg_faults_init(&report->warnings);
}

static inline void rg_report_clean_up(struct rg_report *report) {
  rg_faults_clean_up(&report->errors);
  rg_faults_clean_up(&report->warnings);
}

RG_C_END

#endif
