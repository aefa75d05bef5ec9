/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/methods.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "retry_guard/v1/descriptor_set.pb-c.h"

typedef RetryGuard__V1__FileDescriptorSet Set;
typedef RetryGuard__V1__FileDescriptorProto File;
typedef RetryGuard__V1__ServiceDescriptorProto Service;
typedef RetryGuard__V1__MethodDescriptorProto Method;

#define ROOT "" /* the whole set */

struct reader {
  struct rg_methods *methods;
  struct rg_faults *faults;
  size_t capacity;
  json_t *seen; /* the paths so far: an object used as a set */
};

/* ---- Names --------------------------------------------------------------- */

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Words of letters and digits, with dots between them. */
static bool is_dotted_name(const char *name) {
  if (strlen(name) > RG_METHODS_MAX_NAME_BYTES) return false;
  for (bool at_begin = true;; name++) {
    if (at_begin && !is_letter(*name)) return false;
    if (*name == '\0') return true;
    at_begin = *name == '.';
    if (!at_begin && !is_letter(*name) && !is_digit(*name)) return false;
  }
}

static bool is_name(const char *name) {
  return is_dotted_name(name) && strchr(name, '.') == NULL;
}

/* protoc makes no such names, so this is something else, or damaged. */
static bool check_name(struct reader *reader, bool good, const char *what) {
  if (!good)
    rg_faults_add(reader->faults, RG_FAULT_SYNTAX, ROOT,
                  "is damaged or no descriptor set: it has a %s without a "
                  "proper name",
                  what);
  return good;
}

/* "package.Service/Method", to be freed; NULL without memory. */
static char *join_path(const File *file, const Service *service,
                       const Method *method) {
  char *path = NULL;
  const char *dot = file->package[0] != '\0' ? "." : "";
  int length = asprintf(&path, "%s%s%s/%s", file->package, dot, service->name,
                        method->name);
  return length >= 0 ? path : NULL;
}

/* ---- Methods ------------------------------------------------------------- */

static bool is_safe(const Method *method) {
  if (method->options == NULL) return false;
  switch (method->options->idempotency_level) {
    case RETRY_GUARD__V1__METHOD_OPTIONS__IDEMPOTENCY_LEVEL__NO_SIDE_EFFECTS:
    case RETRY_GUARD__V1__METHOD_OPTIONS__IDEMPOTENCY_LEVEL__IDEMPOTENT:
      return true;
    default:
      return false;
  }
}

static bool make_room(struct reader *reader) {
  struct rg_methods *methods = reader->methods;
  if (methods->count < reader->capacity) return true;
  size_t capacity = reader->capacity == 0 ? 64 : reader->capacity * 2;
  struct rg_method *items = realloc(methods->items, capacity * sizeof items[0]);
  if (items == NULL) return false;
  methods->items = items;
  reader->capacity = capacity;
  return true;
}

/* Takes `path`. */
static bool add_path(struct reader *reader, char *path, bool safe) {
  struct rg_methods *methods = reader->methods;
  if (path == NULL || !make_room(reader) ||
      json_object_set_new_nocheck(reader->seen, path, json_true()) != 0) {
    rg_faults_add_out_of_memory(reader->faults);
    free(path);
    return false;
  }
  methods->items[methods->count++] =
      (struct rg_method){path, (size_t)(strchr(path, '/') - path), safe};
  methods->safe_count += safe ? 1 : 0;
  return true;
}

/* gRPC refuses a service config that names a method twice. */
static bool is_new(struct reader *reader, const char *path) {
  if (path == NULL || json_object_get(reader->seen, path) == NULL) return true;
  rg_faults_add(reader->faults, RG_FAULT_DUPLICATE, path, "is described twice");
  return false;
}

static bool read_method(struct reader *reader, const File *file,
                        const Service *service, const Method *method) {
  if (!check_name(reader, is_name(method->name), "method")) return false;
  if (reader->methods->count == RG_METHODS_MAX) {
    rg_faults_add(reader->faults, RG_FAULT_RANGE, ROOT,
                  "has more than %d methods", RG_METHODS_MAX);
    return false;
  }
  char *path = join_path(file, service, method);
  if (is_new(reader, path)) return add_path(reader, path, is_safe(method));
  free(path);
  return false;
}

static bool read_service(struct reader *reader, const File *file,
                         const Service *service) {
  if (!check_name(reader, is_name(service->name), "service")) return false;
  for (size_t i = 0; i < service->n_method; i++)
    if (!read_method(reader, file, service, service->method[i])) return false;
  return true;
}

static bool read_file(struct reader *reader, const File *file) {
  bool named = file->package[0] == '\0' || is_dotted_name(file->package);
  if (!check_name(reader, named, "package")) return false;
  for (size_t i = 0; i < file->n_service; i++)
    if (!read_service(reader, file, file->service[i])) return false;
  return true;
}

static bool read_set(struct reader *reader, const Set *set) {
  for (size_t i = 0; i < set->n_file; i++)
    if (!read_file(reader, set->file[i])) return false;
  if (set->n_file == 0)
    rg_faults_add(reader->faults, RG_FAULT_SYNTAX, ROOT,
                  "is empty or no descriptor set");
  else if (reader->methods->count == 0)
    rg_faults_add(reader->faults, RG_FAULT_MISSING, ROOT,
                  "describes no methods");
  return reader->methods->count > 0;
}

bool rg_methods_read(const void *bytes, size_t length,
                     struct rg_methods *methods, struct rg_faults *faults) {
  *methods = (struct rg_methods){.items = NULL};
  struct reader reader = {.methods = methods, .faults = faults};
  Set *set = retry_guard__v1__file_descriptor_set__unpack(NULL, length, bytes);
  bool good = false;
  if (set == NULL)
    rg_faults_add(faults, RG_FAULT_SYNTAX, ROOT,
                  "is damaged or no descriptor set");
  else if ((reader.seen = json_object()) == NULL)
    rg_faults_add_out_of_memory(faults);
  else
    good = read_set(&reader, set);
  json_decref(reader.seen);
  retry_guard__v1__file_descriptor_set__free_unpacked(set, NULL);
  if (!good) rg_methods_clean_up(methods);
  return good;
}

void rg_methods_clean_up(struct rg_methods *methods) {
  for (size_t i = 0; i < methods->count; i++) free(methods->items[i].path);
  free(methods->items);
  *methods = (struct rg_methods){.items = NULL};
}
