/* SPDX-License-Identifier: Apache-2.0 */

/* Reads the JSON mapping of protobuf into protobuf-c messages, by descriptor,
 * so that a new field needs a line in the schema and none here.
 *
 * As the mapping has it: lowerCamelCase names, or those of the schema; enums by
 * name or number; 64-bit integers also as strings; whole numbers also as 1.0 or
 * 1e3; null as absent. Durations are text, see duration.h. Stricter than the
 * mapping, since a config is written by people: unknown keys, a key given
 * twice, two members of a oneof, numbers in strings where 64 bits are not
 * needed and whatever does not fit its type are faults. Bytes and maps are not
 * supported.
 *
 * Threads: pure, but for the heap. */
#ifndef RG_CONFIG_MESSAGE_JSON_H
#define RG_CONFIG_MESSAGE_JSON_H

#include <jansson.h>
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>

#include "config/faults.h"
#include "config/json_path.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Bytes that suffice for a range with its NUL. */
#define RG_RANGE_TEXT_SIZE 80

/* Writes the range that `field` is held to later, such as "[1, 255]", to `text`
 * of RG_RANGE_TEXT_SIZE bytes, so that a number that does not even fit its type
 * gets the same fault; false: there is none. */
typedef bool rg_range_text(const ProtobufCMessageDescriptor *message,
                           const ProtobufCFieldDescriptor *field, char *text);

/* Reads `length` bytes of `json` into a new message; faults name its root
 * `root`, and `range_text` may be NULL. All faults are found at once: the
 * message holds what could be read, so that it can be looked at further. NULL
 * when there is no message at all, and then there is a fault.
 *
 * The caller frees the message by protobuf_c_message_free_unpacked. */
ProtobufCMessage *rg_message_from_json(
    const ProtobufCMessageDescriptor *descriptor, const char *json,
    size_t length, const char *root, rg_range_text *range_text,
    struct rg_faults *faults);

/* The same of a JSON value that is at `path` of a larger text. */
ProtobufCMessage *rg_message_from_value(
    const ProtobufCMessageDescriptor *descriptor, const json_t *value,
    const struct rg_json_path *path, rg_range_text *range_text,
    struct rg_faults *faults);

RG_C_END

#endif
