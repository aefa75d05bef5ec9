/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>

#include "cli/checked.h"
#include "cli/json_output.h"

static json_t *faults_of(const struct rg_faults *faults) {
  json_t *list = json_array();
  for (size_t i = 0; i < faults->count; i++) {
    const struct rg_fault *fault = &faults->items[i];
    list = rg_json_appended(
        list, json_pack("{s:o, s:s, s:o}", "path", rg_json_text(fault->path),
                        "kind", rg_fault_kind_name(fault->kind), "message",
                        rg_json_text(fault->message)));
  }
  return list;
}

static json_t *file_of(const struct rg_checked_file *file) {
  json_t *object =
      json_pack("{s:o, s:o, s:o}", "file", rg_json_text(file->path), "errors",
                faults_of(&file->report.errors), "warnings",
                faults_of(&file->report.warnings));
  return file->unreadable == NULL
             ? object
             : rg_json_with(object, "unreadable",
                            rg_json_text(file->unreadable));
}

static json_t *tree_of(const struct rg_checked_tree *tree) {
  json_t *layers = json_array();
  for (size_t i = 0; i < tree->count; i++) {
    const struct rg_tree_layer *layer = &tree->layers[i];
    layers = rg_json_appended(
        layers,
        json_pack(
            "{s:o, s:i, s:b, s:s}", "file", rg_json_text(tree->files[i].path),
            "attempts", (int)layer->attempts, "guarded", (int)layer->guarded,
            "mode",
            layer->mode == RG_LAYER_INNERMOST ? "INNERMOST" : "OUTERMOST"));
  }
  json_t *object =
      json_pack("{s:o, s:I, s:I, s:i}", "layers", layers, "requests",
                (json_int_t)tree->result.requests, "requestsWithoutGuard",
                (json_int_t)tree->result.native, "layersThatRetry",
                (int)tree->result.retrying);
  return tree->result.owner >= tree->count
             ? object
             : rg_json_with(object, "owner",
                            rg_json_text(tree->files[tree->result.owner].path));
}

bool rg_checked_write_json(const struct rg_checked *checked) {
  json_t *files = json_array();
  for (size_t i = 0; i < checked->count; i++)
    files = rg_json_appended(files, file_of(&checked->files[i]));
  json_t *all = json_pack("{s:i, s:o}", "status", rg_checked_status(checked),
                          "files", files);
  if (checked->tree.count > 0)
    all = rg_json_with(all, "tree", tree_of(&checked->tree));
  bool printed = rg_json_print(all);
  json_decref(all);
  return printed;
}
