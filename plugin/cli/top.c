/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/figures.h"
#include "cli/paper.h"
#include "cli/scrape.h"
#include "cli/screen.h"
#include "cli/top_page.h"
#include "cli/verb.h"
#include "config/text.h"
#include "core/num.h"
#include "host/clock.h"

#define MIN_INTERVAL_S 0.1
#define MAX_INTERVAL_S 3600.0
#define TIMEOUT_MS 5000

/* Lines of the screen that are not targets: the title, an empty line, the
 * table's head and how many more there are. */
#define OTHER_LINES 4

static const char help[] =
    "Usage: retry-guard top [OPTION]... [ADDRESS]\n"
    "\n"
    "Shows the targets of a running program, whose metrics endpoint is at\n"
    "ADDRESS, HOST:PORT; by default 127.0.0.1:9464. Those where most retries\n"
    "are made or stopped come first. End it with Ctrl-C.\n"
    "\n"
    "  --interval=SECONDS   look again after so long, 0.1 to 3600; default 2\n"
    "  --once               print the table once, after one interval; so it\n"
    "                       is, too, where there is no terminal\n"
    "\n"
    "calls/s, retry/s and stopped/s, by reason, are of the interval; "
    "amplif.\n"
    "is retries per call in the last minute, and tokens what the retry budget\n"
    "would let through now. Breakers of single services, methods or backends\n"
    "that are not closed are named below.\n"
    "\n"
    "Exit status: 0, or 2 when there is no answer.\n";

enum { ONCE = RG_CLI_FIRST_OPTION, INTERVAL };

struct top {
  const char *address;
  double interval_s;
  bool once;
  /* The last two readings that came, newest first. */
  struct rg_figures now;
  struct rg_figures before;
  uint64_t now_ns;
  uint64_t before_ns;
  char fault[RG_SCRAPE_FAULT_SIZE]; /* of the last reading; "": none */
};

/* ---- Reading ------------------------------------------------------------- */

static bool fetch(struct top *top, struct rg_figures *figures) {
  struct rg_scrape scrape;
  if (!rg_scrape_get(top->address, TIMEOUT_MS, &scrape, top->fault))
    return false;
  bool read = rg_figures_read(scrape.text, scrape.length, figures);
  rg_scrape_clean_up(&scrape);
  if (!read)
    snprintf(top->fault, sizeof top->fault,
             "the answer is not from Retry Guard");
  return read;
}

static bool look(struct top *top) {
  struct rg_figures figures;
  if (!fetch(top, &figures)) return false;
  rg_figures_clean_up(&top->before);
  top->before = top->now;
  top->before_ns = top->now_ns;
  top->now = figures;
  top->now_ns = rg_clock_now();
  top->fault[0] = '\0';
  return true;
}

static void wait_interval(const struct top *top) {
  time_t seconds = (time_t)top->interval_s;
  double rest = (top->interval_s - (double)seconds) * (double)RG_NS_PER_S;
  struct timespec time = {.tv_sec = seconds, .tv_nsec = (long)rest};
  while (nanosleep(&time, &time) != 0) {
  }
}

/* ---- Showing ------------------------------------------------------------- */

/* The rates in a copy: the counts are needed for the next ones. False: there is
 * no memory for it. */
static bool write_rates(const struct top *top, size_t rows,
                        struct rg_paper *paper) {
  size_t size = top->now.count * sizeof *top->now.targets;
  struct rg_figures rates = top->now;
  double seconds = (double)(top->now_ns - top->before_ns) / (double)RG_NS_PER_S;
  rates.targets = malloc(size + 1);
  if (rates.targets == NULL) return false;
  for (size_t i = 0; i < rates.count; i++)
    rates.targets[i] = top->now.targets[i];
  rg_figures_make_rates(&rates, &top->before, seconds > 0 ? seconds : 1);
  rg_figures_sort(&rates);
  bool written = rg_top_page_write(&rates, rows, paper);
  free(rates.targets);
  return written;
}

static void write_title(const struct top *top, struct rg_paper *paper) {
  rg_paper_put(paper, RG_INK_BOLD, "%s", top->address);
  rg_paper_put(paper, RG_INK_DIM, "  %zu target%s, every %g s", top->now.count,
               top->now.count == 1 ? "" : "s", top->interval_s);
  if (top->fault[0] != '\0')
    rg_paper_put(paper, RG_INK_RED, "  no answer: %s", top->fault);
  rg_paper_newline(paper);
  rg_paper_newline(paper);
}

static void show_frame(const struct top *top) {
  char *text = NULL;
  size_t size = 0;
  struct rg_paper paper = rg_paper_on(stdout);
  size_t lines = rg_screen_lines();
  paper.out = open_memstream(&text, &size);
  if (paper.out == NULL) return;
  write_title(top, &paper);
  if (top->before_ns != 0)
    write_rates(top, lines > OTHER_LINES ? lines - OTHER_LINES : 1, &paper);
  if (fclose(paper.out) == 0) rg_screen_show(text);
  free(text);
}

/* ---- The verb ------------------------------------------------------------ */

static int give_up(const struct top *top) {
  rg_cli_error("%s: %s", top->address, top->fault);
  return RG_CLI_ERRORS;
}

static int run_once(struct top *top) {
  struct rg_paper paper = rg_paper_on(stdout);
  if (!look(top)) return give_up(top);
  wait_interval(top);
  if (!look(top)) return give_up(top);
  if (write_rates(top, RG_FIGURES_MAX, &paper)) return RG_CLI_OK;
  rg_cli_error("there is not enough memory");
  return RG_CLI_OUTPUT;
}

/* Until a signal ends it, or nobody sees it any more. */
static int run_live(struct top *top) {
  if (!look(top)) return give_up(top);
  rg_screen_enter();
  while (!ferror(stdout)) {
    show_frame(top);
    wait_interval(top);
    look(top);
  }
  rg_screen_leave();
  return RG_CLI_OK;
}

static bool read_interval(const char *text, double *interval) {
  return rg_text_read_number(text, interval) && *interval >= MIN_INTERVAL_S &&
         *interval <= MAX_INTERVAL_S;
}

/* RG_CLI_NO_MORE_OPTIONS: all is read. Otherwise what the verb returns. */
static int read_options(struct top *top, int argc, char **argv) {
  static const struct option options[] = {
      {"once", no_argument, NULL, ONCE},
      {"interval", required_argument, NULL, INTERVAL},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0}};
  int option;
  while ((option = rg_cli_option(argc, argv, options)) !=
         RG_CLI_NO_MORE_OPTIONS) {
    if (option == RG_CLI_BAD_OPTION) return RG_CLI_USAGE;
    if (option == 'h') return fputs(help, stdout), RG_CLI_OK;
    if (option == ONCE)
      top->once = true;
    else if (!read_interval(optarg, &top->interval_s))
      return rg_cli_usage_error(
          argv[0], "top: --interval wants 0.1 to 3600 seconds, got '%s'",
          optarg);
  }
  if (argc - optind > 1)
    return rg_cli_usage_error(argv[0], "top: one ADDRESS at a time");
  if (optind < argc) top->address = argv[optind];
  return RG_CLI_NO_MORE_OPTIONS;
}

int rg_cli_top(int argc, char **argv) {
  struct top top = {.address = RG_SCRAPE_ADDRESS, .interval_s = 2};
  int status = read_options(&top, argc, argv);
  if (status != RG_CLI_NO_MORE_OPTIONS) return status;
  status =
      top.once || !rg_screen_is_possible() ? run_once(&top) : run_live(&top);
  rg_figures_clean_up(&top.now);
  rg_figures_clean_up(&top.before);
  return status;
}
