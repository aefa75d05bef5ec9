/* SPDX-License-Identifier: Apache-2.0 */

/* Holds a policy message against the rules.
 *
 * Threads: pure. */
#ifndef RG_CONFIG_POLICY_VALIDATE_H
#define RG_CONFIG_POLICY_VALIDATE_H

#include <protobuf-c/protobuf-c.h>

#include "config/faults.h"
#include "config/json_path.h"
#include "config/policy.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Adds a fault for each field of `message`, and of the messages in it, that is
 * out of range or may not stand in a block of `scope`. The message is at
 * `path`. */
void rg_policy_validate(const ProtobufCMessage *message,
                        enum rg_policy_scope scope,
                        const struct rg_json_path *path,
                        struct rg_faults *faults);

RG_C_END

#endif
