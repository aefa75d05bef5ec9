// SPDX-License-Identifier: Apache-2.0

// In shadow the guard decides and counts everything, and changes nothing: the
// same script runs in both modes side by side.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "host/call.h"
#include "host/call_fixture.h"
#include "support/random.h"

namespace {

using namespace rg_test;

using CallShadow = CallTest;

// What happens to one call, whatever the guard does about it.
struct Plan {
  bool is_marked = false, has_own_key = false, is_compressed = false;
  bool is_given_up = false;        // while its last attempt runs
  uint64_t time = 3600 * kSecond;  // that the call has
  std::vector<rg_outcome> outcomes;
  std::vector<bool> abandoned;  // gRPC goes on before the attempt ends
};

std::string Facts(const rg_target &target) {
  const rg_target_counters &c = target.counters;
  const rg_attempt_sums a = rg_attempt_counts_read(&target.attempts);
  std::ostringstream facts;
  facts << "calls " << a.calls << " attempts " << a.attempts << " retries "
        << a.retries << " transparent " << a.transparent_retries << " stops";
  for (const auto &stop : c.stops) facts << " " << stop;
  facts << " undecided " << c.undecided_retries << " rejected "
        << c.rejected_retries << " outstanding " << c.tokens_outstanding
        << " made " << a.marks_made << " forwarded " << a.marks_forwarded
        << " remaining " << c.refused_remaining << " rejections "
        << c.breaker_rejections << " opened " << c.breaker_opened
        << " half-opened " << c.breaker_half_opened << " closed "
        << c.breaker_closed << " probes " << c.breaker_probes << " stale "
        << c.breaker_stale;
  return facts.str();
}

// A target in one mode, with a gRPC of its own.
class World {
 public:
  World(rg_mode mode, const rg_method_policy &method)
      : mode_(mode),
        method_(method),
        target_(rg_target_acquire(FreshName("world").c_str())) {
    method_.policy.mode = mode;
  }
  ~World() { rg_target_release(target_); }
  World(const World &) = delete;
  World &operator=(const World &) = delete;

  void Run(const Plan &plan, uint64_t now) {
    now_ = now;
    Call call(target_, nullptr, true, &now_);
    if (plan.is_marked) call.Set(kMarked);
    if (plan.is_compressed) call.Compress();
    call.Bind(&method_, now + plan.time);
    call.End(Attempts(&call, plan));
  }

  std::string facts() {
    return Facts(*target_) + " level " +
           std::to_string(rg_budget_level(&target_->budget, now_)) + " state " +
           std::to_string(rg_breaker_state_of(&target_->breakers.whole));
  }
  const rg_target_counters &counters() { return target_->counters; }
  rg_attempt_sums sums() { return rg_attempt_counts_read(&target_->attempts); }

 private:
  // As gRPC's retry filter does it; the call's status.
  uint32_t Attempts(Call *call, const Plan &plan) {
    uint32_t tried = 0;
    bool not_seen = false;
    for (size_t i = 0;; i++) {
      const rg_outcome &outcome = plan.outcomes[i];
      rg_attempt_facts facts = rg_test::Facts(tried);
      facts.has_own_key = plan.has_own_key;
      Attempt attempt;
      const rg_refusal refusal = call->Begin(&attempt, facts).refusal;
      if (mode_ == RG_MODE_SHADOW) ExpectNothing(attempt.admission);
      if (refusal == RG_REFUSED_REMAINING) return kDeadlineExceeded;
      if (refusal != RG_REFUSED_NOT) return kUnavailable;
      const bool is_last = i + 1 == plan.outcomes.size();
      if (is_last && plan.is_given_up) {
        call->Drop(&attempt);
        return kCancelled;
      }
      if (!is_last && plan.abandoned[i] && tried + 1 < RG_MAX_ATTEMPTS) {
        tried++;
        call->Drop(&attempt);
        continue;
      }
      const rg_verdict verdict = call->End(&attempt, outcome, i * 12345);
      if (mode_ == RG_MODE_SHADOW) {
        EXPECT_EQ(verdict.action, RG_ACTION_LEAVE);
      }
      if (is_last || verdict.action == RG_ACTION_STOP) return outcome.status;
      if (rg_outcome_is_transparent(&outcome, not_seen)) {
        not_seen |= outcome.network == RG_NETWORK_NOT_SEEN;
        continue;
      }
      tried++;
      if (!rg_verdict_native_retries(&method_.retry, &outcome, tried))
        return outcome.status;
    }
  }

  static void ExpectNothing(const rg_admission &admission) {
    EXPECT_EQ(admission.refusal, RG_REFUSED_NOT);
    EXPECT_EQ(admission.mark_origin, RG_MARK_NOT_SENT);
    EXPECT_FALSE(admission.send_key);
    EXPECT_EQ(admission.deadline, RG_DEADLINE_NONE);
  }

  rg_mode mode_;
  rg_method_policy method_;
  rg_target *target_;
  uint64_t now_ = 0;
};

// Both modes at once.
class Worlds {
 public:
  explicit Worlds(const rg_method_policy &method)
      : enforced(RG_MODE_ENFORCE, method), shadow(RG_MODE_SHADOW, method) {}

  void Run(const Plan &plan, uint64_t now) {
    enforced.Run(plan, now);
    shadow.Run(plan, now);
  }
  bool Agree() {
    EXPECT_EQ(shadow.facts(), enforced.facts());
    return shadow.facts() == enforced.facts();
  }

  World enforced, shadow;
};

Plan Of(const std::vector<rg_outcome> &outcomes) {
  Plan plan;
  plan.outcomes = outcomes;
  plan.abandoned.resize(outcomes.size());
  return plan;
}

Plan Failing(size_t attempts) {
  return Of(std::vector<rg_outcome>(attempts, Outcome(kUnavailable)));
}

TEST_F(CallShadow, AStoppedCallGoesOnAndIsNotCountedFromThereOn) {
  Worlds worlds(Method(Bucket(1000)));
  worlds.Run(Failing(5), now_);
  EXPECT_TRUE(worlds.Agree());
  EXPECT_EQ(worlds.shadow.sums().attempts, 2u);
  EXPECT_EQ(worlds.shadow.counters().stops[RG_STOP_BUDGET], 1u);
}

// With the guard the call would have failed, and earned nothing.
TEST_F(CallShadow, ASuccessThatTheGuardWouldHavePreventedEarnsNothing) {
  Worlds worlds(Method(Bucket(0)));
  worlds.Run(Of({Outcome(kUnavailable), Outcome(RG_STATUS_OK)}), now_);
  EXPECT_TRUE(worlds.Agree());
}

TEST_F(CallShadow, AnOpenBreakerLetsEverythingThroughAndCountsTheRejections) {
  rg_method_policy method = Method(Bucket(1000));
  method.policy.breaker = BreakerAfter(1);
  Worlds worlds(method);
  for (int i = 0; i < 10; i++) worlds.Run(Failing(1), now_);
  EXPECT_TRUE(worlds.Agree());
  EXPECT_EQ(worlds.shadow.counters().breaker_rejections, 9u);
  worlds.Run(Of({Outcome(RG_STATUS_OK)}), now_ + 5 * kSecond);
  EXPECT_TRUE(worlds.Agree());
  EXPECT_EQ(worlds.shadow.counters().breaker_closed, 1u);
}

TEST_F(CallShadow, ACallThatHasTooLittleTimeIsSentAndCounted) {
  rg_method_policy method = Method(Bucket(1000));
  method.policy.deadline.min_remaining_ns = kSecond;
  method.policy.breaker = BreakerAfter(1);
  Worlds worlds(method);
  Plan plan = Failing(1);
  plan.time = 1;
  worlds.Run(plan, now_);
  EXPECT_TRUE(worlds.Agree());
  EXPECT_EQ(worlds.shadow.counters().refused_remaining, 1u);
  EXPECT_EQ(worlds.shadow.counters().breaker_opened, 0u);
}

TEST_F(CallShadow, GivesNoKeysMarksOrDeadlines) {
  rg_method_policy method = Method(Bucket(1000));
  method.policy.idempotency.mode = RG_IDEMPOTENCY_GENERATE;
  method.policy.deadline.attempt_timeout_ns = kSecond;
  Worlds worlds(method);
  worlds.Run(Failing(5), now_);
  EXPECT_TRUE(worlds.Agree());
  EXPECT_EQ(worlds.shadow.sums().marks_made, 2u);
}

TEST_F(CallShadow, AProbesPlaceIsFreedByACallThatWouldHaveBeenRefused) {
  method_.policy.mode = RG_MODE_SHADOW;
  method_.policy.breaker = BreakerAfter(1);
  method_.policy.deadline.min_remaining_ns = kSecond;
  Adopt();
  Begin().Try(kUnavailable);
  now_ += 5 * kSecond;
  Call call = Unbound();
  ASSERT_EQ(call.Admit().refusal, RG_REFUSED_NOT);
  call.Bind(&method_, now_ + 1);
  call.Begins();
  call.Ends(RG_STATUS_OK);
  call.End(RG_STATUS_OK);
  EXPECT_EQ(State(), RG_BREAKER_HALF_OPEN);
  EXPECT_FALSE(rg_breaker_rejects(&target_->breakers.whole, now_));
}

rg_outcome RandomOutcome(Random *random) {
  rg_outcome outcome =
      Outcome(random->OneIn(3) ? uint32_t{RG_STATUS_OK} : kUnavailable);
  if (random->OneIn(5))
    outcome.status = static_cast<uint32_t>(random->Below(kStatusMax + 1));
  if (outcome.status != RG_STATUS_OK && random->OneIn(5))
    outcome.network = static_cast<rg_network>(random->Below(3));
  if (random->OneIn(10))
    outcome.pushback.kind = static_cast<rg_pushback_kind>(random->Below(3));
  outcome.pushback.delay_ms = random->Below(1000);
  return outcome;
}

Plan RandomPlan(Random *random) {
  Plan plan;
  plan.is_marked = random->OneIn(10);
  plan.has_own_key = !random->OneIn(10);
  plan.is_compressed = random->OneIn(10);
  plan.is_given_up = random->OneIn(10);
  if (random->OneIn(3)) plan.time = random->Below(500 * kMs);
  for (uint64_t i = 1 + random->Below(8); i > 0; i--) {
    plan.outcomes.push_back(RandomOutcome(random));
    plan.abandoned.push_back(random->OneIn(10));
  }
  return plan;
}

TEST_F(CallShadow, CountsWhatEnforceWouldHaveCountedWhateverHappens) {
  rg_method_policy method = Method(Bucket(1000));
  method.policy.breaker = BreakerAfter(8);
  method.policy.breaker.cooldown_ns = 100 * kMs;
  method.policy.idempotency.mode = RG_IDEMPOTENCY_KEY;
  method.policy.deadline.min_remaining_ns = 20 * kMs;
  method.policy.deadline.adaptive = true;
  Worlds worlds(method);
  Random random(1);
  uint64_t now = now_;
  for (int i = 0; i < 20000; i++) {
    now += random.Below(50 * kMs);
    worlds.Run(RandomPlan(&random), now);
    ASSERT_TRUE(worlds.Agree()) << i;
  }
  const rg_target_counters &c = worlds.shadow.counters();
  for (const auto &stop : c.stops) EXPECT_GT(stop, 0u);
  EXPECT_GT(c.breaker_rejections, 0u);
  EXPECT_GT(c.breaker_closed, 0u);
  EXPECT_GT(c.refused_remaining, 0u);
  EXPECT_GT(c.undecided_retries, 0u);
  EXPECT_GT(c.rejected_retries, 0u);
  EXPECT_EQ(c.tokens_outstanding, 0u);
}

}  // namespace
