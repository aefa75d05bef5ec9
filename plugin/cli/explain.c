/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/checked.h"
#include "cli/explanation.h"
#include "cli/verb.h"

static const char help[] =
    "Usage: retry-guard explain FILE METHOD\n"
    "\n"
    "Says what the service config in FILE (- is standard input) means for\n"
    "METHOD, package.Service/Method: every value of its policy and where it\n"
    "comes from, when its retries start, and what they cost at worst.\n"
    "\n"
    "Exit status: 0, or 2 for a config that gRPC would refuse.\n";

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* Cuts "/package.Service/Method", where the first slash may be missing. */
static bool split(char *name, struct rg_subject *subject) {
  if (name[0] == '/') name++;
  char *slash = strchr(name, '/');
  if (slash == NULL || slash == name || strchr(slash + 1, '/') != NULL)
    return false;
  *slash = '\0';
  subject->service = name;
  subject->method = slash + 1;
  return true;
}

static int explain(const struct rg_checked *checked,
                   struct rg_subject *subject) {
  const struct rg_checked_file *file = &checked->files[0];
  if (rg_checked_status(checked) == RG_CLI_ERRORS) {
    rg_checked_write_text(checked);
    return RG_CLI_ERRORS;
  }
  subject->file = file->path;
  subject->config = file->config;
  rg_explanation_write(subject);
  return RG_CLI_OK;
}

int rg_cli_explain(int argc, char **argv) {
  int option = rg_cli_option(argc, argv, options);
  if (option == 'h') {
    fputs(help, stdout);
    return RG_CLI_OK;
  }
  if (option != RG_CLI_NO_MORE_OPTIONS) return RG_CLI_USAGE;
  if (argc - optind != 2)
    return rg_cli_usage_error("explain", "explain: give FILE and METHOD");
  struct rg_subject subject = {0};
  if (!split(argv[optind + 1], &subject))
    return rg_cli_usage_error("explain",
                              "explain: METHOD must be package.Service/Method");
  const struct rg_fleet nobody = {0};
  struct rg_checked_file file;
  rg_checked_file_init(&file, argv[optind], &nobody);
  const struct rg_checked checked = {.files = &file, .count = 1};
  int status = explain(&checked, &subject);
  rg_checked_file_clean_up(&file);
  return status;
}
