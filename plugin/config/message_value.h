/* SPDX-License-Identifier: Apache-2.0 */

/* The part of message_json.h that reads what has no fields of its own: numbers
 * (message_number.c), text, enums and durations.
 *
 * Threads: pure, but for the heap. */
#ifndef RG_CONFIG_MESSAGE_VALUE_H
#define RG_CONFIG_MESSAGE_VALUE_H

#include <jansson.h>

#include "config/duration.h"
#include "config/json_path.h"
#include "config/message_json.h"
#include "core/cxx.h"

RG_C_BEGIN

struct rg_message_reader {
  rg_range_text *range_text;
  struct rg_faults *faults;
};

/* A value on its way from JSON into a field. */
struct rg_value {
  const struct rg_message_reader *reader;
  const ProtobufCMessageDescriptor *message;
  const ProtobufCFieldDescriptor *field;
  struct rg_json_path path;
  const json_t *json;
};

/* Adds "must be <what>, got <kind of value>", such as "a string". */
void rg_value_fault_kind(const struct rg_value *value, const char *what);

/* Adds "must be <what>, got <value>"; of a string or number. */
void rg_value_fault(const struct rg_value *value, const char *what);

/* Adds "must be in <range>, got <value>": the range that the reader knows, or
 * else that of the type. */
void rg_value_fault_range(const struct rg_value *value);

/* Reads a value of any type but a message into `slot`, of the field's type.
 * False, with a fault added and `slot` left alone, when it is wrong. */
bool rg_value_read_scalar(const struct rg_value *value, void *slot);

/* The same for the integer types; for double and float. */
bool rg_value_read_integer(const struct rg_value *value, void *slot);
bool rg_value_read_real(const struct rg_value *value, void *slot);

/* Reads a duration; `duration` is written only if it is right. */
bool rg_value_read_duration(const struct rg_value *value,
                            struct rg_duration *duration);

RG_C_END

#endif
