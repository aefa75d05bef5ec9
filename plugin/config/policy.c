/* SPDX-License-Identifier: Apache-2.0 */
#include "config/policy.h"

#include <stdlib.h>

#include "config/message_json.h"
#include "config/policy_block.h"
#include "config/policy_rules.h"
#include "config/policy_validate.h"

static RetryGuard__V1__Policy *read_message(const char *json, size_t length,
                                            enum rg_policy_scope scope,
                                            const char *path,
                                            struct rg_faults *faults) {
  ProtobufCMessage *message =
      rg_message_from_json(&retry_guard__v1__policy__descriptor, json, length,
                           path, rg_rule_range_text, faults);
  if (message != NULL) rg_policy_validate(message, scope, path, faults);
  return (RetryGuard__V1__Policy *)message;
}

static struct rg_policy_block *new_block(RetryGuard__V1__Policy *message,
                                         struct rg_faults *faults) {
  struct rg_policy_block *block = malloc(sizeof *block);
  if (block != NULL)
    block->message = message;
  else
    rg_faults_add_out_of_memory(faults);
  return block;
}

struct rg_policy_block *rg_policy_block_parse(const char *json, size_t length,
                                              enum rg_policy_scope scope,
                                              const char *path,
                                              struct rg_faults *faults) {
  size_t before = rg_faults_total(faults);
  RetryGuard__V1__Policy *message =
      read_message(json, length, scope, path, faults);
  struct rg_policy_block *block = NULL;
  if (rg_faults_total(faults) == before) block = new_block(message, faults);
  if (block == NULL) retry_guard__v1__policy__free_unpacked(message, NULL);
  return block;
}

void rg_policy_block_destroy(struct rg_policy_block *block) {
  if (block == NULL) return;
  retry_guard__v1__policy__free_unpacked(block->message, NULL);
  free(block);
}
