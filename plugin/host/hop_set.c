/* SPDX-License-Identifier: Apache-2.0 */
#include "host/hop_set.h"

#include <stddef.h>
#include <stdint.h>

/* 32,768 server calls at once; a row is one cache line. 256 KiB that the kernel
 * backs only where they are written to. */
#define ROWS 4096
#define PLACES 8

struct row {
  _Alignas(64) RG_ATOMIC(uintptr_t) places[PLACES];
};

static struct row rows[ROWS];

static struct row *row_of(uintptr_t address) {
  /* Fibonacci hashing; arenas are aligned, so the low bits say little. */
  uint64_t hash = (uint64_t)(address >> 4) * UINT64_C(0x9e3779b97f4a7c15);
  return &rows[hash >> 52];
}

bool rg_hop_set_add(const void *hop) {
  uintptr_t address = (uintptr_t)hop;
  struct row *row = row_of(address);
  for (int i = 0; i < PLACES; i++) {
    uintptr_t empty = 0;
    if (atomic_load_explicit(&row->places[i], memory_order_relaxed) == 0 &&
        atomic_compare_exchange_strong(&row->places[i], &empty, address))
      return true;
  }
  return false;
}

static RG_ATOMIC(uintptr_t) * find(uintptr_t address) {
  struct row *row = row_of(address);
  for (int i = 0; i < PLACES; i++)
    if (atomic_load_explicit(&row->places[i], memory_order_acquire) == address)
      return &row->places[i];
  return NULL;
}

void rg_hop_set_remove(const void *hop) {
  RG_ATOMIC(uintptr_t) *place = find((uintptr_t)hop);
  if (place != NULL) atomic_store_explicit(place, 0, memory_order_release);
}

bool rg_hop_set_contains(const void *hop) {
  return hop != NULL && find((uintptr_t)hop) != NULL;
}
