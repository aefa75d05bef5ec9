/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/agenda.h"

#include <stdlib.h>

#define FIRST_CAPACITY 1024

void rg_agenda_clean_up(struct rg_agenda *agenda) {
  free(agenda->items);
  *agenda = (struct rg_agenda){0};
}

static bool make_room(struct rg_agenda *agenda) {
  if (agenda->count < agenda->capacity) return true;
  size_t capacity =
      agenda->capacity > 0 ? 2 * agenda->capacity : FIRST_CAPACITY;
  struct rg_appointment *items =
      realloc(agenda->items, capacity * sizeof items[0]);
  if (items == NULL) return false;
  agenda->items = items;
  agenda->capacity = capacity;
  return true;
}

static bool is_before(const struct rg_appointment *a,
                      const struct rg_appointment *b) {
  return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void sift_up(struct rg_agenda *agenda, struct rg_appointment item) {
  size_t i = agenda->count - 1;
  while (i > 0 && is_before(&item, &agenda->items[(i - 1) / 2])) {
    agenda->items[i] = agenda->items[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  agenda->items[i] = item;
}

bool rg_agenda_plan(struct rg_agenda *agenda, uint64_t at, rg_happening *happen,
                    void *subject, uint32_t serial) {
  if (!make_room(agenda)) return false;
  agenda->count++;
  sift_up(agenda, (struct rg_appointment){.at = at,
                                          .order = agenda->planned++,
                                          .happen = happen,
                                          .subject = subject,
                                          .serial = serial});
  return true;
}

static size_t earlier_child(const struct rg_agenda *agenda, size_t i) {
  size_t left = 2 * i + 1;
  bool right = left + 1 < agenda->count &&
               is_before(&agenda->items[left + 1], &agenda->items[left]);
  return right ? left + 1 : left;
}

static void sift_down(struct rg_agenda *agenda, struct rg_appointment item) {
  size_t i = 0;
  while (2 * i + 1 < agenda->count) {
    size_t child = earlier_child(agenda, i);
    if (!is_before(&agenda->items[child], &item)) break;
    agenda->items[i] = agenda->items[child];
    i = child;
  }
  agenda->items[i] = item;
}

bool rg_agenda_next(struct rg_agenda *agenda, struct rg_appointment *next) {
  if (agenda->count == 0) return false;
  *next = agenda->items[0];
  agenda->count--;
  if (agenda->count > 0) sift_down(agenda, agenda->items[agenda->count]);
  return true;
}
