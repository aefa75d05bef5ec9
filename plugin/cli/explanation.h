/* SPDX-License-Identifier: Apache-2.0 */

/* What a service config means for one method, on standard output.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_EXPLANATION_H
#define RG_CLI_EXPLANATION_H

#include "config/service_config.h"
#include "core/cxx.h"

RG_C_BEGIN

struct rg_subject {
  const char *file;
  const struct rg_service_config *config; /* read without errors */
  const char *service;                    /* "package.Service" */
  const char *method;
};

void rg_explanation_write(const struct rg_subject *subject);

RG_C_END

#endif
