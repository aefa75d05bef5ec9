// SPDX-License-Identifier: Apache-2.0

// A case in which nothing stands against a retry; each test spoils it.
#ifndef RG_TEST_SUPPORT_VERDICT_FIXTURE_H
#define RG_TEST_SUPPORT_VERDICT_FIXTURE_H

#include <gtest/gtest.h>

#include <cstdint>

#include "core/verdict.h"

namespace rg_test {

class VerdictFixture : public testing::Test {
 protected:
  static constexpr uint64_t kMs = UINT64_C(1000000);
  static constexpr uint64_t kSecond = UINT64_C(1000000000);
  static constexpr uint64_t kNow = 100 * kSecond;
  static constexpr uint64_t kTokens = 3;
  static constexpr uint64_t kCooldown = 5 * kSecond;

  static constexpr uint32_t kInvalidArgument = 3;
  static constexpr uint32_t kResourceExhausted = 8;
  static constexpr uint32_t kUnavailable = 14;

  static rg_retry_policy Retry(uint32_t max_attempts) {
    rg_retry_policy retry = {};
    retry.max_attempts = max_attempts;
    retry.retryable_codes = 1u << kUnavailable | 1u << kResourceExhausted;
    retry.initial_backoff_ms = 100;
    retry.max_backoff_ms = 1000;
    retry.multiplier_micro = 2000000;
    return retry;
  }

  static rg_outcome Outcome(uint32_t status) {
    rg_outcome outcome = {};
    outcome.status = status;
    return outcome;
  }

  VerdictFixture() : retry_(Retry(5)), outcome_(Outcome(kUnavailable)) {
    backoff_.jitter = RG_JITTER_FULL;
    layer_.max_hops = RG_DEFAULT_MAX_HOPS;
    case_.retry = &retry_;
    case_.backoff = &backoff_;
    case_.layer = &layer_;
    case_.deadline = &deadline_;
    case_.breaker = &breaker_;
    case_.budget = &budget_;
    Restore();
  }

  // Takes every reason away.
  void Restore() {
    outcome_.pushback.kind = RG_PUSHBACK_ABSENT;
    case_.lineage = RG_LINEAGE_UNMARKED;
    case_.safe = true;
    case_.compressed = false;
    case_.attempts = 1;
    case_.call_deadline = RG_DEADLINE_NONE;
    Fill(kTokens);
    CloseBreaker();
  }

  void Fill(uint64_t tokens) {
    rg_budget_policy policy = {};
    policy.kind = RG_BUDGET_TOKEN_BUCKET;
    policy.bucket.ratio_milli = 100;
    policy.bucket.burst_ns = 3 * kSecond;
    policy.bucket.initial_milli = static_cast<uint32_t>(tokens * 1000);
    rg_budget_init(&budget_, &policy, kNow);
  }

  void CloseBreaker() {
    rg_breaker_policy policy = {};
    policy.consecutive_failures = 1;
    policy.failure_ratio_milli = 1000;
    policy.window_ns = 10 * kSecond;
    policy.cooldown_ns = kCooldown;
    policy.probes = 1;
    policy.probe_timeout_ns = kCooldown;
    rg_breaker_init(&breaker_, &policy);
  }

  void OpenBreakerAt(uint64_t now) {
    rg_permit permit = rg_breaker_admit(&breaker_, now).permit;
    ASSERT_EQ(rg_breaker_settle(&breaker_, &permit, RG_RESULT_FAILURE, now, 0),
              RG_SETTLED_OPENED);
  }

  void Mark() { case_.lineage = RG_LINEAGE_MARKED; }
  void MakeUnsafe() { case_.safe = false; }
  void Compress() { case_.compressed = true; }
  void PushBack() { outcome_.pushback.kind = RG_PUSHBACK_STOP; }
  void OpenBreaker() { OpenBreakerAt(kNow); }
  void EndTheCall() { case_.call_deadline = kNow; }
  void UseUpBudget() { Fill(0); }

  // Brings one reason about.
  void Spoil(int reason) {
    switch (static_cast<rg_stop>(reason)) {
      case RG_STOP_LAYER:
        return Mark();
      case RG_STOP_UNSAFE:
        return MakeUnsafe();
      case RG_STOP_COMPRESSED:
        return Compress();
      case RG_STOP_PUSHBACK:
        return PushBack();
      case RG_STOP_BREAKER:
        return OpenBreaker();
      case RG_STOP_DEADLINE:
        return EndTheCall();
      case RG_STOP_BUDGET:
        return UseUpBudget();
      case RG_STOP_COUNT:
        return;
    }
  }

  rg_verdict Decide(uint64_t random = 0) {
    return rg_verdict_decide(&case_, &outcome_, kNow, random);
  }

  uint64_t Tokens() { return rg_budget_level(&budget_, kNow) / 1000; }

  void ExpectLeft() {
    const uint64_t before = Tokens();
    EXPECT_EQ(Decide().action, RG_ACTION_LEAVE);
    EXPECT_EQ(Tokens(), before);
  }

  void ExpectStopped(rg_stop reason) {
    const uint64_t before = Tokens();
    const rg_verdict verdict = Decide();
    EXPECT_EQ(verdict.action, RG_ACTION_STOP);
    EXPECT_EQ(verdict.reason, reason);
    EXPECT_EQ(Tokens(), before);
  }

  rg_retry_policy retry_;
  rg_backoff_policy backoff_ = {};
  rg_layer_policy layer_ = {};
  rg_deadline_policy deadline_ = {};
  rg_breaker breaker_;
  rg_budget budget_;
  rg_case case_ = {};
  rg_outcome outcome_;
};

}  // namespace rg_test

#endif
