/* SPDX-License-Identifier: Apache-2.0 */

/* What all verbs of the command share: how they end, complain and read their
 * options. A verb is a function like main, whose argv[0] is its name; its
 * --help prints to standard output.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_VERB_H
#define RG_CLI_VERB_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

/* Exit statuses. */
enum rg_cli_status {
  RG_CLI_OK = 0,
  RG_CLI_WARNINGS = 1,
  RG_CLI_LIMITS = 1,  /* a limit that was asked for does not hold */
  RG_CLI_ERRORS = 2,  /* what was given is wrong, or could not be read */
  RG_CLI_USAGE = 64,  /* the command was called the wrong way */
  RG_CLI_OUTPUT = 74, /* what was to be said could not be written */
  RG_CLI_CONFIG = 78, /* a service config does not let a program run */
  /* A program could not be run, or there is none; as sh and env say it. */
  RG_CLI_NOT_RUNNABLE = 126,
  RG_CLI_NOT_FOUND = 127
};

/* The values of long options begin here; below are those of characters. */
#define RG_CLI_FIRST_OPTION 256

/* What rg_cli_option returns beside the options' own values. */
#define RG_CLI_NO_MORE_OPTIONS (-1)
#define RG_CLI_BAD_OPTION '?'

/* Writes "retry-guard: " and the text as one line to standard error. */
void rg_cli_error(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Says what is wrong with how `verb` was called and where to look it up; NULL:
 * the command itself. Returns RG_CLI_USAGE. */
int rg_cli_usage_error(const char *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The next of the verb's long options, as getopt_long: its value, with its
 * argument in `optarg`; or one of the two above. A bad one has been complained
 * about. "-h" is always there, and gives 'h'. After the last one argv[optind]
 * is the first of the other arguments. */
int rg_cli_option(int argc, char **argv, const struct option *options);

/* The same, but the first of the other arguments ends the options: those that
 * follow are not the verb's. */
int rg_cli_leading_option(int argc, char **argv, const struct option *options);

/* Reads a whole number in [low, high], which is all that `text` is; otherwise
 * false. */
bool rg_cli_read_count(const char *text, uint64_t low, uint64_t high,
                       uint64_t *count);

RG_C_END

#endif
