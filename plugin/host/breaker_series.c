/* SPDX-License-Identifier: Apache-2.0 */
#include "host/breaker_series.h"

#include <stdlib.h>
#include <string.h>

#include "core/num.h"
#include "host/breaker_report.h"

/* One name. While its breaker has a place, its tallies are there. */
struct rg_breaker_series {
  struct rg_breaker_series *next;
  uint64_t hash;
  uint64_t tallies[RG_TALLIES];
  uint64_t left_at;                /* without a place */
  struct rg_scoped_breaker *place; /* NULL: none */
  char name[RG_BREAKER_NAME_SIZE];
};

static size_t series_count; /* in the process; under the lock */

/* ---- Places change hands ------------------------------------------------- */

void rg_breaker_series_leave(struct rg_breakers *breakers,
                             struct rg_scoped_breaker *place, uint64_t now) {
  struct rg_breaker_series *series = place->series;
  uint64_t *kept = series != NULL ? series->tallies : breakers->nameless;
  for (int i = 0; i < RG_TALLIES; i++)
    kept[i] +=
        atomic_exchange_explicit(&place->tallies[i], 0, memory_order_relaxed);
  place->series = NULL;
  place->crowded = false;
  if (series == NULL) return;
  series->place = NULL;
  series->left_at = now;
}

static void attach(struct rg_breaker_series *series,
                   struct rg_scoped_breaker *place) {
  for (int i = 0; i < RG_TALLIES; i++)
    atomic_fetch_add_explicit(&place->tallies[i], series->tallies[i],
                              memory_order_relaxed);
  memset(series->tallies, 0, sizeof series->tallies);
  series->place = place;
  place->series = series;
}

void rg_breaker_series_enter(struct rg_breakers *breakers,
                             struct rg_scoped_breaker *place, uint64_t hash) {
  struct rg_breaker_series *series = breakers->series;
  while (series != NULL && series->hash != hash) series = series->next;
  if (series != NULL) attach(series, place);
}

/* ---- Names --------------------------------------------------------------- */

static void drop(struct rg_breaker_series **link) {
  struct rg_breaker_series *gone = *link;
  *link = gone->next;
  series_count--;
  free(gone);
}

/* Its counters begin anew if it ever comes back, as after a restart. */
static void forget_old(struct rg_breakers *breakers, uint64_t now) {
  struct rg_breaker_series **link = &breakers->series;
  while (*link != NULL) {
    struct rg_breaker_series *series = *link;
    bool old =
        series->place == NULL && rg_num_sub(now, series->left_at) >
                                     RG_BREAKER_SERIES_KEPT_S * RG_NS_PER_S;
    if (old)
      drop(link);
    else
      link = &series->next;
  }
}

/* Two series of one name would spoil the whole text for its reader. */
static bool is_free_name(const struct rg_breakers *breakers, const char *name) {
  size_t count = 0;
  const struct rg_breaker_series *series = breakers->series;
  if (series_count >= RG_BREAKER_SERIES_MAX) return false;
  for (; series != NULL; series = series->next, count++)
    if (strcmp(series->name, name) == 0) return false;
  return count < RG_BREAKER_SERIES_OF_TARGET_MAX;
}

/* A name that may have been cut is none to tell breakers apart by. */
static bool is_tellable(const char *name) {
  return name[0] != '\0' && strlen(name) < RG_BREAKER_NAME_SIZE - 1 &&
         strcmp(name, RG_BREAKER_SERIES_CROWD) != 0;
}

static bool has_opened(struct rg_scoped_breaker *place) {
  return atomic_load_explicit(&place->tallies[RG_TALLY_OPENED],
                              memory_order_relaxed) > 0;
}

/* What was told of without a name gets none: its counters would go from one
 * series to another. */
static bool may_be_named(const struct rg_breakers *breakers,
                         struct rg_scoped_breaker *place) {
  return place->series == NULL && !place->crowded && has_opened(place) &&
         is_tellable(place->name) && is_free_name(breakers, place->name);
}

/* A place whose breaker is to get a name; NULL: none. */
static struct rg_scoped_breaker *unnamed(struct rg_breakers *breakers) {
  struct rg_scoped_breaker *place = atomic_load(&breakers->scoped);
  for (int i = 0; place != NULL && i < RG_BREAKERS_MAX; i++, place++)
    if (may_be_named(breakers, place)) return place;
  return NULL;
}

/* Gives a name, if there is one to give, with `spare`; true: that was all. */
static bool give_name(struct rg_breakers *breakers,
                      struct rg_breaker_series **spare) {
  struct rg_scoped_breaker *place = unnamed(breakers);
  if (place == NULL) return true;
  struct rg_breaker_series *series = *spare;
  if (series == NULL) return false;
  *spare = NULL;
  *series = (struct rg_breaker_series){.next = breakers->series,
                                       .hash = atomic_load(&place->hash)};
  strcpy(series->name, place->name);
  breakers->series = series;
  series_count++;
  attach(series, place);
  return false;
}

/* Nothing is allocated under the lock. */
static void give_names(struct rg_breakers *breakers) {
  struct rg_breaker_series *spare = NULL;
  for (;;) {
    rg_breakers_lock();
    bool all = give_name(breakers, &spare);
    rg_breakers_unlock();
    if (all || (spare = malloc(sizeof *spare)) == NULL) break;
  }
  free(spare);
}

/* ---- Telling ------------------------------------------------------------- */

static void add_tallies(struct rg_told_breaker *told,
                        const uint64_t tallies[RG_TALLIES]) {
  for (int i = 0; i < RG_TALLIES; i++) told->tallies[i] += tallies[i];
}

static void add_place(const struct rg_breakers *breakers,
                      struct rg_scoped_breaker *place, uint64_t now,
                      struct rg_told_breaker *told) {
  struct rg_breaker_look look;
  for (int i = 0; i < RG_TALLIES; i++)
    told->tallies[i] +=
        atomic_load_explicit(&place->tallies[i], memory_order_relaxed);
  if (rg_breaker_report_looks(breakers, place, now, &look))
    told->states[look.state]++;
}

static size_t tell_named(const struct rg_breakers *breakers, uint64_t now,
                         struct rg_told_breaker *told) {
  size_t count = 0;
  const struct rg_breaker_series *series = breakers->series;
  for (; series != NULL; series = series->next, count++) {
    told[count] = (struct rg_told_breaker){.tallies = {0}};
    strcpy(told[count].name, series->name);
    if (series->place != NULL)
      add_place(breakers, series->place, now, &told[count]);
    else
      add_tallies(&told[count], series->tallies);
  }
  return count;
}

/* False: there are and were none. */
static bool tell_crowd(const struct rg_breakers *breakers, uint64_t now,
                       struct rg_told_breaker *crowd) {
  *crowd = (struct rg_told_breaker){.name = RG_BREAKER_SERIES_CROWD};
  add_tallies(crowd, breakers->nameless);
  struct rg_scoped_breaker *place = atomic_load(&breakers->scoped);
  for (int i = 0; place != NULL && i < RG_BREAKERS_MAX; i++, place++)
    if (place->series == NULL && has_opened(place) &&
        !may_be_named(breakers, place)) {
      place->crowded = true;
      add_place(breakers, place, now, crowd);
    }
  return crowd->tallies[RG_TALLY_OPENED] > 0;
}

size_t rg_breaker_series_tell(struct rg_breakers *breakers, uint64_t now,
                              struct rg_told_breaker *told) {
  if (atomic_load(&breakers->scoped) == NULL) return 0;
  give_names(breakers);
  rg_breakers_lock();
  forget_old(breakers, now);
  size_t count = tell_named(breakers, now, told);
  if (tell_crowd(breakers, now, &told[count])) count++;
  rg_breakers_unlock();
  return count;
}

void rg_breaker_series_clean_up(struct rg_breakers *breakers) {
  if (breakers->series == NULL) return;
  rg_breakers_lock();
  while (breakers->series != NULL) drop(&breakers->series);
  rg_breakers_unlock();
}
