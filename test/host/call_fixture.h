// SPDX-License-Identifier: Apache-2.0

// What tests of the call object share. All verbs of host/call.h are called from
// here and nowhere else.
#ifndef RG_TEST_HOST_CALL_FIXTURE_H
#define RG_TEST_HOST_CALL_FIXTURE_H

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "host/call.h"
#include "host/fresh_name.h"

namespace rg_test {

constexpr uint64_t kMs = UINT64_C(1000000);
constexpr uint64_t kSecond = 1000 * kMs;

constexpr uint32_t kCancelled = 1;
constexpr uint32_t kNotFound = 5;
constexpr uint32_t kUnavailable = 14;
constexpr uint32_t kStatusMax = 16;

inline rg_outcome Outcome(uint32_t status,
                          rg_network network = RG_NETWORK_UNKNOWN) {
  rg_outcome outcome = {};
  outcome.status = status;
  outcome.network = network;
  return outcome;
}

inline rg_outcome WithPushback(rg_pushback_kind kind, uint64_t delay_ms = 0) {
  rg_outcome outcome = Outcome(kUnavailable);
  outcome.pushback.kind = kind;
  outcome.pushback.delay_ms = delay_ms;
  return outcome;
}

inline const rg_outcome kNotSent = Outcome(kUnavailable, RG_NETWORK_NOT_SENT);
inline const rg_outcome kNotSeen = Outcome(kUnavailable, RG_NETWORK_NOT_SEEN);

inline rg_mark Mark(const std::string &owner, uint32_t hops, uint32_t attempt) {
  rg_mark mark = {};
  mark.hops = hops;
  mark.attempt = attempt;
  mark.owner_length = static_cast<uint8_t>(owner.size());
  memcpy(mark.owner, owner.data(), owner.size());
  return mark;
}

inline std::string Owner(const rg_mark &mark) {
  return std::string(mark.owner, mark.owner_length);
}

inline rg_ancestry Ancestry(rg_lineage lineage, const rg_mark &mark) {
  rg_ancestry ancestry = {};
  ancestry.lineage = lineage;
  ancestry.mark = mark;
  return ancestry;
}

inline const rg_ancestry kMarked =
    Ancestry(RG_LINEAGE_MARKED, Mark("edge", 2, 3));
inline const rg_ancestry kMarkedToTheEnd =
    Ancestry(RG_LINEAGE_MARKED_NO_FORWARD, {});

// A bucket of `initial_milli` that a successful call adds a tenth of a retry
// to; for thousands of calls on end nothing is too old or too much.
inline rg_budget_policy Bucket(uint32_t initial_milli) {
  rg_budget_policy policy = {};
  policy.kind = RG_BUDGET_TOKEN_BUCKET;
  policy.bucket.ratio_milli = 100;
  policy.bucket.burst_ns = 3600 * kSecond;
  policy.bucket.initial_milli = initial_milli;
  return policy;
}

inline rg_budget_policy Window(uint32_t percent, uint64_t min_retries_milli) {
  rg_budget_policy policy = {};
  policy.kind = RG_BUDGET_WINDOW;
  policy.window.percent = percent;
  policy.window.interval_ns = 3600 * kSecond;
  policy.window.min_retries_milli = min_retries_milli;
  return policy;
}

inline rg_budget_policy Unlimited() {
  rg_budget_policy policy = {};
  policy.kind = RG_BUDGET_UNLIMITED;
  return policy;
}

// Five attempts for UNAVAILABLE with backoffs up to 100, 200, 400 and 800 ms,
// as the layer "checkout".
inline rg_method_policy Method(const rg_budget_policy &budget) {
  rg_method_policy method = {};
  method.number = rg_target_next_policy_number();
  method.policy.budget = budget;
  method.policy.budgeted = true;
  method.policy.backoff.jitter = RG_JITTER_FULL;
  method.policy.layer.max_hops = RG_DEFAULT_MAX_HOPS;
  method.policy.layer.name_length = 8;
  memcpy(method.policy.layer.name, "checkout", 8);
  method.has_retry = true;
  method.retry.max_attempts = RG_MAX_ATTEMPTS;
  method.retry.retryable_codes = 1u << kUnavailable;
  method.retry.initial_backoff_ms = 100;
  method.retry.max_backoff_ms = 800;
  method.retry.multiplier_micro = 2000000;
  return method;
}

// The one call object, with a clock and a source of chance of its own.
class Call {
 public:
  Call(rg_target *target, const rg_ancestry *ancestry, bool retries_enabled,
       uint64_t *now)
      : now_(now) {
    rg_call_begin(&call_, target, ancestry, retries_enabled);
  }

  void Bind(const rg_method_policy *method) {
    rg_call_bind(&call_, method, *now_);
  }
  void Add(const rg_ancestry &ancestry) {
    rg_call_add_ancestry(&call_, &ancestry);
  }
  void Commit() { rg_call_commit(&call_); }

  // `previous_attempts`: the entry that gRPC's retry filter adds.
  rg_admission Attempt(uint32_t previous_attempts = 0) {
    return rg_call_attempt_begin(&call_, previous_attempts, *now_);
  }
  rg_verdict Ends(const rg_outcome &outcome, uint64_t random = 0) {
    return rg_call_attempt_end(&call_, &outcome, *now_, random);
  }
  rg_verdict Ends(uint32_t status, uint64_t random = 0) {
    return Ends(Outcome(status), random);
  }
  void End(uint32_t status) { rg_call_end(&call_, status, *now_); }

  // An attempt that ends; the verdict on it.
  rg_verdict Try(const rg_outcome &outcome) {
    EXPECT_TRUE(Attempt().proceed);
    return Ends(outcome);
  }
  rg_verdict Try(uint32_t status) { return Try(Outcome(status)); }

 private:
  rg_call call_;
  uint64_t *now_;
};

// Calls of one method to a target of the test's own.
class CallTest : public testing::Test {
 protected:
  CallTest() { Renew(1); }
  ~CallTest() override { rg_target_release(target_); }

  Call Unbound(const rg_ancestry *ancestry = nullptr) {
    return Call(target_, ancestry, retries_enabled_, &now_);
  }
  Call Begin(const rg_ancestry *ancestry = nullptr) {
    Call call = Unbound(ancestry);
    call.Bind(&method_);
    return call;
  }

  // Has calls from here on go to a new target with a budget of so many retries.
  void Renew(uint32_t retries) {
    rg_target_release(target_);
    target_ = rg_target_acquire(FreshName("call").c_str());
    method_.policy.budget = Bucket(1000 * retries);
  }

  uint64_t Level() { return rg_budget_level(&target_->budget, now_); }
  const rg_target_counters &counters() { return target_->counters; }
  uint64_t Stops() {
    uint64_t sum = 0;
    for (const auto &stop : counters().stops) sum += stop;
    return sum;
  }

  rg_target *target_ = nullptr;
  rg_method_policy method_ = Method(Bucket(1000));
  bool retries_enabled_ = true;
  uint64_t now_ = 100 * kSecond;
};

}  // namespace rg_test

#endif
