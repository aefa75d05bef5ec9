/* SPDX-License-Identifier: Apache-2.0 */

/* The command line of rg_tier.
 *
 * Threads: one owner. */
#ifndef RG_TEST_E2E_TIER_OPTIONS_H
#define RG_TEST_E2E_TIER_OPTIONS_H

#include <grpc/status.h>
#include <stdbool.h>
#include <stdint.h>

struct rg_tier_options {
  const char *name;
  const char *next;     /* NULL: this is the leaf */
  char *service_config; /* NULL: none; owned */
  bool guard;
  const char *layer_name; /* NULL: none */
  bool accept_marks;
  const char *metrics;   /* where they are served; NULL: nowhere */
  int port;              /* 0: the kernel chooses */
  grpc_status_code fail; /* with fail_count > 0 */
  uint64_t fail_count;   /* requests that fail; UINT64_MAX: all */
  uint64_t hold;         /* requests kept until all of them are there */
};

enum rg_tier_parse {
  RG_TIER_PARSE_OK,
  RG_TIER_PARSE_HELP,
  RG_TIER_PARSE_ERROR
};

/* Parses the command line and prints what --help or a mistake calls for. The
 * strings of `argv` stay borrowed. */
enum rg_tier_parse rg_tier_options_parse(struct rg_tier_options *options,
                                         int argc, char **argv);

void rg_tier_options_clean_up(struct rg_tier_options *options);

#endif
