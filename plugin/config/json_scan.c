/* SPDX-License-Identifier: Apache-2.0 */
#include "config/json_scan.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

/* One open bracket. */
struct frame {
  bool is_object;
  bool key_next;            /* the next string is a key */
  json_t *seen;             /* the object's keys so far, as a set */
  json_t *key;              /* keeps node.key alive */
  struct rg_json_path node; /* of the value that is being read */
};

struct scan {
  const char *json;
  size_t length;
  size_t at;
  struct rg_faults *faults; /* NULL: look for nothing */
  enum rg_json_scan_status status;
  struct rg_json_path root;
  size_t depth;
  struct frame frames[RG_JSON_DEPTH_MAX];
};

static void init(struct scan *scan, const char *json, size_t length,
                 const char *root, struct rg_faults *faults) {
  scan->json = json;
  scan->length = length;
  scan->at = 0;
  scan->faults = faults;
  scan->status = RG_JSON_SCAN_OK;
  scan->root = (struct rg_json_path){.key = root};
  scan->depth = 0;
}

static struct frame *top(struct scan *scan) {
  return scan->depth > 0 ? &scan->frames[scan->depth - 1] : NULL;
}

static const struct rg_json_path *here(struct scan *scan) {
  return scan->depth > 0 ? &top(scan)->node : &scan->root;
}

/* An object whose key is not known yet is itself what is being read. */
static const struct rg_json_path *nearest(struct scan *scan) {
  struct frame *frame = top(scan);
  if (frame != NULL && frame->is_object && frame->key == NULL)
    return frame->node.parent;
  return here(scan);
}

static void push(struct scan *scan, bool is_object) {
  if (scan->depth == RG_JSON_DEPTH_MAX) {
    scan->status = RG_JSON_SCAN_TOO_DEEP;
    return;
  }
  const struct rg_json_path *parent = nearest(scan);
  scan->frames[scan->depth++] = (struct frame){
      .is_object = is_object,
      .key_next = is_object,
      .node = {.parent = parent},
  };
}

static void pop(struct scan *scan) {
  struct frame *frame = top(scan);
  if (frame == NULL) return;
  json_decref(frame->seen);
  json_decref(frame->key);
  scan->depth--;
}

static void set_key(struct frame *frame, json_t *key) {
  json_decref(frame->key);
  frame->key = key;
  frame->node.key = json_string_value(key);
}

static void comma(struct scan *scan) {
  struct frame *frame = top(scan);
  if (frame == NULL) return;
  set_key(frame, NULL);
  frame->key_next = frame->is_object;
  frame->node.index++;
}

/* Moves behind the string that begins at `at`; false when it has no end. */
static bool skip_string(struct scan *scan) {
  for (scan->at++; scan->at < scan->length; scan->at++) {
    char c = scan->json[scan->at];
    if (c == '"') {
      scan->at++;
      return true;
    }
    if (c == '\\') scan->at++;
  }
  scan->at = scan->length;
  return false;
}

static bool remember(struct frame *frame) {
  if (frame->seen == NULL) frame->seen = json_object();
  return json_object_set_new_nocheck(frame->seen, json_string_value(frame->key),
                                     json_true()) == 0;
}

static void check_key(struct scan *scan, struct frame *frame) {
  if (scan->faults == NULL) return;
  const char *key = json_string_value(frame->key);
  if (json_object_get(frame->seen, key) != NULL)
    rg_json_path_fault(&frame->node, scan->faults, RG_FAULT_DUPLICATE,
                       "is given more than once");
  else if (!remember(frame))
    scan->status = RG_JSON_SCAN_INCOMPLETE;
}

/* Takes the key of `length` bytes, quotes included. */
static void take_key(struct scan *scan, struct frame *frame, const char *text,
                     size_t length) {
  bool plain = memchr(text, '\\', length) == NULL;
  set_key(frame, plain ? json_stringn(text + 1, length - 2)
                       : json_loadb(text, length, JSON_DECODE_ANY, NULL));
  frame->key_next = false;
  if (frame->key != NULL)
    check_key(scan, frame);
  else
    scan->status = RG_JSON_SCAN_INCOMPLETE;
}

static void string(struct scan *scan) {
  size_t start = scan->at;
  struct frame *frame = top(scan);
  if (skip_string(scan) && frame != NULL && frame->key_next)
    take_key(scan, frame, scan->json + start, scan->at - start);
}

static void step(struct scan *scan) {
  char c = scan->json[scan->at];
  if (c == '"') {
    string(scan);
    return;
  }
  scan->at++;
  if (c == '{' || c == '[') push(scan, c == '{');
  if (c == '}' || c == ']') pop(scan);
  if (c == ',') comma(scan);
}

static void run(struct scan *scan) {
  while (scan->at < scan->length && scan->status != RG_JSON_SCAN_TOO_DEEP)
    step(scan);
}

static void finish(struct scan *scan) {
  while (scan->depth > 0) pop(scan);
}

enum rg_json_scan_status rg_json_scan(const char *json, size_t length,
                                      const char *root,
                                      struct rg_faults *faults) {
  struct scan scan;
  init(&scan, json, length, root, faults);
  run(&scan);
  if (scan.status == RG_JSON_SCAN_TOO_DEEP)
    rg_json_path_fault(&scan.root, faults, RG_FAULT_SYNTAX,
                       "nests deeper than %d levels", RG_JSON_DEPTH_MAX);
  finish(&scan);
  return scan.status;
}

void rg_json_scan_locate(const char *json, size_t position, const char *root,
                         char *text) {
  struct scan scan;
  init(&scan, json, position, root, NULL);
  run(&scan);
  rg_json_path_write(nearest(&scan), text);
  finish(&scan);
}
