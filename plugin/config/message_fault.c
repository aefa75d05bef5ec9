/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "config/json_text.h"
#include "config/message_value.h"
#include "config/text.h"

static void show(const json_t *json, char *text) {
  if (json_is_string(json))
    rg_text_quote(json_string_value(json), json_string_length(json), text);
  else if (json_is_real(json))
    rg_text_number(json_real_value(json), text);
  else
    snprintf(text, RG_TEXT_NUMBER_SIZE, "%" JSON_INTEGER_FORMAT,
             json_integer_value(json));
}

void rg_value_fault_kind(const struct rg_value *value, const char *what) {
  rg_json_path_fault(&value->path, value->reader->faults, RG_FAULT_TYPE,
                     "must be %s, got %s", what,
                     rg_json_text_kind(value->json));
}

void rg_value_fault(const struct rg_value *value, const char *what) {
  char got[RG_TEXT_QUOTED_SIZE];
  show(value->json, got);
  rg_json_path_fault(&value->path, value->reader->faults, RG_FAULT_VALUE,
                     "must be %s, got %s", what, got);
}

static const char *range_of_type(const struct rg_value *value) {
  switch (value->field->type) {
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
      return "[0, 4294967295]";
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
      return "[0, 18446744073709551615]";
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
      return "[-9223372036854775808, 9223372036854775807]";
    case PROTOBUF_C_TYPE_MESSAGE:
      return "[-315576000000s, 315576000000s]"; /* RG_DURATION_MAX_S */
    default:
      return "[-2147483648, 2147483647]";
  }
}

void rg_value_fault_range(const struct rg_value *value) {
  char text[RG_RANGE_TEXT_SIZE];
  rg_range_text *known = value->reader->range_text;
  bool narrower = known != NULL && known(value->message, value->field, text);
  char got[RG_TEXT_QUOTED_SIZE];
  show(value->json, got);
  rg_json_path_fault(&value->path, value->reader->faults, RG_FAULT_RANGE,
                     "must be in %s, got %s",
                     narrower ? text : range_of_type(value), got);
}
