/* SPDX-License-Identifier: Apache-2.0 */

/* Faults as people read them.
 *
 * Threads: as paper.h. */
#ifndef RG_CLI_FAULT_TEXT_H
#define RG_CLI_FAULT_TEXT_H

#include "cli/paper.h"
#include "config/faults.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Where the text of a fault stands. */
#define RG_FAULT_TEXT_HANG 11

struct rg_severity {
  const char *name;
  enum rg_ink ink;
};

extern const struct rg_severity rg_severity_error;
extern const struct rg_severity rg_severity_warning;

/* Writes each of the faults in lines of its own, with an empty one before. */
void rg_fault_text_write(struct rg_paper *paper,
                         const struct rg_severity *severity,
                         const struct rg_faults *faults);

RG_C_END

#endif
