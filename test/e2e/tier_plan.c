/* SPDX-License-Identifier: Apache-2.0 */
#include "e2e/tier_plan.h"

#include <stdlib.h>

#include "support/echo.pb-c.h"

static void answer_ok(struct rg_rpc_incoming *incoming,
                      const RetryGuard__Test__Request *request,
                      struct rg_rpc_answer *answer) {
  RetryGuard__Test__Reply reply = RETRY_GUARD__TEST__REPLY__INIT;
  reply.payload = request->payload;
  uint8_t *packed =
      rg_rpc_alloc(1, retry_guard__test__reply__get_packed_size(&reply) + 1);
  answer->message.data = packed;
  answer->message.size = retry_guard__test__reply__pack(&reply, packed);
  rg_rpc_reply(incoming, answer);
  free(packed);
}

static bool plan_fails(const RetryGuard__Test__Plan *plan,
                       const struct rg_rpc_incoming *incoming) {
  if (plan->status == GRPC_STATUS_OK) return false;
  return plan->attempts == 0 ||
         rg_rpc_previous_attempts(incoming->metadata) < plan->attempts;
}

static void answer_failure(struct rg_rpc_incoming *incoming,
                           const RetryGuard__Test__Plan *plan,
                           struct rg_rpc_answer *answer) {
  struct rg_rpc_entry pushback =
      rg_rpc_text("grpc-retry-pushback-ms", plan->pushback);
  answer->status = (grpc_status_code)plan->status;
  answer->details = plan->details;
  answer->trailers = &pushback;
  answer->trailer_count = pushback.size > 0 ? 1 : 0;
  rg_rpc_reply(incoming, answer);
}

static void follow(struct rg_rpc_incoming *incoming,
                   const RetryGuard__Test__Request *request,
                   const RetryGuard__Test__Plan *plan) {
  struct rg_rpc_answer answer = {
      .early_initial_metadata = plan->early_initial_metadata,
      .delay_ms = plan->delay_ms,
  };
  if (plan_fails(plan, incoming))
    answer_failure(incoming, plan, &answer);
  else
    answer_ok(incoming, request, &answer);
}

void rg_tier_plan_follow(struct rg_rpc_incoming *incoming) {
  RetryGuard__Test__Plan no_plan = RETRY_GUARD__TEST__PLAN__INIT;
  RetryGuard__Test__Request *request = retry_guard__test__request__unpack(
      NULL, incoming->message.size, incoming->message.data);
  if (request == NULL)
    rg_rpc_reply(incoming,
                 &(struct rg_rpc_answer){.status = GRPC_STATUS_INVALID_ARGUMENT,
                                         .details = "no Request message"});
  else if (request->plan != NULL && request->plan->hang)
    rg_rpc_hang(incoming);
  else
    follow(incoming, request, request->plan ? request->plan : &no_plan);
  retry_guard__test__request__free_unpacked(request, NULL);
}
