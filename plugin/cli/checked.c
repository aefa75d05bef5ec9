/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/checked.h"

#include <string.h>

#include "cli/verb.h"

/* A list that long is read by programs only. */
#define FAULTS_MAX 100000

static bool is_valid(const struct rg_checked_file *file) {
  return file->config != NULL && rg_faults_empty(&file->report.errors);
}

void rg_checked_file_init(struct rg_checked_file *file, const char *path,
                          const struct rg_fleet *fleet) {
  *file = (struct rg_checked_file){.path = path};
  rg_report_init(&file->report);
  file->report.errors.limit = FAULTS_MAX;
  file->report.warnings.limit = FAULTS_MAX;
  file->unreadable = rg_file_read(path, &file->file);
  if (file->unreadable != NULL) return;
  file->config =
      rg_advise_read(file->file.bytes, file->file.length, &file->report);
  if (is_valid(file) && fleet->clients > 0)
    rg_advise_fleet(file->config, fleet, &file->report.warnings);
}

void rg_checked_file_clean_up(struct rg_checked_file *file) {
  rg_service_config_destroy(file->config);
  rg_report_clean_up(&file->report);
  rg_file_clean_up(&file->file);
}

void rg_checked_tree_init(struct rg_checked_tree *tree,
                          const struct rg_checked_file *files, size_t count) {
  *tree = (struct rg_checked_tree){.files = files};
  for (size_t i = 0; i < count; i++)
    if (!is_valid(&files[i])) return;
  for (size_t i = 0; i < count; i++)
    tree->layers[i] = rg_call_tree_layer_of(files[i].config);
  tree->count = count;
  if (count > 0) tree->result = rg_call_tree_of(tree->layers, count);
}

bool rg_checked_tree_multiplies(const struct rg_checked_tree *tree) {
  return tree->count > 0 && tree->result.retrying > 1;
}

int rg_checked_status(const struct rg_checked *checked) {
  int status =
      rg_checked_tree_multiplies(&checked->tree) ? RG_CLI_WARNINGS : RG_CLI_OK;
  for (size_t i = 0; i < checked->count; i++) {
    const struct rg_checked_file *file = &checked->files[i];
    if (file->unreadable != NULL || !rg_faults_empty(&file->report.errors))
      return RG_CLI_ERRORS;
    if (!rg_faults_empty(&file->report.warnings)) status = RG_CLI_WARNINGS;
  }
  return status;
}
