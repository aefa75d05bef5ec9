/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "Usage: rg_gameday [OPTION]... SCENARIO [SECONDS]\n"
    "\n"
    "Plays the scenario, a file, with gRPC servers and clients in processes "
    "of\n"
    "their own, and watches them for so many SECONDS (45) after the trouble.\n"
    "\n"
    "  --scale=SHARE      of the clients, calls, workers and queues; 1\n"
    "  --calm=SECONDS     before the trouble; 20, of which 5 do not count\n"
    "  --trouble=SECONDS  each incident lasts so long at most\n"
    "  --variant=NAME     these only; without, plain and guarded\n"
    "  --runs=COUNT       of each; 1\n"
    "  --seed=NUMBER      of the first run; 1\n"
    "  --together         all variants at the same time\n"
    "  --json=FILE        the last run, as `retry-guard simulate` writes it\n"
    "  --svg=FILE         a picture of it; needs gnuplot\n"
    "  --metrics=ADDRESS  the guarded clients serve their metrics there, for\n"
    "                     `retry-guard top ADDRESS`; for scenarios of one "
    "load\n"
    "  --judge            fail (1) if the simulator sees something else; 77:\n"
    "                     the machine was too busy to tell\n";

enum {
  SCALE = 256,
  CALM,
  TROUBLE,
  VARIANT,
  RUNS,
  SEED,
  TOGETHER,
  JSON,
  SVG,
  METRICS,
  JUDGE
};

static const struct option known[] = {
    {"scale", required_argument, NULL, SCALE},
    {"calm", required_argument, NULL, CALM},
    {"trouble", required_argument, NULL, TROUBLE},
    {"variant", required_argument, NULL, VARIANT},
    {"runs", required_argument, NULL, RUNS},
    {"seed", required_argument, NULL, SEED},
    {"together", no_argument, NULL, TOGETHER},
    {"json", required_argument, NULL, JSON},
    {"svg", required_argument, NULL, SVG},
    {"metrics", required_argument, NULL, METRICS},
    {"judge", no_argument, NULL, JUDGE},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* A whole number from `least` to a million; false: said. */
static bool read_number(const char *text, uint32_t least, uint32_t *number) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (*text >= '0' && *text <= '9' && *end == '\0' && value >= least &&
      value <= 1000000) {
    *number = (uint32_t)value;
    return true;
  }
  fprintf(stderr, "'%s' is not a whole number from %u to 1000000\n", text,
          least);
  return false;
}

static bool read_scale(const char *text, double *scale) {
  char *end;
  *scale = strtod(text, &end);
  if (end != text && *end == '\0' && *scale > 0 && *scale <= 1) return true;
  fprintf(stderr, "--scale must be in (0, 1], got '%s'\n", text);
  return false;
}

static bool add_variant(struct rg_options *options, const char *name) {
  if (options->variant_count == RG_OPTIONS_VARIANTS) {
    fputs("there are too many --variant\n", stderr);
    return false;
  }
  options->variants[options->variant_count++] = name;
  return true;
}

static bool read_seed(const char *text, uint64_t *seed) {
  uint32_t number;
  bool read = read_number(text, 0, &number);
  if (read) *seed = number;
  return read;
}

static bool read_option(struct rg_options *options, int option) {
  switch (option) {
    case SCALE:
      return read_scale(optarg, &options->fit.scale);
    case CALM:
      return read_number(optarg, RG_FIT_WARM_UP_S + 1, &options->fit.calm_s);
    case TROUBLE:
      return read_number(optarg, 1, &options->fit.trouble_s);
    case VARIANT:
      return add_variant(options, optarg);
    case RUNS:
      return read_number(optarg, 1, &options->runs);
    case SEED:
      return read_seed(optarg, &options->seed);
    case JSON:
      options->json = optarg;
      return true;
    case SVG:
      options->svg = optarg;
      return true;
    case METRICS:
      options->metrics = optarg;
      return true;
    case TOGETHER:
      return options->together = true;
    case JUDGE:
      return options->judge = true;
    default:
      return false;
  }
}

static bool read_rest(struct rg_options *options, int argc, char **argv) {
  if (argc < 1 || argc > 2) {
    fputs("Usage: rg_gameday [OPTION]... SCENARIO [SECONDS]\n", stderr);
    return false;
  }
  options->path = argv[0];
  return argc == 1 || read_number(argv[1], 1, &options->fit.after_s);
}

enum rg_options_parse rg_options_parse(struct rg_options *options, int argc,
                                       char **argv) {
  *options = (struct rg_options){.runs = 1, .seed = 1};
  rg_fit_init(&options->fit);
  optind = 0;
  int option;
  while ((option = getopt_long(argc, argv, "h", known, NULL)) != -1) {
    if (option == 'h') {
      fputs(help, stdout);
      return RG_OPTIONS_HELP;
    }
    if (!read_option(options, option)) return RG_OPTIONS_WRONG;
  }
  return read_rest(options, argc - optind, argv + optind) ? RG_OPTIONS_OK
                                                          : RG_OPTIONS_WRONG;
}
