/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/policy.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/file.h"
#include "cli/json_output.h"
#include "cli/methods.h"
#include "cli/paper.h"
#include "cli/retry_config.h"
#include "cli/verb.h"
#include "config/text.h"
#include "core/num.h"

/* So many of the methods without a policy are named. */
#define NAMED_MAX 20

static const char help[] =
    "Usage: retry-guard policy [OPTION]... FILE.pb\n"
    "\n"
    "Prints a service config that retries the methods that are safe to\n"
    "repeat: those whose .proto file says\n"
    "\n"
    "    option idempotency_level = NO_SIDE_EFFECTS;  (or IDEMPOTENT)\n"
    "\n"
    "The other methods get no retryPolicy, and are counted and named on\n"
    "standard error. FILE.pb is what protoc writes (- is standard input):\n"
    "\n"
    "    protoc --descriptor_set_out=FILE.pb shop.proto\n"
    "\n"
    "  --max-attempts=N        the first included, 2 to 5; default 4\n"
    "  --initial-backoff=TIME  bounds the first retry's delay; default 0.1s\n"
    "  --max-backoff=TIME      bounds every retry's delay; default 2s\n"
    "  --backoff-multiplier=X  how the bound grows; default 2\n"
    "\n"
    "Exit status: 0, or 2 for a file that cannot be read or is no descriptor\n"
    "set.\n";

enum {
  MAX_ATTEMPTS = RG_CLI_FIRST_OPTION,
  INITIAL_BACKOFF,
  MAX_BACKOFF,
  BACKOFF_MULTIPLIER,
};

static const struct option options[] = {
    {"max-attempts", required_argument, NULL, MAX_ATTEMPTS},
    {"initial-backoff", required_argument, NULL, INITIAL_BACKOFF},
    {"max-backoff", required_argument, NULL, MAX_BACKOFF},
    {"backoff-multiplier", required_argument, NULL, BACKOFF_MULTIPLIER},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* ---- Options ------------------------------------------------------------- */

static bool read_attempts(uint32_t *attempts) {
  uint64_t value;
  bool read =
      rg_cli_read_count(optarg, RG_MIN_ATTEMPTS, RG_MAX_ATTEMPTS, &value);
  *attempts = (uint32_t)value;
  return read;
}

/* To gRPC, what is less than a millisecond is 0. */
static bool read_time(struct rg_duration *time) {
  return rg_duration_parse(optarg, strlen(optarg), time) == RG_DURATION_OK &&
         rg_duration_ns(*time) >= RG_NS_PER_MS;
}

static bool read_multiplier(double *multiplier) {
  return rg_text_read_number(optarg, multiplier) && (float)*multiplier > 0 &&
         *multiplier <= RG_MULTIPLIER_MAX;
}

static int bad_argument(const char *what) {
  return rg_cli_usage_error("policy", "policy: %s, got '%s'", what, optarg);
}

/* Returns RG_CLI_OK, or what to end with after a complaint. */
static int take_option(int option, struct rg_retry_settings *settings) {
  switch (option) {
    case MAX_ATTEMPTS:
      if (read_attempts(&settings->max_attempts)) return RG_CLI_OK;
      return bad_argument("--max-attempts must be in [2, 5]");
    case INITIAL_BACKOFF:
      if (read_time(&settings->initial_backoff)) return RG_CLI_OK;
      return bad_argument("--initial-backoff must be a time such as 0.1s");
    case MAX_BACKOFF:
      if (read_time(&settings->max_backoff)) return RG_CLI_OK;
      return bad_argument("--max-backoff must be a time such as 2s");
    case BACKOFF_MULTIPLIER:
      if (read_multiplier(&settings->backoff_multiplier)) return RG_CLI_OK;
      return bad_argument("--backoff-multiplier must be in (0, 1000]");
    default:
      return RG_CLI_USAGE; /* what it was has been said */
  }
}

/* ---- Output -------------------------------------------------------------- */

static void name_others(struct rg_paper *paper,
                        const struct rg_methods *methods) {
  size_t named = 0;
  for (size_t i = 0; i < methods->count && named < NAMED_MAX; i++)
    if (!methods->items[i].safe)
      rg_paper_put(paper, RG_INK_PLAIN, "%s%s", named++ > 0 ? ", " : "",
                   methods->items[i].path);
  size_t others = methods->count - methods->safe_count;
  if (others > named)
    rg_paper_put(paper, RG_INK_PLAIN, " and %zu more", others - named);
}

/* On standard error: standard output is the service config. */
static void summarise(const struct rg_methods *methods) {
  struct rg_paper paper = rg_paper_on(stderr);
  bool one = methods->safe_count == 1;
  rg_paper_put(&paper, RG_INK_BOLD, "%zu of %zu methods %s safe to repeat",
               methods->safe_count, methods->count, one ? "is" : "are");
  if (methods->safe_count < methods->count) {
    rg_paper_put(&paper, RG_INK_PLAIN, "; the others get no retryPolicy: ");
    name_others(&paper, methods);
  }
  rg_paper_newline(&paper);
}

static int print_config(const struct rg_methods *methods,
                        const struct rg_retry_settings *settings) {
  json_t *config = rg_retry_config(methods, settings);
  bool printed = rg_json_print(config);
  json_decref(config);
  if (!printed) return RG_CLI_OUTPUT;
  summarise(methods);
  return RG_CLI_OK;
}

static void report(const char *name, const struct rg_faults *faults) {
  for (size_t i = 0; i < faults->count; i++) {
    const struct rg_fault *fault = &faults->items[i];
    bool of_all = fault->path[0] == '\0';
    rg_cli_error("%s%s%s %s", name, of_all ? "" : ": ", fault->path,
                 fault->message);
  }
  if (faults->out_of_memory)
    rg_cli_error("%s: there is not enough memory for it", name);
}

static int read_and_print(const char *path, const struct rg_file *file,
                          const struct rg_retry_settings *settings) {
  struct rg_methods methods;
  struct rg_faults faults;
  int status = RG_CLI_ERRORS;
  rg_faults_init(&faults);
  if (rg_methods_read(file->bytes, file->length, &methods, &faults))
    status = print_config(&methods, settings);
  else
    report(rg_file_name(path), &faults);
  rg_methods_clean_up(&methods);
  rg_faults_clean_up(&faults);
  return status;
}

int rg_cli_policy(int argc, char **argv) {
  struct rg_retry_settings settings = rg_retry_settings_usual();
  int option;
  while ((option = rg_cli_option(argc, argv, options)) !=
         RG_CLI_NO_MORE_OPTIONS) {
    if (option == 'h') return fputs(help, stdout), RG_CLI_OK;
    int status = take_option(option, &settings);
    if (status != RG_CLI_OK) return status;
  }
  if (argc - optind != 1)
    return rg_cli_usage_error(argv[0], "policy: which one FILE.pb?");

  struct rg_file file;
  const char *path = argv[optind];
  const char *fault = rg_file_read(path, &file);
  if (fault != NULL) {
    rg_cli_error("%s: %s", rg_file_name(path), fault);
    return RG_CLI_ERRORS;
  }
  int status = read_and_print(path, &file, &settings);
  rg_file_clean_up(&file);
  return status;
}
