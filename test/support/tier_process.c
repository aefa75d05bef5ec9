/* SPDX-License-Identifier: Apache-2.0 */
#include "support/tier_process.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 30
#define START_MS 20000 /* slow machines, valgrind */
#define STOP_MS 20000
#define READ_MS 20000
#define CALL_MS 120000 /* only so that nothing hangs for ever */

/* ---- Life --------------------------------------------------------------- */

static bool start_program(struct rg_process *process, const char *program,
                          const char *const arguments[]) {
  const char *argv[ARGUMENTS_MAX + 2] = {program};
  for (size_t i = 0; i < ARGUMENTS_MAX && arguments[i] != NULL; i++)
    argv[i + 1] = arguments[i];
  return rg_process_start(process, argv);
}

bool rg_tier_process_start(struct rg_tier_process *tier, const char *program,
                           const char *const arguments[]) {
  memset(tier, 0, sizeof(*tier));
  if (!start_program(&tier->process, program, arguments)) return false;
  char line[64];
  int port = 0;
  if (!rg_process_read_line(&tier->process, line, sizeof(line), START_MS) ||
      sscanf(line, "port %d", &port) != 1) {
    fprintf(stderr, "%s does not listen\n", program);
    rg_process_stop(&tier->process, STOP_MS);
    return false;
  }
  snprintf(tier->address, sizeof(tier->address), "127.0.0.1:%d", port);
  tier->channel = rg_rpc_channel_new(tier->address, NULL, NULL);
  return true;
}

int rg_tier_process_stop(struct rg_tier_process *tier) {
  if (tier->channel != NULL) rg_rpc_channel_destroy(tier->channel);
  tier->channel = NULL;
  return rg_process_stop(&tier->process, STOP_MS);
}

/* ---- Calls -------------------------------------------------------------- */

static void count_result(const struct rg_rpc_result *result, void *data) {
  struct rg_tier_outcome *outcome = data;
  bool ok = result->status == GRPC_STATUS_OK;
  atomic_fetch_add(ok ? &outcome->ok : &outcome->failed, 1);
}

static uint8_t *pack_request(const RetryGuard__Test__Plan *plan, size_t *size) {
  RetryGuard__Test__Request request = RETRY_GUARD__TEST__REQUEST__INIT;
  request.plan = (RetryGuard__Test__Plan *)plan;
  uint8_t *packed = rg_rpc_alloc(
      1, retry_guard__test__request__get_packed_size(&request) + 1);
  *size = retry_guard__test__request__pack(&request, packed);
  return packed;
}

void rg_tier_process_start_calls(struct rg_tier_process *tier, size_t count,
                                 const RetryGuard__Test__Plan *plan) {
  struct rg_rpc_request request = {
      .method = "/retry_guard.test.Echo/Call",
      .timeout_ms = tier->timeout_ms > 0 ? tier->timeout_ms : CALL_MS,
      .wait_for_ready = true,
  };
  uint8_t *packed = pack_request(plan, &request.message.size);
  request.message.data = packed;
  for (size_t i = 0; i < count; i++)
    rg_rpc_start(tier->channel, &request, count_result, &tier->outcome, NULL);
  free(packed);
}

void rg_tier_process_wait(struct rg_tier_process *tier) {
  rg_rpc_channel_wait(tier->channel);
}

size_t rg_tier_process_call(struct rg_tier_process *tier, size_t count,
                            const RetryGuard__Test__Plan *plan) {
  rg_tier_process_wait(tier);
  size_t before = tier->outcome.ok;
  rg_tier_process_start_calls(tier, count, plan);
  rg_tier_process_wait(tier);
  return tier->outcome.ok - before;
}

static RetryGuard__Test__Counts *read_counts(
    struct rg_tier_process *tier, const struct rg_rpc_request *request) {
  RetryGuard__Test__Counts *counts = NULL;
  struct rg_rpc_result *result = rg_rpc_call(tier->channel, request);
  if (result->status == GRPC_STATUS_OK)
    counts = retry_guard__test__counts__unpack(NULL, result->message.size,
                                               result->message.data);
  if (counts == NULL)
    fprintf(stderr, "cannot read the counts of a tier: %s\n", result->details);
  rg_rpc_result_destroy(result);
  return counts;
}

RetryGuard__Test__Counts *rg_tier_process_read(struct rg_tier_process *tier,
                                               bool reset) {
  RetryGuard__Test__ReadRequest read = RETRY_GUARD__TEST__READ_REQUEST__INIT;
  read.reset = reset;
  uint8_t packed[16];
  struct rg_rpc_request request = {
      .method = "/retry_guard.test.Control/Read",
      .message = {packed, retry_guard__test__read_request__pack(&read, packed)},
      .timeout_ms = READ_MS,
      .wait_for_ready = true,
  };
  return read_counts(tier, &request);
}

bool rg_tier_process_release(struct rg_tier_process *tier) {
  struct rg_rpc_request request = {
      .method = "/retry_guard.test.Control/Release",
      .timeout_ms = READ_MS,
      .wait_for_ready = true,
  };
  struct rg_rpc_result *result = rg_rpc_call(tier->channel, &request);
  bool released = result->status == GRPC_STATUS_OK;
  rg_rpc_result_destroy(result);
  return released;
}
