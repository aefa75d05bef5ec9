/* SPDX-License-Identifier: Apache-2.0 */

/* Checks properties and prints a line for each; exit code 1: one is broken.
 *
 *   rg_verify [--trace] [--torn] [--short | --list] [PART OF A NAME]
 *
 * --trace prints the steps that broke one; --torn tears each read-modify-write
 * in two, a fault that most must find; --short leaves out what takes longer;
 * --list prints names only. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "search.h"

static const struct rg_property *const all[] = {
    rg_window_properties,       rg_token_bucket_properties,
    rg_retry_window_properties, rg_budget_properties,
    rg_breaker_properties,
};

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool check(const struct rg_property *property, bool trace) {
  double begin = seconds();
  struct rg_search result = rg_search_all(property, trace);
  if (result.broken)
    printf("%s: BROKEN, %s\n", property->name, result.broken);
  else
    printf("%s: holds in %.3g interleavings (%zu states, %.1f s)\n",
           property->name, result.interleavings, result.states,
           seconds() - begin);
  fflush(stdout);
  return result.broken == NULL;
}

struct options {
  const char *part;
  bool trace, list, quick;
};

static struct options options_of(int argc, char **argv) {
  struct options options = {.part = ""};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--trace") == 0)
      options.trace = true;
    else if (strcmp(argv[i], "--torn") == 0)
      rg_step_torn = true;
    else if (strcmp(argv[i], "--short") == 0)
      options.quick = true;
    else if (strcmp(argv[i], "--list") == 0)
      options.list = true;
    else
      options.part = argv[i];
  }
  return options;
}

static bool is_asked_for(const struct rg_property *property,
                         const struct options *options) {
  return strstr(property->name, options->part) != NULL &&
         !(options->quick && property->slow);
}

/* The number of properties that are broken; adds to `asked_for`. */
static int check_file(const struct rg_property *properties,
                      const struct options *options, int *asked_for) {
  int broken = 0;
  for (const struct rg_property *p = properties; p->name != NULL; p++) {
    if (!is_asked_for(p, options)) continue;
    ++*asked_for;
    if (options->list)
      puts(p->name);
    else
      broken += !check(p, options->trace);
  }
  return broken;
}

int main(int argc, char **argv) {
  struct options options = options_of(argc, argv);
  int asked_for = 0;
  int broken = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    broken += check_file(all[i], &options, &asked_for);
  if (asked_for > 0) return broken > 0;
  fprintf(stderr, "There is no property '%s'.\n", options.part);
  return 2;
}
