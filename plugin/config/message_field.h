/* SPDX-License-Identifier: Apache-2.0 */

/* Fields of protobuf-c messages by their descriptors. Made for proto2 schemas,
 * in which every field knows whether it is set; a proto3 field always is.
 *
 * Threads: pure. */
#ifndef RG_CONFIG_MESSAGE_FIELD_H
#define RG_CONFIG_MESSAGE_FIELD_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>

#include "config/duration.h"
#include "core/cxx.h"

RG_C_BEGIN

#define RG_FIELD_NAME_SIZE 64

/* Writes the name that `field` has in JSON, token_ratio being tokenRatio;
 * `name` has RG_FIELD_NAME_SIZE bytes. */
void rg_field_json_name(const ProtobufCFieldDescriptor *field, char *name);

/* The field that JSON calls `key`, by either of its names; NULL: none. */
const ProtobufCFieldDescriptor *rg_field_find(
    const ProtobufCMessageDescriptor *message, const char *key);

/* Whether only one of a group of fields, to which `field` belongs, can be
 * set. */
bool rg_field_is_in_oneof(const ProtobufCFieldDescriptor *field);

/* Whether `field` is there in `message`; repeated: whether it has elements. */
bool rg_field_is_set(const ProtobufCMessage *message,
                     const ProtobufCFieldDescriptor *field);

/* Where the value of `field` is in `message`; the array of a repeated one. */
void *rg_field_at(ProtobufCMessage *message,
                  const ProtobufCFieldDescriptor *field);
const void *rg_field_get(const ProtobufCMessage *message,
                         const ProtobufCFieldDescriptor *field);

/* Marks the value at rg_field_at as there. */
void rg_field_mark_set(ProtobufCMessage *message,
                       const ProtobufCFieldDescriptor *field);

/* Sets how many elements a repeated field has. */
void rg_field_set_count(ProtobufCMessage *message,
                        const ProtobufCFieldDescriptor *field, size_t count);

/* Bytes of one value in memory. */
size_t rg_field_size(const ProtobufCFieldDescriptor *field);

/* Whether `message` is a duration, which JSON writes as text: any message of
 * that name with the fields of google.protobuf.Duration. */
bool rg_message_is_duration(const ProtobufCMessageDescriptor *message);

struct rg_duration rg_message_get_duration(const ProtobufCMessage *message);
void rg_message_set_duration(ProtobufCMessage *message,
                             struct rg_duration duration);

RG_C_END

#endif
