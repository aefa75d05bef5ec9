/* SPDX-License-Identifier: Apache-2.0 */

/* What policy.proto says in its comments, for the program: the range of each
 * field and where it may stand. A field without a rule may have any value and
 * stand anywhere.
 *
 * Threads: pure. */
#ifndef RG_CONFIG_POLICY_RULES_H
#define RG_CONFIG_POLICY_RULES_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/faults.h"
#include "config/json_path.h"
#include "config/message_json.h"
#include "core/cxx.h"

RG_C_BEGIN

enum rg_rule_range {
  RG_RANGE_ANY,
  RG_RANGE_NUMBER,   /* of a uint32 or double */
  RG_RANGE_DURATION, /* in milliseconds */
  RG_RANGE_LENGTH,   /* of a text, in bytes */
  RG_RANGE_KEY,      /* the same of the name of a metadata entry */
};

enum rg_rule_scope {
  RG_SCOPE_METHOD,      /* a methodConfig entry may override it */
  RG_SCOPE_TARGET,      /* all that use the target share it */
  RG_SCOPE_CHANNEL,     /* one for all methods of the channel */
  RG_SCOPE_METHOD_TRUE, /* of a method only `true` makes sense */
};

struct rg_rule {
  const ProtobufCMessageDescriptor *message;
  const char *field; /* as in the schema */
  enum rg_rule_scope scope;
  enum rg_rule_range range;
  bool above_low; /* `low` itself is outside */
  int64_t low;
  int64_t high;
};

/* The rule of `field`; NULL: none. */
const struct rg_rule *rg_rule_find(const ProtobufCMessageDescriptor *message,
                                   const ProtobufCFieldDescriptor *field);

/* Writes a range such as "(0, 1]" or "[0.1s, 3600s]" to `text` of
 * RG_RANGE_TEXT_SIZE bytes; false: `rule` has none that could be written so. */
bool rg_rule_write_range(const struct rg_rule *rule, char *text);

/* Adds a fault when the number or duration that `field` of `message` is set to,
 * at `path`, is outside the range of `rule`. */
void rg_rule_check(const struct rg_rule *rule, const ProtobufCMessage *message,
                   const ProtobufCFieldDescriptor *field,
                   const struct rg_json_path *path, struct rg_faults *faults);

/* The first two together. */
rg_range_text rg_rule_range_text;

RG_C_END

#endif
