/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/guests.h"

#include <string.h>

static void remove_at(struct rg_guests *guests, size_t at) {
  guests->count--;
  memmove(&guests->sockets[at], &guests->sockets[at + 1],
          (guests->count - at) * sizeof guests->sockets[0]);
}

int rg_guests_enter(struct rg_guests *guests, int socket) {
  int oldest = RG_GUESTS_NOBODY;
  if (guests->count == RG_GUESTS_MAX) {
    oldest = guests->sockets[0];
    remove_at(guests, 0);
  }
  guests->sockets[guests->count++] = socket;
  return oldest;
}

void rg_guests_leave(struct rg_guests *guests, int socket) {
  for (size_t i = 0; i < guests->count; i++) {
    if (guests->sockets[i] != socket) continue;
    remove_at(guests, i);
    return;
  }
}
