/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/checked.h"
#include "cli/preloaded.h"
#include "cli/verb.h"
#include "core/layer.h"

static const char help[] =
    "Usage: retry-guard run [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
    "\n"
    "Runs PROGRAM, as it is, with the guard in it. It must use the system's\n"
    "libgrpc, as C++ programs and Ruby's gRPC do; otherwise it runs as\n"
    "always, and one line says that nothing is guarded.\n"
    "\n"
    "  --config=FILE      the service config for channels that bring none\n"
    "  --layer=NAME       how the program calls itself in retry marks\n"
    "  --mode=MODE        ENFORCE, SHADOW or OFF, whatever policies say\n"
    "  --metrics=ADDRESS  serve metrics there, such as 127.0.0.1:9464\n"
    "  --no-accept-marks  do not believe the marks of incoming calls\n"
    "  --strict           end, with status 78, where gRPC would be used\n"
    "                     unguarded\n"
    "\n"
    "The exit status is that of PROGRAM; 127 if there is none, 126 if it\n"
    "cannot be run.\n";

enum {
  CONFIG = RG_CLI_FIRST_OPTION,
  LAYER,
  MODE,
  METRICS,
  NO_ACCEPT_MARKS,
  STRICT
};

static const struct option options[] = {
    {"config", required_argument, NULL, CONFIG},
    {"layer", required_argument, NULL, LAYER},
    {"mode", required_argument, NULL, MODE},
    {"metrics", required_argument, NULL, METRICS},
    {"no-accept-marks", no_argument, NULL, NO_ACCEPT_MARKS},
    {"strict", no_argument, NULL, STRICT},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct request {
  const char *config; /* NULL: none, here and below */
  const char *layer;
  const char *mode;
  const char *metrics;
  bool no_accept_marks;
  bool strict;
};

static bool is_mode(const char *text) {
  return strcmp(text, "ENFORCE") == 0 || strcmp(text, "SHADOW") == 0 ||
         strcmp(text, "OFF") == 0;
}

static int wrong(const char *what) {
  return rg_cli_usage_error("run", "run: %s, got '%s'", what, optarg);
}

/* RG_CLI_OK, or how to end. */
static int read_option(int option, struct request *request) {
  switch (option) {
    case CONFIG:
      request->config = optarg;
      return RG_CLI_OK;
    case LAYER:
      request->layer = optarg;
      if (strlen(optarg) <= RG_OWNER_MAX) return RG_CLI_OK;
      return wrong("--layer must be at most 64 bytes");
    case MODE:
      request->mode = optarg;
      if (is_mode(optarg)) return RG_CLI_OK;
      return wrong("--mode must be ENFORCE, SHADOW or OFF");
    case METRICS:
      request->metrics = optarg;
      return RG_CLI_OK;
    case NO_ACCEPT_MARKS:
      request->no_accept_marks = true;
      return RG_CLI_OK;
    case STRICT:
      request->strict = true;
      return RG_CLI_OK;
    default:
      return RG_CLI_USAGE;
  }
}

/* ---- The config ---------------------------------------------------------- */

static int refuse(const struct rg_checked_file *file) {
  const struct rg_faults *errors = &file->report.errors;
  if (file->unreadable != NULL)
    rg_cli_error("%s: cannot be read: %s", file->path, file->unreadable);
  else if (errors->count == 0)
    rg_cli_error("%s: there is not enough memory to check it", file->path);
  else
    rg_cli_error("%s: %s%s%s", file->path, errors->items[0].path,
                 errors->items[0].path[0] != '\0' ? ": " : "",
                 errors->items[0].message);
  return RG_CLI_CONFIG;
}

/* A program may use gRPC late, and would end late; here it has not begun. */
static int check_strictly(const struct request *request) {
  if (!request->strict || request->config == NULL) return RG_CLI_OK;
  const struct rg_fleet nobody = {0};
  struct rg_checked_file file;
  rg_checked_file_init(&file, request->config, &nobody);
  int status = RG_CLI_OK;
  if (file.unreadable != NULL || !rg_faults_empty(&file.report.errors))
    status = refuse(&file);
  rg_checked_file_clean_up(&file);
  return status;
}

/* ---- The environment ----------------------------------------------------- */

/* The program may change its folder, and so may what it starts. */
static bool set_config(const char *path) {
  char folder[PATH_MAX];
  char *whole = NULL;
  if (path[0] == '/') return setenv("RETRY_GUARD_SERVICE_CONFIG", path, 1) == 0;
  if (getcwd(folder, sizeof folder) == NULL ||
      asprintf(&whole, "%s/%s", folder, path) < 0)
    return false;
  bool set = setenv("RETRY_GUARD_SERVICE_CONFIG", whole, 1) == 0;
  free(whole);
  return set;
}

static bool set_text(const char *name, const char *value) {
  return value == NULL || setenv(name, value, 1) == 0;
}

static bool set_started(void) {
  char pid[32];
  snprintf(pid, sizeof pid, "%ld", (long)getpid());
  return setenv("RETRY_GUARD_STARTED", pid, 1) == 0;
}

static bool set_environment(const struct request *request) {
  return (request->config == NULL || set_config(request->config)) &&
         set_text("RETRY_GUARD_LAYER", request->layer) &&
         set_text("RETRY_GUARD_MODE", request->mode) &&
         set_text("RETRY_GUARD_METRICS", request->metrics) &&
         set_text("RETRY_GUARD_ACCEPT_MARKS",
                  request->no_accept_marks ? "0" : NULL) &&
         set_text("RETRY_GUARD_STRICT", request->strict ? "1" : NULL) &&
         set_started();
}

static const char *preload(void) {
  char command[PATH_MAX];
  char library[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
  command[length > 0 ? length : 0] = '\0';
  if (!rg_preloaded_find(command, library, sizeof library))
    return "its path is too long";
  return rg_preloaded_add(library);
}

/* ---- The program --------------------------------------------------------- */

static int become(char **argv) {
  execvp(argv[0], argv);
  int status = errno == ENOENT ? RG_CLI_NOT_FOUND : RG_CLI_NOT_RUNNABLE;
  rg_cli_error("%s: %s", argv[0], strerror(errno));
  return status;
}

static int run(const struct request *request, char **argv) {
  int status = check_strictly(request);
  if (status != RG_CLI_OK) return status;
  const char *fault = preload();
  if (fault == NULL && !set_environment(request))
    fault = "the environment cannot be set";
  if (fault == NULL) return become(argv);
  rg_cli_error(RG_PRELOADED_NAME " cannot be used: %s", fault);
  return RG_CLI_NOT_RUNNABLE;
}

int rg_cli_run(int argc, char **argv) {
  struct request request = {.config = NULL};
  int option;
  while ((option = rg_cli_leading_option(argc, argv, options)) !=
         RG_CLI_NO_MORE_OPTIONS) {
    if (option == 'h') {
      fputs(help, stdout);
      return RG_CLI_OK;
    }
    int status = read_option(option, &request);
    if (status != RG_CLI_OK) return status;
  }
  if (optind == argc)
    return rg_cli_usage_error("run", "run: no PROGRAM is given");
  return run(&request, argv + optind);
}
