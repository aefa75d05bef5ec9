/* SPDX-License-Identifier: Apache-2.0 */
#include "config/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"

const char *rg_fault_kind_name(enum rg_fault_kind kind) {
  static const char *const names[RG_FAULT_KIND_COUNT] = {
      [RG_FAULT_SYNTAX] = "syntax",     [RG_FAULT_DUPLICATE] = "duplicate",
      [RG_FAULT_UNKNOWN] = "unknown",   [RG_FAULT_MISSING] = "missing",
      [RG_FAULT_TYPE] = "type",         [RG_FAULT_RANGE] = "range",
      [RG_FAULT_VALUE] = "value",       [RG_FAULT_PLACE] = "place",
      [RG_FAULT_IGNORED] = "ignored",   [RG_FAULT_MISREAD] = "misread",
      [RG_FAULT_FUTILE] = "futile",     [RG_FAULT_RISK] = "risk",
      [RG_FAULT_CONFLICT] = "conflict",
  };
  return names[kind];
}

void rg_faults_init(struct rg_faults *faults) {
  *faults = (struct rg_faults){.limit = RG_FAULTS_MAX};
}

void rg_faults_clean_up(struct rg_faults *faults) {
  for (size_t i = 0; i < faults->count; i++) {
    free(faults->items[i].path);
    free(faults->items[i].message);
  }
  free(faults->items);
  rg_faults_init(faults);
}

bool rg_faults_empty(const struct rg_faults *faults) {
  return rg_faults_total(faults) == 0;
}

size_t rg_faults_total(const struct rg_faults *faults) {
  return faults->count + faults->unlisted;
}

void rg_faults_add(struct rg_faults *faults, enum rg_fault_kind kind,
                   const char *path, const char *format, ...) {
  va_list args;
  va_start(args, format);
  rg_faults_vadd(faults, kind, path, format, args);
  va_end(args);
}

static bool reserve(struct rg_faults *faults) {
  if (faults->count < faults->capacity) return true;
  size_t capacity = faults->capacity > 0 ? 2 * faults->capacity : 4;
  struct rg_fault *items =
      realloc(faults->items, capacity * sizeof faults->items[0]);
  if (items == NULL) return false;
  faults->items = items;
  faults->capacity = capacity;
  return true;
}

static char *copy_text(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static char *format_text(const char *format, va_list args)
    __attribute__((format(printf, 1, 0)));
static char *format_text(const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
  if (text != NULL) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

void rg_faults_vadd(struct rg_faults *faults, enum rg_fault_kind kind,
                    const char *path, const char *format, va_list args) {
  if (faults->count >= faults->limit) {
    faults->unlisted++;
    return;
  }
  struct rg_fault fault = {kind, copy_text(path), format_text(format, args)};
  if (fault.path != NULL && fault.message != NULL && reserve(faults)) {
    rg_text_printable(fault.path);
    rg_text_printable(fault.message);
    faults->items[faults->count++] = fault;
    return;
  }
  free(fault.path);
  free(fault.message);
  rg_faults_add_out_of_memory(faults);
}

void rg_faults_add_out_of_memory(struct rg_faults *faults) {
  faults->out_of_memory = true;
  faults->unlisted++;
}
