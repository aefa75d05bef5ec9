/* SPDX-License-Identifier: Apache-2.0 */
#include "e2e/tier_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rpc.h"

#define MAX_CONFIG_BYTES (1024 * 1024)

static const char help[] =
    "Usage: rg_tier [OPTION]...\n"
    "One process of a call tree, for tests. It prints `port N` when it\n"
    "listens on 127.0.0.1, and ends on SIGTERM or SIGINT.\n"
    "\n"
    "  --name NAME            what it calls itself in its messages\n"
    "  --next ADDRESS         call this tier for each request, on behalf of\n"
    "                         the incoming call, and pass its answer on;\n"
    "                         without it, answer as the request's plan says\n"
    "  --service-config JSON  of the channel to the next tier; or @FILE\n"
    "  --guard                register Retry Guard\n"
    "  --layer-name NAME      in the marks made here (with --guard)\n"
    "  --accept-marks yes|no  believe incoming marks (with --guard)\n"
    "  --metrics ADDRESS      serve metrics there, and then print\n"
    "                         `metrics ADDRESS`, too\n"
    "  --port N               listen there instead of on any free port\n"
    "  --fail STATUS[:COUNT]  answer so, always or for the first COUNT\n"
    "                         requests since the start or the last reset\n"
    "  --hold COUNT           keep the first COUNT requests until all of\n"
    "                         them have arrived, then answer them at once\n"
    "  --help                 print this\n";

enum {
  NAME = 256,
  NEXT,
  SERVICE_CONFIG,
  GUARD,
  LAYER_NAME,
  ACCEPT_MARKS,
  METRICS,
  PORT,
  FAIL,
  HOLD,
  HELP
};

static const struct option longs[] = {
    {"name", required_argument, NULL, NAME},
    {"next", required_argument, NULL, NEXT},
    {"service-config", required_argument, NULL, SERVICE_CONFIG},
    {"guard", no_argument, NULL, GUARD},
    {"layer-name", required_argument, NULL, LAYER_NAME},
    {"accept-marks", required_argument, NULL, ACCEPT_MARKS},
    {"metrics", required_argument, NULL, METRICS},
    {"port", required_argument, NULL, PORT},
    {"fail", required_argument, NULL, FAIL},
    {"hold", required_argument, NULL, HOLD},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

static bool parse_number(const char *text, uint64_t max, uint64_t *number) {
  char *end = NULL;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || *text == '-' || value > max)
    return false;
  *number = value;
  return true;
}

static bool parse_fail(struct rg_tier_options *options, const char *text) {
  const char *colon = strchr(text, ':');
  size_t length = colon == NULL ? strlen(text) : (size_t)(colon - text);
  options->fail_count = UINT64_MAX;
  return rg_rpc_status_parse(text, length, &options->fail) &&
         (colon == NULL ||
          parse_number(colon + 1, UINT64_MAX, &options->fail_count));
}

static bool parse_port(struct rg_tier_options *options, const char *text) {
  uint64_t port;
  if (!parse_number(text, UINT16_MAX, &port)) return false;
  options->port = (int)port;
  return true;
}

static bool parse_yes_no(bool *value, const char *text) {
  *value = strcmp(text, "yes") == 0;
  return *value || strcmp(text, "no") == 0;
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return NULL;
  char *text = rg_rpc_alloc(1, MAX_CONFIG_BYTES + 1);
  size_t size = fread(text, 1, MAX_CONFIG_BYTES, file);
  bool whole = ferror(file) == 0 && size < MAX_CONFIG_BYTES;
  fclose(file);
  if (whole) return text;
  free(text);
  return NULL;
}

static bool parse_service_config(struct rg_tier_options *options,
                                 const char *text) {
  free(options->service_config);
  options->service_config = *text == '@' ? read_file(text + 1) : strdup(text);
  return options->service_config != NULL;
}

static bool take_option(struct rg_tier_options *options, int option,
                        const char *value) {
  switch (option) {
    case NAME:
      options->name = value;
      return true;
    case NEXT:
      options->next = value;
      return true;
    case SERVICE_CONFIG:
      return parse_service_config(options, value);
    case GUARD:
      options->guard = true;
      return true;
    case LAYER_NAME:
      options->layer_name = value;
      return true;
    case ACCEPT_MARKS:
      return parse_yes_no(&options->accept_marks, value);
    case METRICS:
      options->metrics = value;
      return true;
    case PORT:
      return parse_port(options, value);
    case FAIL:
      return parse_fail(options, value);
    case HOLD:
      return parse_number(value, UINT64_MAX, &options->hold);
    default:
      return false; /* getopt has said why */
  }
}

static enum rg_tier_parse complain(int option, const char *value) {
  if (option != '?')
    fprintf(stderr, "rg_tier: bad value: %s\n", value == NULL ? "" : value);
  fputs("rg_tier: see --help\n", stderr);
  return RG_TIER_PARSE_ERROR;
}

enum rg_tier_parse rg_tier_options_parse(struct rg_tier_options *options,
                                         int argc, char **argv) {
  *options = (struct rg_tier_options){.name = "tier", .accept_marks = true};
  for (int option; (option = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
    if (option == HELP) {
      fputs(help, stdout);
      return RG_TIER_PARSE_HELP;
    }
    if (!take_option(options, option, optarg)) return complain(option, optarg);
  }
  return optind == argc ? RG_TIER_PARSE_OK : complain(0, argv[optind]);
}

void rg_tier_options_clean_up(struct rg_tier_options *options) {
  free(options->service_config);
}
