// SPDX-License-Identifier: Apache-2.0

// What tests of the call object share. All verbs of host/call.h are called from
// here and nowhere else.
#ifndef RG_TEST_HOST_CALL_FIXTURE_H
#define RG_TEST_HOST_CALL_FIXTURE_H

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "config/defaults.h"
#include "host/call.h"
#include "host/call_breaker.h"
#include "host/fresh_name.h"
#include "host/hop.h"

namespace rg_test {

constexpr uint64_t kMs = UINT64_C(1000000);
constexpr uint64_t kSecond = 1000 * kMs;

constexpr uint32_t kCancelled = 1;
constexpr uint32_t kDeadlineExceeded = 4;
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

// Off, as in most tests.
inline rg_breaker_policy NoBreaker() {
  rg_breaker_policy policy = {};
  policy.disabled = true;
  policy.failure_codes = RG_DEFAULT_FAILURE_CODES;
  policy.failure_ratio_milli = 500;
  policy.min_requests = 20;
  policy.window_ns = 10 * kSecond;
  policy.cooldown_ns = 5 * kSecond;
  policy.probes = 1;
  policy.probe_timeout_ns = 5 * kSecond;
  return policy;
}

// Opens after so many failures in a row, for five seconds.
inline rg_breaker_policy BreakerAfter(uint32_t failures) {
  rg_breaker_policy policy = NoBreaker();
  policy.disabled = false;
  policy.min_requests = 1000000;
  policy.consecutive_failures = failures;
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
  method.policy.breaker = NoBreaker();
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

// An attempt that the test keeps in its hands, with what was said of it.
struct Attempt {
  rg_attempt attempt = {};
  rg_admission admission = {};

  bool proceeds() const { return admission.refusal == RG_REFUSED_NOT; }
};

// One of those that tests tell apart, "ipv4:10.0.0.7:443" for 7; they live as
// long as their thread. 0: none.
inline const rg_backend *Backend(uint64_t number) {
  if (number == 0) return nullptr;
  static thread_local std::map<uint64_t, std::pair<std::string, rg_backend>>
      backends;
  auto [at, is_new] = backends.try_emplace(number);
  auto &[name, backend] = at->second;
  if (is_new) {
    name = "ipv4:10.0.0." + std::to_string(number) + ":443";
    backend = {number, name.data(), name.size()};
  }
  return &backend;
}

inline rg_attempt_facts Facts(uint32_t previous_attempts,
                              uint64_t backend = 0) {
  rg_attempt_facts facts = {};
  facts.previous_attempts = previous_attempts;
  facts.backend = Backend(backend);
  return facts;
}

// The one call object, with a clock and a source of chance of its own. It keeps
// its newest attempt; others are for the test to keep.
class Call {
 public:
  Call(rg_target *target, retry_guard_hop *hop, bool retries_enabled,
       uint64_t *now)
      : now_(now) {
    rg_call_begin(&call_, target, hop, retries_enabled);
  }

  void Name(const std::string &path) {
    static thread_local std::set<std::string> paths;  // which outlive the call
    const std::string &kept = *paths.insert(path).first;
    rg_call_name(&call_, kept.data(), kept.size());
  }
  bool AdmitClosed() { return rg_call_admit_closed(&call_); }
  bool AdmitClosedInScope() {
    return rg_call_admit_closed_in_scope(&call_, *now_);
  }
  bool IsBarred() const { return rg_call_is_barred(&call_, *now_); }
  rg_admission Admit() {
    rg_admission admission;
    rg_call_admit(&call_, *now_, &admission);
    return admission;
  }
  void Bind(const rg_method_policy *method,
            uint64_t deadline = RG_DEADLINE_NONE) {
    rg_call_bind(&call_, method, deadline, *now_);
  }
  // `ancestry` outlives the call.
  void Set(const rg_ancestry &ancestry) {
    rg_call_set_ancestry(&call_, &ancestry);
  }
  void Commit() { rg_call_commit(&call_); }
  void Compress() { rg_call_compress(&call_); }

  // Begins `attempt`; the call's own one stays what it is.
  rg_admission Begin(Attempt *attempt, const rg_attempt_facts &facts = {},
                     uint64_t random = 1) {
    const uint64_t bits[2] = {random, ~random};
    attempt->attempt = {};
    rg_call_attempt_begin(&call_, &attempt->attempt, &facts, *now_, bits,
                          &attempt->admission);
    return attempt->admission;
  }
  rg_verdict End(Attempt *attempt, const rg_outcome &outcome,
                 uint64_t random = 0) {
    return rg_call_attempt_end(&call_, &attempt->attempt, &outcome, *now_,
                               random);
  }
  void Drop(Attempt *attempt) {
    rg_call_attempt_drop(&call_, &attempt->attempt, *now_);
  }
  bool IsCurrent(const Attempt &attempt) const {
    return rg_call_is_current(&call_, &attempt.attempt);
  }

  rg_admission Begins(const rg_attempt_facts &facts, uint64_t random = 1) {
    return Begin(&newest_, facts, random);
  }
  // `previous_attempts`: the entry that gRPC's retry filter adds.
  rg_admission Begins(uint32_t previous_attempts = 0) {
    return Begins(Facts(previous_attempts));
  }
  bool Proceeds(uint32_t previous_attempts = 0) {
    return Begins(previous_attempts).refusal == RG_REFUSED_NOT;
  }
  rg_verdict Ends(const rg_outcome &outcome, uint64_t random = 0) {
    return End(&newest_, outcome, random);
  }
  rg_verdict Ends(uint32_t status, uint64_t random = 0) {
    return Ends(Outcome(status), random);
  }
  void Drop() { Drop(&newest_); }
  void End(uint32_t status) { rg_call_end(&call_, status, *now_, 0); }

  // An attempt that ends; the verdict on it.
  rg_verdict Try(const rg_outcome &outcome) {
    EXPECT_TRUE(Proceeds());
    return Ends(outcome);
  }
  rg_verdict Try(uint32_t status) { return Try(Outcome(status)); }

  const rg_call &raw() const { return call_; }
  std::string Key() const {
    char key[RG_KEY_LENGTH + 1];
    rg_call_key(&call_, key);
    return key;
  }

 private:
  rg_call call_;
  Attempt newest_;
  uint64_t *now_;
};

// A server call, as far as calls made on its behalf see it.
class Hop {
 public:
  explicit Hop(uint64_t deadline = RG_DEADLINE_NONE,
               const rg_ancestry &ancestry = {}) {
    hop_.stop_caller = false;  // `= {}` leaves atomics as they are
    hop_.deadline = deadline;
    hop_.ancestry = ancestry;
  }
  Hop(const Hop &) = delete;
  Hop &operator=(const Hop &) = delete;

  retry_guard_hop *get() { return &hop_; }
  // Whether its caller is told not to retry.
  bool StopsItsCaller() const { return hop_.stop_caller; }

 private:
  retry_guard_hop hop_ = {};
};

// Calls of one method to a target of the test's own.
class CallTest : public testing::Test {
 protected:
  CallTest() { Renew(1); }
  ~CallTest() override { rg_target_release(target_); }

  // Made on behalf of `hop`.
  Call Unbound(retry_guard_hop *hop = nullptr) {
    return Call(target_, hop, retries_enabled_, &now_);
  }
  Call Begin(retry_guard_hop *hop = nullptr,
             uint64_t deadline = RG_DEADLINE_NONE) {
    Call call = Unbound(hop);
    call.Bind(&method_, deadline);
    return call;
  }
  // Made on behalf of a call with this above it, which outlives the call.
  Call Begin(const rg_ancestry *ancestry) {
    Call call = Begin();
    if (ancestry != nullptr) call.Set(*ancestry);
    return call;
  }

  // Has calls from here on go to a new target with a budget of so many retries.
  void Renew(uint32_t retries) {
    rg_target_release(target_);
    target_ = rg_target_acquire(FreshName("call").c_str());
    method_.policy.budget = Bucket(1000 * retries);
  }

  // Puts what the test changed in `method_` in force.
  void Adopt() {
    method_.number = rg_target_next_policy_number();
    rg_target_adopt(target_, method_.number, &method_.policy, now_);
  }

  rg_breaker_state State() {
    return rg_breaker_state_of(&target_->breakers.whole);
  }

  uint64_t Level() { return rg_budget_level(&target_->budget, now_); }
  const rg_target_counters &counters() { return target_->counters; }
  rg_attempt_sums sums() { return rg_attempt_counts_read(&target_->attempts); }
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
