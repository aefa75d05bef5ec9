// SPDX-License-Identifier: Apache-2.0

// One breaker with the default policy but for the jitter, which is off, and
// the verbs that its tests are written in.
#ifndef RG_TEST_SUPPORT_BREAKER_FIXTURE_H
#define RG_TEST_SUPPORT_BREAKER_FIXTURE_H

#include <gtest/gtest.h>

#include <cstdint>

#include "core/breaker.h"

namespace rg_test {

class BreakerFixture : public testing::Test {
 protected:
  static constexpr uint64_t kMs = UINT64_C(1000000);
  static constexpr uint64_t kSecond = UINT64_C(1000000000);
  static constexpr uint64_t kDay = 86400 * kSecond;
  static constexpr uint64_t kNow = 1000000 * kSecond;
  static constexpr uint64_t kCooldown = 5 * kSecond;
  static constexpr uint64_t kProbeTimeout = 3 * kSecond;
  static constexpr int kMinRequests = 20;
  // Random bits that lengthen a cooldown by the least and by the most.
  static constexpr uint64_t kShortest = 0;
  static constexpr uint64_t kLongest = UINT64_MAX;

  BreakerFixture() {
    policy_.failure_ratio_milli = 500;
    policy_.min_requests = kMinRequests;
    policy_.window_ns = 10 * kSecond;
    policy_.cooldown_ns = kCooldown;
    policy_.probes = 1;
    policy_.probe_timeout_ns = kProbeTimeout;
    Init();
  }

  void Init() { rg_breaker_init(&breaker_, &policy_); }
  void Update() { rg_breaker_update(&breaker_, &policy_); }

  rg_breaker_state State() { return rg_breaker_state_of(&breaker_); }
  bool Rejects(uint64_t now) { return rg_breaker_rejects(&breaker_, now); }
  rg_breaker_admission Admit(uint64_t now) {
    return rg_breaker_admit(&breaker_, now);
  }
  rg_permit PermitAt(uint64_t now) {
    const rg_breaker_admission admission = Admit(now);
    EXPECT_TRUE(admission.admitted);
    return admission.permit;
  }
  rg_settlement Settle(rg_permit *permit, rg_result result, uint64_t now,
                       uint64_t random = kShortest) {
    return rg_breaker_settle(&breaker_, permit, result, now, random);
  }

  // One attempt that takes no time.
  rg_settlement Attempt(rg_result result, uint64_t now,
                        uint64_t random = kShortest) {
    rg_permit permit = PermitAt(now);
    return Settle(&permit, result, now, random);
  }
  void Attempts(int count, rg_result result, uint64_t now) {
    for (int i = 0; i < count; i++) Attempt(result, now);
  }
  void Succeed(int count, uint64_t now) {
    Attempts(count, RG_RESULT_SUCCESS, now);
  }
  void Fail(int count, uint64_t now) {
    Attempts(count, RG_RESULT_FAILURE, now);
  }

  // From an empty window.
  void Open(uint64_t now, uint64_t random = kShortest) {
    Fail(kMinRequests - 1, now);
    ASSERT_EQ(Attempt(RG_RESULT_FAILURE, now, random), RG_SETTLED_OPENED);
    ASSERT_EQ(State(), RG_BREAKER_OPEN);
  }

  // Rejected to its last nanosecond and not beyond; nothing is admitted.
  void ExpectOpenUntil(uint64_t end) {
    EXPECT_EQ(State(), RG_BREAKER_OPEN);
    EXPECT_TRUE(Rejects(end - 1));
    EXPECT_FALSE(Admit(end - 1).admitted);
    EXPECT_EQ(State(), RG_BREAKER_OPEN);
    EXPECT_FALSE(Rejects(end));
  }

  // Admits the first probe after a cooldown.
  rg_permit ProbeAt(uint64_t now) {
    const rg_permit permit = PermitAt(now);
    EXPECT_EQ(State(), RG_BREAKER_HALF_OPEN);
    EXPECT_GT(permit.place, 0);
    return permit;
  }

  rg_breaker_policy policy_ = {};
  rg_breaker breaker_;
};

}  // namespace rg_test

#endif
