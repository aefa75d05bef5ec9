/* SPDX-License-Identifier: Apache-2.0 */
#include "host/call_breaker.h"

#include <stddef.h>

#include "host/target_events.h"

RG_SELDOM bool rg_call_open_breaker_refuses(const struct rg_call *call,
                                            struct rg_breaker *breaker,
                                            struct rg_permit *permit,
                                            uint64_t *left_ns, uint64_t now) {
  struct rg_breaker_admission admission = rg_breaker_admit(breaker, now);
  if (admission.half_opened)
    rg_target_breaker_half_opened(call->target, breaker, &call->key);
  if (admission.permit.place > 0)
    rg_target_breaker_probed(call->target, breaker);
  *permit = admission.permit;
  *left_ns = admission.left_ns;
  return !admission.admitted;
}

bool rg_call_admit_closed(struct rg_call *call) {
  call->breaker = rg_breakers_whole(&call->target->breakers);
  return call->breaker != NULL &&
         rg_breaker_admit_closed(call->breaker, &call->permit);
}

bool rg_call_admit_closed_in_scope(struct rg_call *call, uint64_t now) {
  call->breaker = rg_breakers_find(&call->target->breakers, &call->key, now);
  return call->breaker == NULL ||
         rg_breaker_admit_closed(call->breaker, &call->permit);
}

bool rg_call_is_barred(const struct rg_call *call, uint64_t now) {
  const struct rg_breaker *breaker =
      rg_breakers_find(&call->target->breakers, &call->key, now);
  return breaker != NULL && rg_breaker_rejects(breaker, now);
}

RG_SELDOM static void note_settled(const struct rg_call *call,
                                   struct rg_breaker *breaker,
                                   const struct rg_backend *backend,
                                   enum rg_settlement settlement) {
  struct rg_breaker_key key = call->key;
  key.backend = backend;
  rg_target_breaker_settled(call->target, breaker, &key, settlement);
}

void rg_call_breaker_settle(struct rg_call *call, struct rg_breaker *breaker,
                            const struct rg_backend *backend,
                            struct rg_permit *permit, enum rg_result result,
                            uint64_t now, uint64_t random) {
  if (!permit->held) return;
  enum rg_settlement settlement =
      rg_breaker_settle(breaker, permit, result, now, random);
  if (settlement != RG_SETTLED)
    note_settled(call, breaker, backend, settlement);
}
