/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/checked.h"
#include "cli/fault_text.h"
#include "cli/paper.h"
#include "cli/table.h"

static void put_count(struct rg_paper *paper,
                      const struct rg_severity *severity, size_t count) {
  if (count > 0)
    rg_paper_put(paper, severity->ink, "%zu %s%s", count, severity->name,
                 count == 1 ? "" : "s");
}

static void write_head(struct rg_paper *paper,
                       const struct rg_checked_file *file) {
  size_t errors = rg_faults_total(&file->report.errors);
  size_t warnings = rg_faults_total(&file->report.warnings);
  rg_paper_put(paper, RG_INK_BOLD, "%s", rg_file_name(file->path));
  rg_paper_put(paper, RG_INK_PLAIN, ": ");
  put_count(paper, &rg_severity_error, errors);
  if (errors > 0 && warnings > 0) rg_paper_put(paper, RG_INK_PLAIN, ", ");
  put_count(paper, &rg_severity_warning, warnings);
  if (errors == 0 && warnings == 0) rg_paper_put(paper, RG_INK_PLAIN, "clean");
  rg_paper_newline(paper);
}

static void write_file(struct rg_paper *paper,
                       const struct rg_checked_file *file) {
  if (file->unreadable != NULL) {
    rg_paper_put(paper, RG_INK_BOLD, "%s", rg_file_name(file->path));
    rg_paper_put(paper, RG_INK_PLAIN, ": ");
    rg_paper_put(paper, RG_INK_RED, "cannot be read: %s", file->unreadable);
    rg_paper_newline(paper);
    return;
  }
  write_head(paper, file);
  rg_fault_text_write(paper, &rg_severity_error, &file->report.errors);
  rg_fault_text_write(paper, &rg_severity_warning, &file->report.warnings);
}

/* ---- The call tree ------------------------------------------------------- */

static const char *guard_of(const struct rg_tree_layer *layer) {
  if (!layer->guarded) return "no guard";
  return layer->mode == RG_LAYER_INNERMOST ? "guarded, INNERMOST"
                                           : "guarded, OUTERMOST";
}

static void write_layers(struct rg_paper *paper,
                         const struct rg_checked_tree *tree) {
  char attempts[RG_CALL_TREE_MAX][32];
  struct rg_cell cells[RG_CALL_TREE_MAX][4];
  for (size_t i = 0; i < tree->count; i++) {
    const struct rg_tree_layer *layer = &tree->layers[i];
    snprintf(attempts[i], sizeof attempts[i], "%" PRIu32 " attempt%s",
             layer->attempts, layer->attempts == 1 ? "" : "s");
    cells[i][0] =
        (struct rg_cell){rg_file_name(tree->files[i].path), RG_INK_BOLD};
    cells[i][1] = (struct rg_cell){attempts[i], RG_INK_PLAIN};
    cells[i][2] = (struct rg_cell){guard_of(layer), RG_INK_DIM};
    cells[i][3] = (struct rg_cell){
        i == tree->result.owner && tree->result.retrying == 1 ? "owns retries"
                                                              : NULL,
        RG_INK_PLAIN};
  }
  struct rg_table table = {
      .cells = cells[0], .rows = tree->count, .columns = 4, .indent = 2};
  rg_table_write(&table, paper);
}

/* Writes "3 x 3 x 3". */
static void write_product(const struct rg_checked_tree *tree, char *text,
                          size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < tree->count && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32,
                             i > 0 ? " x " : "", tree->layers[i].attempts);
}

static void write_advice(struct rg_paper *paper,
                         const struct rg_checked_tree *tree) {
  rg_paper_indent(paper, 2);
  rg_paper_put(paper, rg_severity_warning.ink, "%s", rg_severity_warning.name);
  rg_paper_indent(paper, RG_FAULT_TEXT_HANG);
  rg_paper_wrap(
      paper, RG_FAULT_TEXT_HANG, RG_INK_PLAIN,
      "%zu layers retry, one inside the other. With \"retryGuard\": {} "
      "in all of them, and the incoming call passed on as parent, %s "
      "would own the retries: the first that has a retryPolicy.",
      tree->result.retrying,
      rg_file_name(tree->files[tree->result.owner].path));
  rg_paper_newline(paper);
}

static void write_tree(struct rg_paper *paper,
                       const struct rg_checked_tree *tree) {
  char product[16 * RG_CALL_TREE_MAX];
  write_product(tree, product, sizeof product);
  rg_paper_newline(paper);
  rg_paper_put(paper, RG_INK_BOLD, "The call tree");
  rg_paper_put(paper, RG_INK_PLAIN, ", from the top:");
  rg_paper_newline(paper);
  write_layers(paper, tree);
  rg_paper_indent(paper, 2);
  rg_paper_wrap(paper, 2, RG_INK_PLAIN,
                "One request at the top becomes %" PRIu64
                " at the bottom while that fails; without any guard %s = "
                "%" PRIu64 ".",
                tree->result.requests, product, tree->result.native);
  rg_paper_newline(paper);
  if (rg_checked_tree_multiplies(tree)) write_advice(paper, tree);
}

void rg_checked_write_text(const struct rg_checked *checked) {
  struct rg_paper paper = rg_paper_on(stdout);
  for (size_t i = 0; i < checked->count; i++) {
    if (i > 0) rg_paper_newline(&paper);
    write_file(&paper, &checked->files[i]);
  }
  if (checked->tree.count > 0) write_tree(&paper, &checked->tree);
}
