/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/figures.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exposition.h"

#define LABEL_SIZE 32

/* ---- Reading ------------------------------------------------------------- */

/* Each family names its targets in the same order: mostly it is the first, or
 * comes after the one of the sample before. */
struct reading {
  struct rg_figures *figures;
  size_t last;
  bool ours; /* a family of ours was there */
  bool whole;
};

/* Returns `items`, which hold `count` of `size` bytes, with room for one more,
 * or NULL. */
static void *grow(struct reading *reading, void *items, size_t count,
                  size_t *capacity, size_t size) {
  if (count == RG_FIGURES_MAX) return NULL;
  if (count < *capacity) return items;
  size_t more = *capacity == 0 ? 16 : 2 * *capacity;
  void *grown = realloc(items, more * size);
  reading->whole = reading->whole && grown != NULL;
  if (grown != NULL) *capacity = more;
  return grown;
}

static struct rg_figures_target *append(struct reading *reading,
                                        const char *name) {
  struct rg_figures *figures = reading->figures;
  void *grown = grow(reading, figures->targets, figures->count,
                     &figures->capacity, sizeof *figures->targets);
  if (grown == NULL) return NULL;
  figures->targets = grown;
  struct rg_figures_target *target = &figures->targets[figures->count++];
  *target = (struct rg_figures_target){.amplification = 0};
  strcpy(target->name, name);
  return target;
}

static struct rg_figures_target *target_of(struct reading *reading,
                                           const struct rg_sample *sample) {
  struct rg_figures *figures = reading->figures;
  char name[RG_FIGURES_NAME_SIZE];
  if (!rg_sample_label(sample, "target", name, sizeof name)) return NULL;
  for (size_t i = 0; i < figures->count; i++) {
    size_t at = (reading->last + i) % figures->count;
    if (strcmp(figures->targets[at].name, name) != 0) continue;
    reading->last = at;
    return &figures->targets[at];
  }
  return append(reading, name);
}

static bool has(const struct rg_sample *sample, const char *key,
                const char *wanted) {
  char value[LABEL_SIZE];
  return rg_sample_label(sample, key, value, sizeof value) &&
         strcmp(value, wanted) == 0;
}

static void take_stop(struct rg_figures_target *target,
                      const struct rg_sample *sample) {
  for (int i = 0; i < RETRY_GUARD_STOP_COUNT; i++)
    if (has(sample, "reason", retry_guard_stop_string((retry_guard_stop)i)))
      target->counts.stops[i] = sample->value;
}

static void take(struct rg_figures_target *target,
                 const struct rg_sample *sample) {
  if (rg_sample_is(sample, "retry_guard_calls_total"))
    target->counts.calls = sample->value;
  else if (rg_sample_is(sample, "retry_guard_attempts_total") &&
           has(sample, "kind", "retry"))
    target->counts.retries = sample->value;
  else if (rg_sample_is(sample, "retry_guard_retries_stopped_total"))
    take_stop(target, sample);
  else if (rg_sample_is(sample, "retry_guard_amplification_ratio"))
    target->amplification = sample->value;
  else if (rg_sample_is(sample, "retry_guard_amplification_alarm"))
    target->alarm = sample->value > 0;
  else if (rg_sample_is(sample, "retry_guard_budget_tokens"))
    target->tokens = sample->value;
  else if (rg_sample_is(sample, "retry_guard_breaker_state") &&
           has(sample, "state", "open"))
    target->open = sample->value;
  else if (rg_sample_is(sample, "retry_guard_breaker_state") &&
           has(sample, "state", "half_open"))
    target->half_open = sample->value;
}

static void take_breaker(struct reading *reading,
                         const struct rg_sample *sample) {
  struct rg_figures *figures = reading->figures;
  bool open = has(sample, "state", "open");
  if (sample->value <= 0 || (!open && !has(sample, "state", "half_open")))
    return;
  void *grown = grow(reading, figures->breakers, figures->breaker_count,
                     &figures->breaker_capacity, sizeof *figures->breakers);
  if (grown == NULL) return;
  figures->breakers = grown;
  struct rg_figures_breaker *breaker =
      &figures->breakers[figures->breaker_count++];
  *breaker = (struct rg_figures_breaker){.open = open, .count = sample->value};
  rg_sample_label(sample, "target", breaker->target, sizeof breaker->target);
  rg_sample_label(sample, "scope", breaker->name, sizeof breaker->name);
}

static void read_line(struct reading *reading, const char *line,
                      size_t length) {
  struct rg_sample sample;
  if (!rg_sample_read(line, length, &sample)) return;
  if (rg_sample_is(&sample, "retry_guard_build_info")) reading->ours = true;
  if (rg_sample_is(&sample, "retry_guard_scope_breaker_state"))
    take_breaker(reading, &sample);
  struct rg_figures_target *target = target_of(reading, &sample);
  if (target != NULL) take(target, &sample);
}

static int by_name(const void *a, const void *b) {
  const struct rg_figures_target *left = a;
  const struct rg_figures_target *right = b;
  return strcmp(left->name, right->name);
}

static int open_first(const void *a, const void *b) {
  const struct rg_figures_breaker *left = a;
  const struct rg_figures_breaker *right = b;
  if (left->open != right->open) return left->open ? -1 : 1;
  int order = strcmp(left->target, right->target);
  return order != 0 ? order : strcmp(left->name, right->name);
}

bool rg_figures_read(const char *text, size_t length,
                     struct rg_figures *figures) {
  struct reading reading = {.figures = figures, .whole = true};
  *figures = (struct rg_figures){.targets = NULL};
  const char *end = text + length;
  for (const char *line = text; line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if (stop == NULL) stop = end;
    read_line(&reading, line, (size_t)(stop - line));
    line = stop + 1;
  }
  if (reading.ours && reading.whole) {
    if (figures->count > 1)
      qsort(figures->targets, figures->count, sizeof *figures->targets,
            by_name);
    if (figures->breaker_count > 1)
      qsort(figures->breakers, figures->breaker_count,
            sizeof *figures->breakers, open_first);
    return true;
  }
  rg_figures_clean_up(figures);
  return false;
}

void rg_figures_clean_up(struct rg_figures *figures) {
  free(figures->targets);
  free(figures->breakers);
  *figures = (struct rg_figures){.targets = NULL};
}

/* ---- Rates --------------------------------------------------------------- */

static void make_rate(double *now, double before, double seconds) {
  double rise = *now >= before ? *now - before : *now;
  *now = rise / seconds;
}

static void make_rates(struct rg_figures_counts *now,
                       const struct rg_figures_counts *before, double seconds) {
  make_rate(&now->calls, before->calls, seconds);
  make_rate(&now->retries, before->retries, seconds);
  for (int i = 0; i < RETRY_GUARD_STOP_COUNT; i++)
    make_rate(&now->stops[i], before->stops[i], seconds);
}

void rg_figures_make_rates(struct rg_figures *now,
                           const struct rg_figures *before, double seconds) {
  static const struct rg_figures_counts none = {.calls = 0};
  for (size_t i = 0; i < now->count; i++) {
    const struct rg_figures_target *old = NULL;
    if (before->count > 0)
      old = bsearch(&now->targets[i], before->targets, before->count,
                    sizeof *before->targets, by_name);
    make_rates(&now->targets[i].counts, old != NULL ? &old->counts : &none,
               seconds);
  }
}

/* ---- Order --------------------------------------------------------------- */

static double trouble_of(const struct rg_figures_target *target) {
  double sum = target->counts.retries;
  for (int i = 0; i < RETRY_GUARD_STOP_COUNT; i++)
    sum += target->counts.stops[i];
  return sum;
}

static int by_trouble(const void *a, const void *b) {
  const struct rg_figures_target *left = a;
  const struct rg_figures_target *right = b;
  double more = trouble_of(right) - trouble_of(left);
  if (more == 0) more = right->counts.calls - left->counts.calls;
  if (more != 0) return more > 0 ? 1 : -1;
  return by_name(a, b);
}

void rg_figures_sort(struct rg_figures *figures) {
  if (figures->count > 1)
    qsort(figures->targets, figures->count, sizeof *figures->targets,
          by_trouble);
}
