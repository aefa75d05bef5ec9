/* SPDX-License-Identifier: Apache-2.0 */

/* The policy that is in force where nothing is said.
 *
 * Threads: pure. */
#ifndef RG_CONFIG_POLICY_DEFAULTS_H
#define RG_CONFIG_POLICY_DEFAULTS_H

#include "config/policy.h"
#include "core/cxx.h"

RG_C_BEGIN

struct rg_policy rg_policy_defaults(void);

RG_C_END

#endif
