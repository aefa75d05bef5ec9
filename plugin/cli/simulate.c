/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/simulate.h"

#include <stdio.h>
#include <string.h>

#include "cli/simulation.h"
#include "cli/verb.h"
#include "config/duration.h"
#include "config/text.h"

static const char help[] =
    "Usage: retry-guard simulate [OPTION]... SCENARIO [POLICY]...\n"
    "       retry-guard simulate --list\n"
    "\n"
    "Runs a fleet in virtual time, in trouble, and says what becomes of it "
    "with\n"
    "each way to call. SCENARIO is a JSON file, or the name of one that is\n"
    "installed. POLICY is a service config: such files take the place of the\n"
    "ways to call in the scenario.\n"
    "\n"
    "  --list             name the installed scenarios\n"
    "  --variant=NAME,... run only these of the scenario's ways to call\n"
    "  --compare          two POLICYs are given; said for clearness only\n"
    "  --method=SERVICE/METHOD\n"
    "                     what the calls are to the POLICYs; without it the\n"
    "                     name of the tier and Call\n"
    "  --seed=N           all chance comes from it; 1 without it\n"
    "  --goodput=PERCENT  the fleet is back when it answers so much of what "
    "it\n"
    "                     is asked, over 5 seconds, for 10; 99 without it\n"
    "  --format=text|json|csv\n"
    "  --chart            draw the requests in the text, too\n"
    "  --svg=FILE         draw a picture of the first four, by gnuplot\n"
    "  --png=FILE         the same, in pixels\n"
    "\n"
    "Limits for every run; the exit status is 1 when one does not hold:\n"
    "  --max-amplification=X  retries for each call\n"
    "  --max-peak=X           requests in any second, for one in the calm\n"
    "  --max-recovery=TIME    until it is back, such as 5s\n"
    "  --max-lost=PERCENT     calls that end badly\n"
    "\n"
    "Exit status: 0 fine, 1 a limit does not hold, 2 it could not be run.\n";

enum {
  LIST = RG_CLI_FIRST_OPTION,
  VARIANT,
  COMPARE,
  METHOD,
  SEED,
  GOODPUT,
  FORMAT,
  CHART,
  SVG,
  PNG,
  MAX_AMPLIFICATION,
  MAX_PEAK,
  MAX_RECOVERY,
  MAX_LOST
};

static const struct option options[] = {
    {"list", no_argument, NULL, LIST},
    {"variant", required_argument, NULL, VARIANT},
    {"compare", no_argument, NULL, COMPARE},
    {"method", required_argument, NULL, METHOD},
    {"seed", required_argument, NULL, SEED},
    {"goodput", required_argument, NULL, GOODPUT},
    {"format", required_argument, NULL, FORMAT},
    {"chart", no_argument, NULL, CHART},
    {"svg", required_argument, NULL, SVG},
    {"png", required_argument, NULL, PNG},
    {"max-amplification", required_argument, NULL, MAX_AMPLIFICATION},
    {"max-peak", required_argument, NULL, MAX_PEAK},
    {"max-recovery", required_argument, NULL, MAX_RECOVERY},
    {"max-lost", required_argument, NULL, MAX_LOST},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct wish {
  struct rg_simulation_request request;
  bool list;
  bool compare;
};

static int wrong(const char *what) {
  return rg_cli_usage_error("simulate", "simulate: %s, got '%s'", what, optarg);
}

static int read_format(enum rg_simulation_format *format) {
  static const char *const names[] = {[RG_SIMULATION_TEXT] = "text",
                                      [RG_SIMULATION_JSON] = "json",
                                      [RG_SIMULATION_CSV] = "csv"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(optarg, names[i]) != 0) continue;
    *format = (enum rg_simulation_format)i;
    return RG_CLI_OK;
  }
  return wrong("--format must be text, json or csv");
}

static int read_number(double high, double *number, const char *what) {
  return rg_text_read_number(optarg, number) && *number >= 0 && *number <= high
             ? RG_CLI_OK
             : wrong(what);
}

static int read_time(double *seconds) {
  struct rg_duration duration;
  if (rg_duration_parse(optarg, strlen(optarg), &duration) != RG_DURATION_OK ||
      duration.seconds < 0 || duration.nanos < 0)
    return wrong("--max-recovery must be a time such as 5s");
  *seconds = (double)rg_duration_ns(duration) / 1e9;
  return RG_CLI_OK;
}

static int read_seed(uint64_t *seed) {
  return rg_cli_read_count(optarg, 0, INT64_MAX, seed)
             ? RG_CLI_OK
             : wrong("--seed must be a whole number");
}

static int read_method(const char **method) {
  const char *slash = strrchr(optarg, '/');
  *method = optarg;
  return slash != NULL && slash != optarg && slash[1] != '\0'
             ? RG_CLI_OK
             : wrong("--method must be SERVICE/METHOD");
}

static int read_goodput(double *share) {
  int status = read_number(100, share, "--goodput must be in [0, 100]");
  *share /= 100;
  return status;
}

/* RG_CLI_OK, or how to end. */
static int read_option(int option, struct wish *wish) {
  struct rg_simulation_request *request = &wish->request;
  struct rg_limits *limits = &request->limits;
  switch (option) {
    case LIST:
      wish->list = true;
      return RG_CLI_OK;
    case COMPARE:
      wish->compare = true;
      return RG_CLI_OK;
    case CHART:
      request->chart = true;
      return RG_CLI_OK;
    case VARIANT:
      request->variants = optarg;
      return RG_CLI_OK;
    case SVG:
      request->svg = optarg;
      return RG_CLI_OK;
    case PNG:
      request->png = optarg;
      return RG_CLI_OK;
    case METHOD:
      return read_method(&request->method);
    case SEED:
      return read_seed(&request->seed);
    case GOODPUT:
      return read_goodput(&request->share);
    case FORMAT:
      return read_format(&request->format);
    case MAX_AMPLIFICATION:
      return read_number(1e6, &limits->amplification,
                         "--max-amplification must be a number from 0 on");
    case MAX_PEAK:
      return read_number(1e6, &limits->peak,
                         "--max-peak must be a number from 0 on");
    case MAX_RECOVERY:
      return read_time(&limits->recovery_s);
    case MAX_LOST:
      return read_number(100, &limits->lost_percent,
                         "--max-lost must be in [0, 100]");
    default:
      return RG_CLI_USAGE;
  }
}

static int check(const struct wish *wish, int count) {
  if (count < 1)
    return rg_cli_usage_error("simulate", "simulate: no SCENARIO is given");
  if (wish->compare && count != 3)
    return rg_cli_usage_error("simulate",
                              "simulate: --compare takes two POLICYs");
  if (wish->request.variants != NULL && count > 1)
    return rg_cli_usage_error(
        "simulate", "simulate: with POLICYs there are no other variants");
  return RG_CLI_OK;
}

int rg_cli_simulate(int argc, char **argv) {
  struct wish wish = {
      .request = {.seed = 1,
                  .share = RG_REVIEW_SHARE,
                  .limits = {-1, -1, -1, -1}},
  };
  int option;
  while ((option = rg_cli_option(argc, argv, options)) !=
         RG_CLI_NO_MORE_OPTIONS) {
    if (option == 'h') {
      fputs(help, stdout);
      return RG_CLI_OK;
    }
    int status = read_option(option, &wish);
    if (status != RG_CLI_OK) return status;
  }
  if (wish.list) return rg_simulation_list();
  int status = check(&wish, argc - optind);
  if (status != RG_CLI_OK) return status;
  wish.request.scenario = argv[optind];
  wish.request.policies = argv + optind + 1;
  wish.request.policy_count = (size_t)(argc - optind - 1);
  return rg_simulation_do(&wish.request);
}
