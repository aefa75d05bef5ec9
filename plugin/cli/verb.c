/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verb.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/paper.h"

/* One line for each error, so that they can be searched: not wrapped. */
static void complain(const char *format, va_list args)
    __attribute__((format(printf, 1, 0)));

static void complain(const char *format, va_list args) {
  struct rg_paper paper = rg_paper_on(stderr);
  char *text = NULL;
  rg_paper_put(&paper, RG_INK_BOLD, "retry-guard: ");
  if (vasprintf(&text, format, args) < 0) text = NULL;
  rg_paper_put(&paper, RG_INK_PLAIN, "%s", text != NULL ? text : format);
  rg_paper_newline(&paper);
  free(text);
}

void rg_cli_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  complain(format, args);
  va_end(args);
}

int rg_cli_usage_error(const char *verb, const char *format, ...) {
  va_list args;
  va_start(args, format);
  complain(format, args);
  va_end(args);
  rg_cli_error("see retry-guard help%s%s", verb != NULL ? " " : "",
               verb != NULL ? verb : "");
  return RG_CLI_USAGE;
}

/* What the user wrote; a bad short option may stand in the midst of an argument
 * that is not done, so that argv does not tell. */
static int complain_of_option(char **argv, const char *what) {
  bool is_short = optopt > 0 && optopt < RG_CLI_FIRST_OPTION && optopt != 'h';
  char letter[] = {'-', (char)optopt, '\0'};
  rg_cli_usage_error(argv[0], "%s: %s %s", argv[0],
                     is_short ? letter : argv[optind - 1], what);
  return RG_CLI_BAD_OPTION;
}

static int next_option(int argc, char **argv, const char *letters,
                       const struct option *options) {
  opterr = 0;
  int value = getopt_long(argc, argv, letters, options, NULL);
  if (value == ':') return complain_of_option(argv, "needs an argument");
  if (value == '?') return complain_of_option(argv, "is no option");
  return value;
}

int rg_cli_option(int argc, char **argv, const struct option *options) {
  return next_option(argc, argv, ":h", options);
}

int rg_cli_leading_option(int argc, char **argv, const struct option *options) {
  return next_option(argc, argv, "+:h", options);
}

bool rg_cli_read_count(const char *text, uint64_t low, uint64_t high,
                       uint64_t *count) {
  char *end;
  errno = 0;
  *count = strtoull(text, &end, 10);
  /* strtoull takes a sign and spaces, too. */
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 &&
         *count >= low && *count <= high;
}
