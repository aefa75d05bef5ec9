/* SPDX-License-Identifier: Apache-2.0 */
#include "config/message_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_SIZE 256
#define A_DURATION "a duration such as \"0.1s\""

static bool read_bool(const struct rg_value *value, void *slot) {
  if (!json_is_boolean(value->json)) {
    rg_value_fault_kind(value, "true or false");
    return false;
  }
  protobuf_c_boolean truth = json_is_true(value->json);
  memcpy(slot, &truth, sizeof truth);
  return true;
}

/* Writes "FULL, EQUAL or NATIVE". */
static void list_names(const ProtobufCEnumDescriptor *type, char *names) {
  size_t used = 0;
  names[0] = '\0';
  for (unsigned i = 0; i < type->n_values && used < NAMES_SIZE; i++) {
    bool last = i + 1 == type->n_values;
    const char *before = i == 0 ? "" : last ? " or " : ", ";
    used += (size_t)snprintf(names + used, NAMES_SIZE - used, "%s%s", before,
                             type->values[i].name);
  }
}

static bool has_nul(const json_t *string) {
  return strlen(json_string_value(string)) != json_string_length(string);
}

static const ProtobufCEnumValue *find_by_name(
    const ProtobufCEnumDescriptor *type, const json_t *name) {
  if (has_nul(name)) return NULL;
  return protobuf_c_enum_descriptor_get_value_by_name(type,
                                                      json_string_value(name));
}

static const ProtobufCEnumValue *find_by_number(
    const ProtobufCEnumDescriptor *type, json_int_t number) {
  for (unsigned i = 0; i < type->n_values; i++)
    if (type->values[i].value == number) return &type->values[i];
  return NULL;
}

static bool read_enum(const struct rg_value *value, void *slot) {
  const ProtobufCEnumDescriptor *type = value->field->descriptor;
  char names[NAMES_SIZE];
  list_names(type, names);
  if (!json_is_string(value->json) && !json_is_integer(value->json)) {
    rg_value_fault_kind(value, names);
    return false;
  }
  const ProtobufCEnumValue *found =
      json_is_string(value->json)
          ? find_by_name(type, value->json)
          : find_by_number(type, json_integer_value(value->json));
  if (found == NULL) {
    rg_value_fault(value, names);
    return false;
  }
  memcpy(slot, &found->value, sizeof found->value);
  return true;
}

static bool read_string(const struct rg_value *value, void *slot) {
  if (!json_is_string(value->json)) {
    rg_value_fault_kind(value, "a string");
    return false;
  }
  if (has_nul(value->json)) {
    rg_json_path_fault(&value->path, value->reader->faults, RG_FAULT_VALUE,
                       "must not contain a NUL character");
    return false;
  }
  size_t size = json_string_length(value->json) + 1;
  char *copy = malloc(size);
  if (copy == NULL) {
    rg_faults_add_out_of_memory(value->reader->faults);
    return false;
  }
  memcpy(copy, json_string_value(value->json), size);
  memcpy(slot, &copy, sizeof copy);
  return true;
}

bool rg_value_read_scalar(const struct rg_value *value, void *slot) {
  switch (value->field->type) {
    case PROTOBUF_C_TYPE_BOOL:
      return read_bool(value, slot);
    case PROTOBUF_C_TYPE_ENUM:
      return read_enum(value, slot);
    case PROTOBUF_C_TYPE_STRING:
      return read_string(value, slot);
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FLOAT:
      return rg_value_read_real(value, slot);
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
      rg_json_path_fault(&value->path, value->reader->faults, RG_FAULT_UNKNOWN,
                         "cannot be set in JSON");
      return false;
    default:
      return rg_value_read_integer(value, slot);
  }
}

bool rg_value_read_duration(const struct rg_value *value,
                            struct rg_duration *duration) {
  if (!json_is_string(value->json)) {
    rg_value_fault_kind(value, A_DURATION);
    return false;
  }
  switch (rg_duration_parse(json_string_value(value->json),
                            json_string_length(value->json), duration)) {
    case RG_DURATION_OK:
      return true;
    case RG_DURATION_MALFORMED:
      rg_value_fault(value, A_DURATION);
      return false;
    default:
      rg_value_fault_range(value);
      return false;
  }
}
