/* SPDX-License-Identifier: Apache-2.0 */
#include "config/native_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/native_keys.h"

bool rg_native_names_init(struct rg_native_names *names) {
  names->paths = json_object();
  names->otherwise = RG_NATIVE_NO_ENTRY;
  return names->paths != NULL;
}

void rg_native_names_clean_up(struct rg_native_names *names) {
  json_decref(names->paths);
  names->paths = NULL;
}

/* "/service/method", to be freed; NULL when memory is out. */
static char *path_of(const char *service, const char *method) {
  size_t size = strlen(service) + strlen(method) + 3;
  char *path = malloc(size);
  if (path != NULL) snprintf(path, size, "/%s/%s", service, method);
  return path;
}

static void add_default(struct rg_native_names *names,
                        const struct rg_native *name, size_t number) {
  if (names->otherwise != RG_NATIVE_NO_ENTRY)
    rg_native_error(name, RG_FAULT_DUPLICATE,
                    "is for all methods, but methodConfig[%zu] is already",
                    names->otherwise);
  else
    names->otherwise = number;
}

static void add_path(struct rg_native_names *names,
                     const struct rg_native *name, const char *path,
                     size_t number) {
  const json_t *known = json_object_get(names->paths, path);
  if (known != NULL)
    rg_native_error(name, RG_FAULT_DUPLICATE,
                    "is %s, which methodConfig[%zu] is for already", path,
                    (size_t)json_integer_value(known));
  else if (json_object_set_new_nocheck(names->paths, path,
                                       json_integer((json_int_t)number)) != 0)
    rg_faults_add_out_of_memory(&name->reader->report->errors);
}

/* A text that is there, or "". As in gRPC, null is absent. */
static const char *text_or_empty(const struct rg_native *member) {
  const char *text = "";
  if (rg_native_is_given(member)) rg_native_string(member, &text);
  return text;
}

static void warn_of_slashes(const struct rg_native *member, const char *text) {
  if (strchr(text, '/') == NULL && strpbrk(text, " \t\n") == NULL) return;
  rg_native_warning(member, RG_FAULT_FUTILE,
                    "matches nothing: \"service\" is package.Service and "
                    "\"method\" the method alone, without \"/\" or spaces");
}

static void read_name(struct rg_native_names *names,
                      const struct rg_native *name, size_t number) {
  if (!rg_native_object(name)) return;
  rg_native_check_keys(name, RG_NATIVE_NAME);
  struct rg_native service = rg_native_member(name, "service");
  struct rg_native method = rg_native_member(name, "method");
  const char *service_text = text_or_empty(&service);
  const char *method_text = text_or_empty(&method);
  if (!json_is_string(service.json) && json_is_string(method.json)) {
    rg_native_error(name, RG_FAULT_MISSING,
                    "must have a \"service\", since it has a \"method\"");
  } else if (service_text[0] == '\0') {
    if (method_text[0] != '\0')
      rg_native_warning(&method, RG_FAULT_MISREAD,
                        "is not looked at, since \"service\" is empty: the "
                        "entry is for all methods of all services");
    add_default(names, name, number);
  } else {
    warn_of_slashes(&service, service_text);
    warn_of_slashes(&method, method_text);
    char *path = path_of(service_text, method_text);
    if (path != NULL)
      add_path(names, name, path, number);
    else
      rg_faults_add_out_of_memory(&name->reader->report->errors);
    free(path);
  }
}

void rg_native_names_read(struct rg_native_names *names,
                          const struct rg_native *entry, size_t number) {
  struct rg_native list = rg_native_member(entry, "name");
  if (!rg_native_is_absent(&list) && !rg_native_array(&list)) return;
  if (json_array_size(list.json) == 0)
    rg_native_warning(&list, RG_FAULT_FUTILE,
                      "names no method, so that this entry is for none; [{}] "
                      "is for all");
  for (size_t i = 0; i < json_array_size(list.json); i++) {
    struct rg_native name = rg_native_element(&list, i);
    read_name(names, &name, number);
  }
}

static bool is_path_of(const char *path, const char *service,
                       const char *method) {
  size_t length = strlen(service);
  return strncmp(path + 1, service, length) == 0 && path[length + 1] == '/' &&
         strcmp(path + length + 2, method) == 0;
}

/* One by one: to put the path together would take memory, and without it the
 * wrong entry would be found. */
static size_t find_path(const struct rg_native_names *names,
                        const char *service, const char *method) {
  const char *path;
  json_t *number;
  json_object_foreach(names->paths, path, number) {
    if (is_path_of(path, service, method))
      return (size_t)json_integer_value(number);
  }
  return RG_NATIVE_NO_ENTRY;
}

size_t rg_native_names_find(const struct rg_native_names *names,
                            const char *service, const char *method) {
  size_t number = find_path(names, service, method);
  if (number == RG_NATIVE_NO_ENTRY) number = find_path(names, service, "");
  return number != RG_NATIVE_NO_ENTRY ? number : names->otherwise;
}
