/* SPDX-License-Identifier: Apache-2.0 */

/* What `check` found: files, and what is said about each and about the call
 * tree that they make up.
 *
 * Threads: the command has one. */
#ifndef RG_CLI_CHECKED_H
#define RG_CLI_CHECKED_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/file.h"
#include "config/advice.h"
#include "config/call_tree.h"
#include "config/report.h"
#include "config/service_config.h"
#include "core/cxx.h"

RG_C_BEGIN

struct rg_checked_file {
  const char *path;
  const char *unreadable; /* why; NULL: it was read */
  struct rg_file file;
  struct rg_service_config *config; /* NULL: there is none */
  struct rg_report report;
};

/* The layers of a call tree, from the top. */
struct rg_checked_tree {
  const struct rg_checked_file *files;
  size_t count; /* 0: no tree was asked for, or a layer is not valid */
  struct rg_tree_layer layers[RG_CALL_TREE_MAX];
  struct rg_call_tree result;
};

struct rg_checked {
  struct rg_checked_file *files;
  size_t count;
  struct rg_checked_tree tree;
};

/* Reads and checks the file at `path`; `fleet` may have no clients, then
 * nothing is said about it. */
void rg_checked_file_init(struct rg_checked_file *file, const char *path,
                          const struct rg_fleet *fleet);
void rg_checked_file_clean_up(struct rg_checked_file *file);

/* Works out the tree of `count` files, at most RG_CALL_TREE_MAX, which outlive
 * it. Of a layer with several methods the one with the most attempts counts. */
void rg_checked_tree_init(struct rg_checked_tree *tree,
                          const struct rg_checked_file *files, size_t count);

/* Whether several layers retry, one after the other. */
bool rg_checked_tree_multiplies(const struct rg_checked_tree *tree);

/* The exit status for all of it. */
int rg_checked_status(const struct rg_checked *checked);

/* Write it to standard output: for people, and as JSON; false after a complaint
 * when that could not be done. */
void rg_checked_write_text(const struct rg_checked *checked);
bool rg_checked_write_json(const struct rg_checked *checked);

RG_C_END

#endif
