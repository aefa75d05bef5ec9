/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/simulation.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/drawing.h"
#include "cli/fault_text.h"
#include "cli/json_output.h"
#include "cli/results_json.h"
#include "cli/scenarios.h"
#include "cli/verb.h"

#define EXTENSION ".json"

/* ---- What is run --------------------------------------------------------- */

/* Everything that a simulation needs to stay. */
struct simulation {
  const struct rg_simulation_request *request;
  char path[PATH_MAX];
  struct rg_file file;
  struct rg_file *policies;
  struct rg_report report;
  struct rg_scenario *scenario;
  char *method; /* "service\0method" */
  struct rg_results results;
};

static void say_faults(const struct simulation *simulation) {
  struct rg_paper paper = rg_paper_on(stderr);
  const struct rg_report *report = &simulation->report;
  if (rg_faults_empty(&report->errors) && rg_faults_empty(&report->warnings))
    return;
  rg_paper_put(&paper, RG_INK_PLAIN, "%s:", simulation->path);
  rg_paper_newline(&paper);
  rg_fault_text_write(&paper, &rg_severity_error, &report->errors);
  rg_fault_text_write(&paper, &rg_severity_warning, &report->warnings);
  rg_paper_newline(&paper);
}

static bool read_file(const char *path, struct rg_file *file) {
  const char *why = rg_file_read(path, file);
  if (why != NULL) rg_cli_error("%s: %s", rg_file_name(path), why);
  return why == NULL;
}

static bool read_scenario(struct simulation *simulation) {
  const char *name = simulation->request->scenario;
  rg_scenarios_find(name, simulation->path, sizeof simulation->path);
  if (!read_file(simulation->path, &simulation->file)) return false;
  simulation->scenario = rg_scenario_read(
      simulation->file.bytes, simulation->file.length, &simulation->report);
  return simulation->scenario != NULL;
}

static bool set_method(struct simulation *simulation) {
  const char *method = simulation->request->method;
  if (method == NULL) return true;
  simulation->method = strdup(method);
  char *slash =
      simulation->method != NULL ? strrchr(simulation->method, '/') : NULL;
  if (slash == NULL) {
    rg_cli_error("out of memory");
    return false;
  }
  *slash = '\0';
  simulation->scenario->service = simulation->method;
  simulation->scenario->method = slash + 1;
  return true;
}

static bool try_policies(struct simulation *simulation) {
  size_t count = simulation->request->policy_count;
  if (count == 0) return true;
  simulation->policies = calloc(count, sizeof simulation->policies[0]);
  struct rg_tried_policy *tried = calloc(count, sizeof tried[0]);
  bool fine = simulation->policies != NULL && tried != NULL;
  if (!fine) rg_cli_error("out of memory");
  for (size_t i = 0; fine && i < count; i++) {
    const char *path = simulation->request->policies[i];
    struct rg_file *file = &simulation->policies[i];
    fine = read_file(path, file);
    tried[i] =
        (struct rg_tried_policy){rg_file_name(path), file->bytes, file->length};
  }
  fine = fine && rg_scenario_try(simulation->scenario, tried, count,
                                 &simulation->report);
  free(tried);
  return fine;
}

/* ---- Runs ---------------------------------------------------------------- */

static bool show_progress(double share, void *arg) {
  const struct rg_trial *result = arg;
  fprintf(stderr, "\r%.60s: %3.0f %%  ", result->name, 100 * share);
  return true;
}

static bool run(struct simulation *simulation, size_t variant) {
  struct rg_results *results = &simulation->results;
  struct rg_trial *result = &results->items[results->count++];
  bool watched = isatty(STDERR_FILENO) != 0;
  result->name = simulation->scenario->variants[variant].name;
  bool fine = rg_run_do(&result->run, simulation->scenario, variant,
                        results->seed, watched ? show_progress : NULL, result);
  if (watched) fputs("\r\033[K", stderr);
  if (!fine)
    rg_cli_error("%s: there is not enough memory for so many calls at a time",
                 result->name);
  rg_trial_judge(result, &results->times, results->share);
  return fine;
}

static bool run_named(struct simulation *simulation, char *names) {
  char *rest = NULL;
  for (char *name = strtok_r(names, ",", &rest); name != NULL;
       name = strtok_r(NULL, ",", &rest)) {
    size_t variant;
    if (!rg_scenario_find_variant(simulation->scenario, name, &variant)) {
      rg_cli_error("%s: there is no variant '%s'", simulation->path, name);
      return false;
    }
    if (simulation->results.count < simulation->scenario->variant_count &&
        !run(simulation, variant))
      return false;
  }
  if (simulation->results.count > 0) return true;
  rg_cli_error("--variant names none");
  return false;
}

static bool run_all(struct simulation *simulation) {
  struct rg_results *results = &simulation->results;
  const struct rg_scenario *scenario = simulation->scenario;
  *results = (struct rg_results){
      .scenario = simulation->request->scenario,
      .title = scenario->title,
      .source = "simulation",
      .seed = simulation->request->seed,
      .duration_ns = scenario->duration_ns,
      .times = rg_scenario_times(scenario),
      .share = simulation->request->share,
      .items = calloc(scenario->variant_count, sizeof results->items[0]),
  };
  if (results->items == NULL) {
    rg_cli_error("out of memory");
    return false;
  }
  if (simulation->request->variants != NULL)
    return run_named(simulation, simulation->request->variants);
  for (size_t i = 0; i < scenario->variant_count; i++)
    if (!run(simulation, i)) return false;
  return true;
}

/* ---- What comes out ------------------------------------------------------ */

static bool within(double value, double limit) {
  return limit < 0 || value <= limit;
}

bool rg_simulation_holds(const struct rg_trial *result,
                         const struct rg_limits *limits) {
  const struct rg_review *review = &result->review;
  const struct rg_run_totals *totals = &result->run.totals;
  double lost = totals->calls > 0
                    ? 100 * (double)totals->failed / (double)totals->calls
                    : 0;
  bool in_time =
      limits->recovery_s < 0 || !review->has_trouble ||
      (review->recovered && review->recovery_s <= limits->recovery_s);
  return within(result->amplification, limits->amplification) &&
         within(review->peak, limits->peak) &&
         within(lost, limits->lost_percent) && in_time;
}

static bool write_results(const struct simulation *simulation) {
  const struct rg_simulation_request *request = simulation->request;
  const struct rg_results *results = &simulation->results;
  if (request->format == RG_SIMULATION_CSV)
    return rg_results_write_csv(results, stdout);
  if (request->format == RG_SIMULATION_JSON) {
    json_t *json = rg_results_to_json(results);
    bool printed = rg_json_print(json);
    json_decref(json);
    return printed;
  }
  rg_simulation_write_text(results, &request->limits, request->chart);
  return true;
}

static bool draw(const struct simulation *simulation) {
  const struct rg_simulation_request *request = simulation->request;
  const struct rg_results *results = &simulation->results;
  return (request->svg == NULL ||
          rg_drawing_make(results, RG_PICTURE_SVG, request->svg)) &&
         (request->png == NULL ||
          rg_drawing_make(results, RG_PICTURE_PNG, request->png));
}

static int conclude(const struct simulation *simulation) {
  if (!write_results(simulation)) return RG_CLI_OUTPUT;
  if (!draw(simulation)) return RG_CLI_ERRORS;
  for (size_t i = 0; i < simulation->results.count; i++)
    if (!rg_simulation_holds(&simulation->results.items[i],
                             &simulation->request->limits))
      return RG_CLI_LIMITS;
  return RG_CLI_OK;
}

static void clean_up(struct simulation *simulation) {
  for (size_t i = 0; i < simulation->results.count; i++)
    rg_run_clean_up(&simulation->results.items[i].run);
  free(simulation->results.items);
  rg_scenario_destroy(simulation->scenario);
  for (size_t i = 0;
       simulation->policies != NULL && i < simulation->request->policy_count;
       i++)
    rg_file_clean_up(&simulation->policies[i]);
  free(simulation->policies);
  free(simulation->method);
  rg_file_clean_up(&simulation->file);
  rg_report_clean_up(&simulation->report);
}

int rg_simulation_do(const struct rg_simulation_request *request) {
  struct simulation simulation = {.request = request};
  rg_report_init(&simulation.report);
  bool ready = read_scenario(&simulation) && set_method(&simulation) &&
               try_policies(&simulation);
  say_faults(&simulation);
  int status =
      ready && run_all(&simulation) ? conclude(&simulation) : RG_CLI_ERRORS;
  clean_up(&simulation);
  return status;
}

/* ---- The list ------------------------------------------------------------ */

static int is_scenario(const struct dirent *entry) {
  size_t length = strlen(entry->d_name);
  return length > strlen(EXTENSION) &&
         strcmp(entry->d_name + length - strlen(EXTENSION), EXTENSION) == 0;
}

static void list_one(const char *folder, const char *name) {
  char path[PATH_MAX];
  struct rg_file file;
  struct rg_report report;
  snprintf(path, sizeof path, "%.3000s/%.255s", folder, name);
  if (!read_file(path, &file)) return;
  rg_report_init(&report);
  struct rg_scenario *scenario =
      rg_scenario_read(file.bytes, file.length, &report);
  printf("%-18.*s %s\n", (int)(strlen(name) - strlen(EXTENSION)), name,
         scenario != NULL ? scenario->title : "(cannot be read)");
  rg_scenario_destroy(scenario);
  rg_report_clean_up(&report);
  rg_file_clean_up(&file);
}

int rg_simulation_list(void) {
  char folder[PATH_MAX];
  struct dirent **entries;
  int count = rg_scenarios_folder(folder, sizeof folder)
                  ? scandir(folder, &entries, is_scenario, alphasort)
                  : -1;
  if (count < 0) {
    rg_cli_error("no scenarios are installed beside this command");
    return RG_CLI_ERRORS;
  }
  for (int i = 0; i < count; i++) {
    list_one(folder, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  return RG_CLI_OK;
}
