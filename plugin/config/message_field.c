/* SPDX-License-Identifier: Apache-2.0 */
#include "config/message_field.h"

#include <stdint.h>
#include <string.h>

void rg_field_json_name(const ProtobufCFieldDescriptor *field, char *name) {
  size_t used = 0;
  bool upper = false;
  for (const char *c = field->name; *c != '\0'; c++) {
    if (*c == '_') {
      upper = true;
      continue;
    }
    if (used == RG_FIELD_NAME_SIZE - 1) break;
    bool lower_case = *c >= 'a' && *c <= 'z';
    name[used++] = upper && lower_case ? (char)(*c - 'a' + 'A') : *c;
    upper = false;
  }
  name[used] = '\0';
}

const ProtobufCFieldDescriptor *rg_field_find(
    const ProtobufCMessageDescriptor *message, const char *key) {
  for (unsigned i = 0; i < message->n_fields; i++) {
    char name[RG_FIELD_NAME_SIZE];
    rg_field_json_name(&message->fields[i], name);
    if (strcmp(key, name) == 0 || strcmp(key, message->fields[i].name) == 0)
      return &message->fields[i];
  }
  return NULL;
}

bool rg_field_is_in_oneof(const ProtobufCFieldDescriptor *field) {
  return (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
}

static bool is_pointer(const ProtobufCFieldDescriptor *field) {
  return field->type == PROTOBUF_C_TYPE_MESSAGE ||
         field->type == PROTOBUF_C_TYPE_STRING;
}

/* has_x, n_x or the case of a oneof. */
static void *quantifier(ProtobufCMessage *message,
                        const ProtobufCFieldDescriptor *field) {
  return (char *)message + field->quantifier_offset;
}

void *rg_field_at(ProtobufCMessage *message,
                  const ProtobufCFieldDescriptor *field) {
  return (char *)message + field->offset;
}

const void *rg_field_get(const ProtobufCMessage *message,
                         const ProtobufCFieldDescriptor *field) {
  return (const char *)message + field->offset;
}

bool rg_field_is_set(const ProtobufCMessage *message,
                     const ProtobufCFieldDescriptor *field) {
  const char *there = (const char *)message + field->quantifier_offset;
  if (rg_field_is_in_oneof(field))
    return *(const uint32_t *)(const void *)there == field->id;
  if (field->label == PROTOBUF_C_LABEL_REPEATED)
    return *(const size_t *)(const void *)there > 0;
  if (field->label == PROTOBUF_C_LABEL_NONE) return true;
  if (is_pointer(field))
    return *(void *const *)rg_field_get(message, field) != NULL;
  return *(const protobuf_c_boolean *)(const void *)there != 0;
}

void rg_field_mark_set(ProtobufCMessage *message,
                       const ProtobufCFieldDescriptor *field) {
  if (rg_field_is_in_oneof(field))
    *(uint32_t *)quantifier(message, field) = field->id;
  else if (!is_pointer(field) && field->label == PROTOBUF_C_LABEL_OPTIONAL)
    *(protobuf_c_boolean *)quantifier(message, field) = 1;
}

void rg_field_set_count(ProtobufCMessage *message,
                        const ProtobufCFieldDescriptor *field, size_t count) {
  *(size_t *)quantifier(message, field) = count;
}

size_t rg_field_size(const ProtobufCFieldDescriptor *field) {
  switch (field->type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
      return 8;
    case PROTOBUF_C_TYPE_BOOL:
      return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_BYTES:
      return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
      return sizeof(void *);
    default:
      return 4;
  }
}

static const ProtobufCFieldDescriptor *part(
    const ProtobufCMessageDescriptor *message, unsigned i, const char *name,
    ProtobufCType type) {
  if (i >= message->n_fields) return NULL;
  const ProtobufCFieldDescriptor *field = &message->fields[i];
  bool fits = strcmp(field->name, name) == 0 && field->type == type &&
              field->label != PROTOBUF_C_LABEL_REPEATED;
  return fits ? field : NULL;
}

static const ProtobufCFieldDescriptor *seconds_of(
    const ProtobufCMessageDescriptor *message) {
  return part(message, 0, "seconds", PROTOBUF_C_TYPE_INT64);
}

static const ProtobufCFieldDescriptor *nanos_of(
    const ProtobufCMessageDescriptor *message) {
  return part(message, 1, "nanos", PROTOBUF_C_TYPE_INT32);
}

bool rg_message_is_duration(const ProtobufCMessageDescriptor *message) {
  return strcmp(message->short_name, "Duration") == 0 &&
         seconds_of(message) != NULL && nanos_of(message) != NULL;
}

struct rg_duration rg_message_get_duration(const ProtobufCMessage *message) {
  const ProtobufCMessageDescriptor *d = message->descriptor;
  return (struct rg_duration){
      .seconds = *(const int64_t *)rg_field_get(message, seconds_of(d)),
      .nanos = *(const int32_t *)rg_field_get(message, nanos_of(d)),
  };
}

void rg_message_set_duration(ProtobufCMessage *message,
                             struct rg_duration duration) {
  const ProtobufCMessageDescriptor *d = message->descriptor;
  *(int64_t *)rg_field_at(message, seconds_of(d)) = duration.seconds;
  *(int32_t *)rg_field_at(message, nanos_of(d)) = duration.nanos;
  rg_field_mark_set(message, seconds_of(d));
  rg_field_mark_set(message, nanos_of(d));
}
