/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/checked.h"
#include "cli/verb.h"

static const char help[] =
    "Usage: retry-guard check [OPTION]... FILE...\n"
    "\n"
    "Says what is wrong with service configs, native parts and retryGuard\n"
    "blocks alike: errors, for which gRPC refuses the channel, and warnings,\n"
    "with which it does not do what it seems to say. FILE is JSON; - is\n"
    "standard input.\n"
    "\n"
    "  --format=text|json  for people (the default) or for programs\n"
    "  --tree=FILE,...     the configs of the layers of a call tree, from\n"
    "                      the top: what their retries multiply to, and who\n"
    "                      owns them\n"
    "  --clients=N         so many clients share the config: what each may\n"
    "                      do for itself, the fleet does N times\n"
    "  --calls=N           calls per second of all clients together;\n"
    "                      without it, one of each\n"
    "\n"
    "Exit status: 0 clean, 1 warnings, 2 errors.\n";

enum { FORMAT = RG_CLI_FIRST_OPTION, TREE, CLIENTS, CALLS };

static const struct option options[] = {
    {"format", required_argument, NULL, FORMAT},
    {"tree", required_argument, NULL, TREE},
    {"clients", required_argument, NULL, CLIENTS},
    {"calls", required_argument, NULL, CALLS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct request {
  bool json;
  char *tree; /* NULL: none */
  struct rg_fleet fleet;
};

static bool read_count(uint64_t *count) {
  return rg_cli_read_count(optarg, 1, 1000000000, count);
}

static bool read_format(const char *text, bool *json) {
  *json = strcmp(text, "json") == 0;
  return *json || strcmp(text, "text") == 0;
}

static int wrong(const char *what) {
  return rg_cli_usage_error("check", "check: %s, got '%s'", what, optarg);
}

/* RG_CLI_OK, or how to end. */
static int read_option(int option, struct request *request) {
  switch (option) {
    case FORMAT:
      if (read_format(optarg, &request->json)) return RG_CLI_OK;
      return wrong("--format must be text or json");
    case TREE:
      request->tree = optarg;
      return RG_CLI_OK;
    case CLIENTS:
      if (read_count(&request->fleet.clients)) return RG_CLI_OK;
      return wrong("--clients must be a number from 1 to 1000000000");
    case CALLS:
      if (read_count(&request->fleet.calls_per_s)) return RG_CLI_OK;
      return wrong("--calls must be a number from 1 to 1000000000");
    default:
      return RG_CLI_USAGE;
  }
}

static size_t count_layers(const char *tree) {
  if (tree == NULL) return 0;
  size_t count = 1;
  for (; *tree != '\0'; tree++) count += *tree == ',';
  return count;
}

/* The layers come first, so that the tree is one piece of the array. */
static void check_files(struct rg_checked *checked, char *tree, char **paths,
                        const struct rg_fleet *fleet) {
  size_t i = 0;
  char *rest = NULL;
  for (char *path = tree != NULL ? strtok_r(tree, ",", &rest) : NULL;
       path != NULL; path = strtok_r(NULL, ",", &rest))
    rg_checked_file_init(&checked->files[i++], path, fleet);
  rg_checked_tree_init(&checked->tree, checked->files, i);
  for (; *paths != NULL; paths++)
    rg_checked_file_init(&checked->files[i++], *paths, fleet);
  checked->count = i;
}

static int check(const struct request *request, char **paths, size_t count) {
  struct rg_checked checked = {0};
  checked.files = calloc(count, sizeof checked.files[0]);
  if (checked.files == NULL) {
    rg_cli_error("out of memory");
    return RG_CLI_ERRORS;
  }
  check_files(&checked, request->tree, paths, &request->fleet);
  int status = rg_checked_status(&checked);
  if (!request->json)
    rg_checked_write_text(&checked);
  else if (!rg_checked_write_json(&checked))
    status = RG_CLI_OUTPUT;
  for (size_t i = 0; i < checked.count; i++)
    rg_checked_file_clean_up(&checked.files[i]);
  free(checked.files);
  return status;
}

int rg_cli_check(int argc, char **argv) {
  struct request request = {0};
  int option;
  while ((option = rg_cli_option(argc, argv, options)) !=
         RG_CLI_NO_MORE_OPTIONS) {
    if (option == 'h') {
      fputs(help, stdout);
      return RG_CLI_OK;
    }
    int status = read_option(option, &request);
    if (status != RG_CLI_OK) return status;
  }
  size_t layers = count_layers(request.tree);
  size_t count = layers + (size_t)(argc - optind);
  if (count == 0) return rg_cli_usage_error("check", "check: no FILE is given");
  if (layers > RG_CALL_TREE_MAX)
    return rg_cli_usage_error("check", "check: a tree has at most %d layers",
                              RG_CALL_TREE_MAX);
  return check(&request, argv + optind, count);
}
