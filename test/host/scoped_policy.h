// SPDX-License-Identifier: Apache-2.0

// A policy of breakers for tests of their scopes.
#ifndef RG_TEST_HOST_SCOPED_POLICY_H
#define RG_TEST_HOST_SCOPED_POLICY_H

#include "core/breaker.h"
#include "core/num.h"

namespace rg_test {

// Opens with the first failure.
inline rg_breaker_policy OpensAtOnce(rg_breaker_scope scope) {
  rg_breaker_policy policy = {};
  policy.scope = scope;
  policy.failure_codes = 1u << 14;
  policy.failure_ratio_milli = 500;
  policy.min_requests = 1000;
  policy.consecutive_failures = 1;
  policy.window_ns = 10 * RG_NS_PER_S;
  policy.cooldown_ns = 5 * RG_NS_PER_S;
  policy.probes = 1;
  policy.probe_timeout_ns = 5 * RG_NS_PER_S;
  return policy;
}

}  // namespace rg_test

#endif
