/* SPDX-License-Identifier: Apache-2.0 */

/* The command `retry-guard`: finds the verb and lets it do the work. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/check.h"
#include "cli/explain.h"
#include "cli/init.h"
#include "cli/mark.h"
#include "cli/nearest.h"
#include "cli/paper.h"
#include "cli/policy.h"
#include "cli/run.h"
#include "cli/simulate.h"
#include "cli/table.h"
#include "cli/top.h"
#include "cli/verb.h"
#include "cli/version.h"
#include "retry_guard/retry_guard.h"

struct verb {
  const char *name;
  const char *summary;
  int (*run)(int argc, char **argv);
};

static int help(int argc, char **argv);

static const struct verb verbs[] = {
    {"check", "say what is wrong with service configs", rg_cli_check},
    {"explain", "say what a service config means for a method", rg_cli_explain},
    {"init", "print a service config to start from", rg_cli_init},
    {"policy", "generate retry policies from what .proto files say",
     rg_cli_policy},
    {"mark", "show what a retry mark says", rg_cli_mark},
    {"run", "run a program with the guard in it", rg_cli_run},
    {"simulate", "try policies on a fleet in virtual time", rg_cli_simulate},
    {"top", "show the targets of a running program, live", rg_cli_top},
    {"help", "say how a verb is used", help},
};

#define VERBS (sizeof verbs / sizeof verbs[0])

static const struct verb *find_verb(const char *name) {
  for (size_t i = 0; i < VERBS; i++)
    if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
  return NULL;
}

static int unknown_verb(const char *name) {
  const char *names[VERBS];
  for (size_t i = 0; i < VERBS; i++) names[i] = verbs[i].name;
  const char *nearest = rg_nearest(name, names, VERBS);
  if (nearest == NULL)
    return rg_cli_usage_error(NULL, "there is no verb '%s'", name);
  return rg_cli_usage_error(NULL, "there is no verb '%s'; did you mean '%s'?",
                            name, nearest);
}

static void print_verbs(FILE *out) {
  struct rg_paper paper = rg_paper_on(out);
  struct rg_cell cells[VERBS][2];
  for (size_t i = 0; i < VERBS; i++) {
    cells[i][0] = (struct rg_cell){verbs[i].name, RG_INK_BOLD};
    cells[i][1] = (struct rg_cell){verbs[i].summary, RG_INK_PLAIN};
  }
  struct rg_table table = {
      .cells = cells[0], .rows = VERBS, .columns = 2, .indent = 2};
  fputs("Usage: retry-guard VERB ...\n\n", out);
  rg_table_write(&table, &paper);
  fputs("\nretry-guard help VERB says more; so does man retry-guard.\n", out);
}

static bool asks_for_help(const char *argument) {
  return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

static int help(int argc, char **argv) {
  static char option[] = "--help";
  char *arguments[] = {argv[argc - 1], option, NULL};
  if (argc > 2) return rg_cli_usage_error(NULL, "help: one VERB at a time");
  if (argc < 2 || asks_for_help(argv[1])) {
    print_verbs(stdout);
    return RG_CLI_OK;
  }
  const struct verb *verb = find_verb(argv[1]);
  return verb != NULL ? verb->run(2, arguments) : unknown_verb(argv[1]);
}

static int print_version(void) {
  printf("retry-guard %s, for gRPC %s\n", retry_guard_version_string(),
         RG_CLI_GRPC_VERSION);
  return RG_CLI_OK;
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    print_verbs(stderr);
    return RG_CLI_USAGE;
  }
  const char *name = argv[1];
  if (strcmp(name, "--version") == 0) return print_version();
  if (asks_for_help(name)) name = "help";
  const struct verb *verb = find_verb(name);
  return verb != NULL ? verb->run(argc - 1, argv + 1) : unknown_verb(name);
}

int main(int argc, char **argv) {
  int status = run(argc, argv);
  errno = rg_paper_lost_text() ? ENOMEM : 0;
  if (errno == 0 && fflush(stdout) == 0 && !ferror(stdout)) return status;
  rg_cli_error("cannot write to standard output: %s",
               errno != 0 ? strerror(errno) : "it failed");
  return RG_CLI_OUTPUT;
}
