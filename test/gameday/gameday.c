/* SPDX-License-Identifier: Apache-2.0 */

/* rg_gameday: plays a scenario with real processes, and says beside what it saw
 * what the simulator sees. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gameday/crew.h"
#include "gameday/forecast.h"
#include "gameday/options.h"
#include "gameday/part.h"
#include "gameday/report.h"
#include "support/rpc.h"

#define SKIPPED 77

/* Of one variant; of several, the worst counts. */
enum verdict { AGREES, DIFFERS, TOO_LATE, FAILED };

struct day {
  struct rg_options options;
  struct rg_scenario *scenario;
  char scratch[64];
  char programs[PATH_MAX];
  size_t variants[RG_OPTIONS_VARIANTS];
  size_t count;
};

/* ---- What is played ------------------------------------------------------ */

static bool add_variant(struct day *day, const char *name) {
  size_t *number = &day->variants[day->count];
  if (!rg_scenario_find_variant(day->scenario, name, number)) return false;
  day->count++;
  return true;
}

static bool choose_variants(struct day *day) {
  const struct rg_options *options = &day->options;
  for (size_t i = 0; i < options->variant_count; i++) {
    if (add_variant(day, options->variants[i])) continue;
    fprintf(stderr, "there is no variant '%s'\n", options->variants[i]);
    return false;
  }
  if (day->count > 0) return true;
  add_variant(day, "plain");
  add_variant(day, "guarded");
  if (day->count > 0) return true;
  fputs("there is neither plain nor guarded: name a --variant\n", stderr);
  return false;
}

/* ---- Playing ------------------------------------------------------------- */

/* The crew that has something to do first; NULL: none has. */
static struct rg_crew *first_of(struct rg_crew *crews, size_t count,
                                uint64_t *at_ns) {
  struct rg_crew *first = NULL;
  for (size_t i = 0; i < count; i++) {
    uint64_t at;
    if (!rg_crew_next(&crews[i], &at)) continue;
    if (first != NULL && at >= *at_ns) continue;
    first = &crews[i];
    *at_ns = at;
  }
  return first;
}

static bool play_on(struct rg_crew *crews, size_t count) {
  struct rg_crew *crew;
  uint64_t at;
  while ((crew = first_of(crews, count, &at)) != NULL) {
    rg_part_sleep(at);
    if (!rg_crew_step(crew)) return false;
  }
  return true;
}

/* Plays `count` variants, from number `from` on, at the same time. */
static bool play(const struct day *day, size_t from, size_t count,
                 uint64_t seed, struct rg_tally *tallies) {
  struct rg_crew crews[RG_OPTIONS_VARIANTS] = {{.plan = NULL}};
  struct rg_crew_plan plans[RG_OPTIONS_VARIANTS];
  bool well = true;
  for (size_t i = 0; i < count; i++) {
    plans[i] = (struct rg_crew_plan){
        .programs = day->programs,
        .command = RG_COMMAND_PATH,
        .scratch = day->scratch,
        .metrics = day->options.metrics,
        .path = day->options.path,
        .fit = day->options.fit,
        .scenario = day->scenario,
        .variant = day->variants[from + i],
        .seed = seed,
    };
    rg_tally_init(&tallies[i], day->scenario);
    well = well && rg_crew_start(&crews[i], &plans[i]);
  }
  well = well && play_on(crews, count);
  for (size_t i = 0; i < count; i++)
    if (crews[i].plan != NULL)
      well = rg_crew_stop(&crews[i], &tallies[i]) && well;
  return well;
}

static enum verdict judge(const struct rg_tally *seen,
                          const struct rg_forecast *forecast) {
  if (!rg_tally_is_punctual(seen)) return TOO_LATE;
  return rg_forecast_amplification_is(forecast, seen) &&
                 rg_forecast_recovery_is(forecast, seen)
             ? AGREES
             : DIFFERS;
}

static enum verdict tell(const struct day *day, size_t i,
                         const struct rg_tally *seen) {
  struct rg_forecast forecast;
  if (!rg_forecast_make(&forecast, day->scenario, day->variants[i]))
    return FAILED;
  rg_report_variant(seen, &forecast);
  return judge(seen, &forecast);
}

static enum verdict worse(enum verdict a, enum verdict b) {
  return a > b ? a : b;
}

/* From number `from` on as many as are played at a time. */
static enum verdict play_some(const struct day *day, size_t from, uint64_t seed,
                              struct rg_tally *tallies) {
  size_t count = day->options.together ? day->count : 1;
  enum verdict verdict = AGREES;
  if (!play(day, from, count, seed, tallies)) return FAILED;
  for (size_t i = 0; i < count; i++)
    verdict = worse(verdict, tell(day, from + i, &tallies[i]));
  return verdict;
}

static bool write_files(const struct day *day, uint64_t seed,
                        const struct rg_tally *tallies) {
  const struct rg_report_run run = {
      .path = day->options.path,
      .scenario = day->scenario,
      .seed = seed,
      .tallies = tallies,
      .count = day->count,
  };
  return rg_report_write(&run, day->options.json, day->options.svg);
}

static enum verdict play_once(const struct day *day, uint64_t seed) {
  struct rg_tally tallies[RG_OPTIONS_VARIANTS] = {{.trial = {.name = NULL}}};
  enum verdict verdict = AGREES;
  for (size_t i = 0; i < day->count && verdict != FAILED;
       i += day->options.together ? day->count : 1)
    verdict = worse(verdict, play_some(day, i, seed, &tallies[i]));
  if (verdict != FAILED && !write_files(day, seed, tallies)) verdict = FAILED;
  for (size_t i = 0; i < day->count; i++) rg_tally_clean_up(&tallies[i]);
  return verdict;
}

static enum verdict play_all(struct day *day) {
  const struct rg_options *options = &day->options;
  enum verdict verdict = AGREES;
  if (!choose_variants(day)) return FAILED;
  rg_report_begin(day->scenario, &options->fit);
  for (uint32_t i = 0; i < options->runs && verdict != FAILED; i++)
    verdict = worse(verdict, play_once(day, options->seed + i));
  return verdict;
}

static int status_of(const struct day *day, enum verdict verdict) {
  if (verdict == FAILED) return 2;
  if (verdict == TOO_LATE)
    puts("The machine was too busy to tell; try a smaller --scale.");
  if (!day->options.judge || verdict == AGREES) return EXIT_SUCCESS;
  return verdict == DIFFERS ? EXIT_FAILURE : SKIPPED;
}

/* ---- Life ---------------------------------------------------------------- */

static bool find_programs(struct day *day) {
  ssize_t length =
      readlink("/proc/self/exe", day->programs, sizeof(day->programs) - 1);
  if (length <= 0) return false;
  day->programs[length] = '\0';
  *strrchr(day->programs, '/') = '\0';
  return true;
}

int main(int argc, char **argv) {
  struct day day = {.count = 0};
  switch (rg_options_parse(&day.options, argc, argv)) {
    case RG_OPTIONS_OK:
      break;
    case RG_OPTIONS_HELP:
      return EXIT_SUCCESS;
    case RG_OPTIONS_WRONG:
      return 2;
  }
  day.scenario = rg_fit_read(day.options.path, &day.options.fit);
  if (day.scenario == NULL || !find_programs(&day)) return 2;
  /* The guard's events go to gRPC's log, hundreds of them. */
  setenv("GRPC_VERBOSITY", "NONE", 0);
  rg_process_end_all_on_signals();
  snprintf(day.scratch, sizeof(day.scratch), "/tmp/rg_gameday_XXXXXX");
  if (mkdtemp(day.scratch) == NULL) return 2;
  int status = status_of(&day, play_all(&day));
  rmdir(day.scratch);
  rg_scenario_destroy(day.scenario);
  return status;
}
