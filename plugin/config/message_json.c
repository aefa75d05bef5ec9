/* SPDX-License-Identifier: Apache-2.0 */
#include "config/message_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/json_text.h"
#include "config/message_field.h"
#include "config/message_value.h"

#define NAMES_SIZE 512

static ProtobufCMessage *read_fields(
    const struct rg_message_reader *reader,
    const ProtobufCMessageDescriptor *descriptor,
    const struct rg_json_path *path, const json_t *object);

static ProtobufCMessage *new_message(
    const struct rg_message_reader *reader,
    const ProtobufCMessageDescriptor *descriptor) {
  ProtobufCMessage *message = malloc(descriptor->sizeof_message);
  if (message != NULL)
    descriptor->message_init(message);
  else
    rg_faults_add_out_of_memory(reader->faults);
  return message;
}

static ProtobufCMessage *read_duration(
    const struct rg_value *value,
    const ProtobufCMessageDescriptor *descriptor) {
  struct rg_duration duration;
  if (!rg_value_read_duration(value, &duration)) return NULL;
  ProtobufCMessage *message = new_message(value->reader, descriptor);
  if (message != NULL) rg_message_set_duration(message, duration);
  return message;
}

static ProtobufCMessage *read_message(const struct rg_value *value) {
  const ProtobufCMessageDescriptor *descriptor = value->field->descriptor;
  if (rg_message_is_duration(descriptor))
    return read_duration(value, descriptor);
  if (json_is_object(value->json))
    return read_fields(value->reader, descriptor, &value->path, value->json);
  rg_value_fault_kind(value, "an object");
  return NULL;
}

static bool read_one(const struct rg_value *value, void *slot) {
  if (value->field->type != PROTOBUF_C_TYPE_MESSAGE)
    return rg_value_read_scalar(value, slot);
  ProtobufCMessage *message = read_message(value);
  if (message == NULL) return false;
  memcpy(slot, &message, sizeof message);
  return true;
}

/* The elements that can be read; faults at the others. */
static size_t read_elements(const struct rg_value *array, char *slots) {
  size_t size = rg_field_size(array->field);
  size_t count = 0;
  for (size_t i = 0; i < json_array_size(array->json); i++) {
    struct rg_value element = *array;
    element.path = (struct rg_json_path){.parent = &array->path, .index = i};
    element.json = json_array_get(array->json, i);
    if (read_one(&element, slots + count * size)) count++;
  }
  return count;
}

static void read_repeated(const struct rg_value *value,
                          ProtobufCMessage *message) {
  if (!json_is_array(value->json)) {
    rg_value_fault_kind(value, "an array");
    return;
  }
  size_t length = json_array_size(value->json);
  if (length == 0) return;
  char *slots = calloc(length, rg_field_size(value->field));
  if (slots == NULL) {
    rg_faults_add_out_of_memory(value->reader->faults);
    return;
  }
  memcpy(rg_field_at(message, value->field), &slots, sizeof slots);
  rg_field_set_count(message, value->field, read_elements(value, slots));
}

static void read_field(const struct rg_value *value,
                       ProtobufCMessage *message) {
  if (value->field->label == PROTOBUF_C_LABEL_REPEATED)
    read_repeated(value, message);
  else if (read_one(value, rg_field_at(message, value->field)))
    rg_field_mark_set(message, value->field);
}

/* Writes "disabled, tokenBucket, window". */
static void list_fields(const ProtobufCMessageDescriptor *descriptor,
                        char *names) {
  size_t used = 0;
  names[0] = '\0';
  for (unsigned i = 0; i < descriptor->n_fields && used < NAMES_SIZE; i++) {
    char name[RG_FIELD_NAME_SIZE];
    rg_field_json_name(&descriptor->fields[i], name);
    used += (size_t)snprintf(names + used, NAMES_SIZE - used, "%s%s",
                             i > 0 ? ", " : "", name);
  }
}

static void fault_unknown(const struct rg_value *value) {
  char names[NAMES_SIZE];
  list_fields(value->message, names);
  rg_json_path_fault(&value->path, value->reader->faults, RG_FAULT_UNKNOWN,
                     "is unknown; known here: %s", names);
}

/* What `object` says about `field`, under whatever name; null is absent. */
static const json_t *value_of(const json_t *object,
                              const ProtobufCFieldDescriptor *field) {
  char name[RG_FIELD_NAME_SIZE];
  rg_field_json_name(field, name);
  const json_t *value = json_object_get(object, name);
  if (value == NULL || json_is_null(value))
    value = json_object_get(object, field->name);
  return value != NULL && !json_is_null(value) ? value : NULL;
}

/* A member of the oneof of `field` that stands before it in the schema and is
 * given as well; NULL: none. */
static const ProtobufCFieldDescriptor *rival(
    const ProtobufCMessageDescriptor *descriptor,
    const ProtobufCFieldDescriptor *field, const json_t *object) {
  if (!rg_field_is_in_oneof(field)) return NULL;
  for (const ProtobufCFieldDescriptor *f = descriptor->fields; f < field; f++)
    if (rg_field_is_in_oneof(f) &&
        f->quantifier_offset == field->quantifier_offset &&
        value_of(object, f) != NULL)
      return f;
  return NULL;
}

static void fault_rival(const struct rg_value *value,
                        const ProtobufCFieldDescriptor *other) {
  char name[RG_FIELD_NAME_SIZE];
  rg_field_json_name(other, name);
  rg_json_path_fault(&value->path, value->reader->faults, RG_FAULT_DUPLICATE,
                     "must not stand beside %s", name);
}

static void read_known(const struct rg_value *value, const char *key,
                       const json_t *object, ProtobufCMessage *message) {
  const char *name = value->path.key;
  if (strcmp(key, name) != 0 && json_object_get(object, name) != NULL) {
    rg_json_path_fault(&value->path, value->reader->faults, RG_FAULT_DUPLICATE,
                       "is given twice: as %s and as %s", name, key);
    return;
  }
  if (json_is_null(value->json)) return;
  const ProtobufCFieldDescriptor *other =
      rival(value->message, value->field, object);
  if (other != NULL)
    fault_rival(value, other);
  else
    read_field(value, message);
}

static void read_member(const struct rg_message_reader *reader,
                        const struct rg_json_path *path, const char *key,
                        const json_t *object, ProtobufCMessage *message) {
  struct rg_value value = {
      .reader = reader,
      .message = message->descriptor,
      .field = rg_field_find(message->descriptor, key),
      .path = {.parent = path, .key = key},
      .json = json_object_get(object, key),
  };
  if (value.field == NULL) {
    fault_unknown(&value);
    return;
  }
  char name[RG_FIELD_NAME_SIZE];
  rg_field_json_name(value.field, name);
  value.path.key = name;
  read_known(&value, key, object, message);
}

static ProtobufCMessage *read_fields(
    const struct rg_message_reader *reader,
    const ProtobufCMessageDescriptor *descriptor,
    const struct rg_json_path *path, const json_t *object) {
  ProtobufCMessage *message = new_message(reader, descriptor);
  if (message == NULL) return NULL;
  for (void *i = json_object_iter((json_t *)object); i != NULL;
       i = json_object_iter_next((json_t *)object, i))
    read_member(reader, path, json_object_iter_key(i), object, message);
  return message;
}

ProtobufCMessage *rg_message_from_value(
    const ProtobufCMessageDescriptor *descriptor, const json_t *value,
    const struct rg_json_path *path, rg_range_text *range_text,
    struct rg_faults *faults) {
  const struct rg_message_reader reader = {range_text, faults};
  if (json_is_object(value))
    return read_fields(&reader, descriptor, path, value);
  rg_json_path_fault(path, faults, RG_FAULT_TYPE, "must be an object, got %s",
                     rg_json_text_kind(value));
  return NULL;
}

ProtobufCMessage *rg_message_from_json(
    const ProtobufCMessageDescriptor *descriptor, const char *json,
    size_t length, const char *root, rg_range_text *range_text,
    struct rg_faults *faults) {
  const struct rg_json_path path = {.key = root};
  json_t *value = rg_json_text_load(json, length, root, faults);
  if (value == NULL) return NULL;
  ProtobufCMessage *message =
      rg_message_from_value(descriptor, value, &path, range_text, faults);
  json_decref(value);
  return message;
}
