/* SPDX-License-Identifier: Apache-2.0 */
#include "config/policy.h"

#include <stdlib.h>

#include "config/json_text.h"
#include "config/message_json.h"
#include "config/policy_block.h"
#include "config/policy_rules.h"
#include "config/policy_validate.h"

static struct rg_policy_block *new_block(RetryGuard__V1__Policy *message,
                                         struct rg_faults *faults) {
  struct rg_policy_block *block = malloc(sizeof *block);
  if (block != NULL)
    block->message = message;
  else
    rg_faults_add_out_of_memory(faults);
  return block;
}

struct rg_policy_block *rg_policy_block_read(const json_t *value,
                                             enum rg_policy_scope scope,
                                             const struct rg_json_path *path,
                                             struct rg_faults *faults) {
  size_t before = rg_faults_total(faults);
  ProtobufCMessage *message =
      rg_message_from_value(&retry_guard__v1__policy__descriptor, value, path,
                            rg_rule_range_text, faults);
  if (message != NULL) rg_policy_validate(message, scope, path, faults);
  struct rg_policy_block *block = NULL;
  if (rg_faults_total(faults) == before)
    block = new_block((RetryGuard__V1__Policy *)message, faults);
  if (block == NULL && message != NULL)
    protobuf_c_message_free_unpacked(message, NULL);
  return block;
}

struct rg_policy_block *rg_policy_block_parse(const char *json, size_t length,
                                              enum rg_policy_scope scope,
                                              const char *path,
                                              struct rg_faults *faults) {
  size_t before = rg_faults_total(faults);
  const struct rg_json_path root = {.key = path};
  json_t *value = rg_json_text_load(json, length, path, faults);
  if (value == NULL) return NULL;
  struct rg_policy_block *block =
      rg_policy_block_read(value, scope, &root, faults);
  json_decref(value);
  if (rg_faults_total(faults) == before) return block;
  /* A key given twice is found in the text, not in the value. */
  rg_policy_block_destroy(block);
  return NULL;
}

void rg_policy_block_destroy(struct rg_policy_block *block) {
  if (block == NULL) return;
  retry_guard__v1__policy__free_unpacked(block->message, NULL);
  free(block);
}
