// SPDX-License-Identifier: Apache-2.0

// A target with one breaker for each method, of which one is open.
#ifndef RG_TEST_HOST_OPEN_BREAKER_H
#define RG_TEST_HOST_OPEN_BREAKER_H

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "host/clock.h"
#include "host/target.h"
#include "host/target_events.h"

namespace rg_test {

// For an hour, after one failure.
inline rg_policy PolicyWithABreakerForEachMethod() {
  rg_policy policy = {};
  policy.breaker.scope = RG_BREAKER_PER_METHOD;
  policy.breaker.consecutive_failures = 1;
  policy.breaker.window_ns = UINT64_C(10000000000);
  policy.breaker.cooldown_ns = UINT64_C(3600000000000);
  policy.breaker.probes = 1;
  return policy;
}

// Has a call of the method `path` fail, and another be rejected.
inline void OpenBreaker(rg_target *target, const std::string &path) {
  const rg_policy policy = PolicyWithABreakerForEachMethod();
  const uint64_t now = rg_clock_now();
  rg_target_adopt(target, rg_target_next_policy_number(), &policy, now);
  const rg_breaker_key key = rg_breakers_key(path.data(), path.size());
  rg_breaker *breaker = rg_breakers_find(&target->breakers, &key, now);
  ASSERT_NE(breaker, nullptr);
  rg_permit permit = rg_breaker_admit(breaker, now).permit;
  rg_target_breaker_settled(
      target, breaker, &key,
      rg_breaker_settle(breaker, &permit, RG_RESULT_FAILURE, now, 0));
  rg_target_breaker_rejected(target, breaker);
}

}  // namespace rg_test

#endif
