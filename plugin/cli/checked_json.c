/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>

#include "cli/checked.h"
#include "cli/verb.h"

/* A text of which not all is known to be UTF-8, as a file's name. */
static json_t *text(const char *value) {
  json_t *string = json_string(value);
  return string != NULL ? string : json_string("?");
}

static json_t *faults_of(const struct rg_faults *faults) {
  json_t *list = json_array();
  for (size_t i = 0; i < faults->count; i++) {
    const struct rg_fault *fault = &faults->items[i];
    json_array_append_new(
        list, json_pack("{s:o, s:s, s:o}", "path", text(fault->path), "kind",
                        rg_fault_kind_name(fault->kind), "message",
                        text(fault->message)));
  }
  return list;
}

static json_t *file_of(const struct rg_checked_file *file) {
  json_t *object = json_pack("{s:o, s:o, s:o}", "file", text(file->path),
                             "errors", faults_of(&file->report.errors),
                             "warnings", faults_of(&file->report.warnings));
  if (file->unreadable != NULL)
    json_object_set_new(object, "unreadable", text(file->unreadable));
  return object;
}

static json_t *tree_of(const struct rg_checked_tree *tree) {
  json_t *layers = json_array();
  for (size_t i = 0; i < tree->count; i++) {
    const struct rg_tree_layer *layer = &tree->layers[i];
    json_array_append_new(
        layers,
        json_pack(
            "{s:o, s:i, s:b, s:s}", "file", text(tree->files[i].path),
            "attempts", (int)layer->attempts, "guarded", (int)layer->guarded,
            "mode",
            layer->mode == RG_LAYER_INNERMOST ? "INNERMOST" : "OUTERMOST"));
  }
  json_t *object =
      json_pack("{s:o, s:I, s:I, s:i}", "layers", layers, "requests",
                (json_int_t)tree->result.requests, "requestsWithoutGuard",
                (json_int_t)tree->result.native, "layersThatRetry",
                (int)tree->result.retrying);
  if (tree->result.owner < tree->count)
    json_object_set_new(object, "owner",
                        text(tree->files[tree->result.owner].path));
  return object;
}

void rg_checked_write_json(const struct rg_checked *checked) {
  json_t *files = json_array();
  for (size_t i = 0; i < checked->count; i++)
    json_array_append_new(files, file_of(&checked->files[i]));
  json_t *all = json_pack("{s:i, s:o}", "status", rg_checked_status(checked),
                          "files", files);
  if (checked->tree.count > 0)
    json_object_set_new(all, "tree", tree_of(&checked->tree));
  if (json_dumpf(all, stdout, JSON_INDENT(2)) != 0)
    rg_cli_error("the report could not be written");
  putchar('\n');
  json_decref(all);
}
