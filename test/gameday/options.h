/* SPDX-License-Identifier: Apache-2.0 */

/* The command line of rg_gameday.
 *
 * Threads: one owner. */
#ifndef RG_TEST_GAMEDAY_OPTIONS_H
#define RG_TEST_GAMEDAY_OPTIONS_H

#include "gameday/fit.h"

RG_C_BEGIN

#define RG_OPTIONS_VARIANTS 16

struct rg_options {
  const char *path; /* of the scenario */
  struct rg_fit fit;
  const char *variants[RG_OPTIONS_VARIANTS]; /* by name */
  size_t variant_count; /* 0: those called plain and guarded */
  uint32_t runs;
  uint64_t seed;
  const char *json; /* files; NULL: none */
  const char *svg;
  const char *metrics; /* where guarded clients serve theirs; NULL: nowhere */
  bool together;       /* all variants at the same time */
  bool judge;
};

enum rg_options_parse {
  RG_OPTIONS_OK,
  RG_OPTIONS_HELP, /* it was asked for, and given */
  RG_OPTIONS_WRONG /* said on standard error */
};

/* The texts are those of `argv`. */
enum rg_options_parse rg_options_parse(struct rg_options *options, int argc,
                                       char **argv);

RG_C_END

#endif
