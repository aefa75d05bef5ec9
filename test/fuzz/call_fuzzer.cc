// SPDX-License-Identifier: Apache-2.0

// host/call.h: calls of any shape, on two targets, whose verbs come in any
// order leave nothing behind: no token, no permit, no count that does not add
// up, and no more retries than the budget allows.
#include "host/call.h"

#include <deque>
#include <string>

#include "fuzz/choice.h"
#include "fuzz/fuzz.h"
#include "host/call_fixture.h"

namespace {

using namespace rg_test;

constexpr size_t kMethods = 3;
constexpr size_t kAtATime = 8;

bool OneIn(rg_fuzz_script *script, uint64_t n) {
  return Small(script, n) == n - 1;
}

// ---- Policies ---------------------------------------------------------------

// A probe that got lost would keep a breaker half-open for an hour.
rg_breaker_policy Breaker(rg_fuzz_script *script) {
  rg_breaker_policy policy = BreakerAfter(1 + Small(script, 4));
  policy.disabled = OneIn(script, 8);
  policy.scope = static_cast<rg_breaker_scope>(Small(script, 4));
  policy.cooldown_ns = kMs * (1 + Small(script, 100));
  policy.probes = 1 + Small(script, RG_BREAKER_PROBES_MAX);
  policy.probe_timeout_ns = 3600 * kSecond;
  return policy;
}

rg_deadline_policy Deadline(rg_fuzz_script *script) {
  rg_deadline_policy policy = {};
  policy.disabled = OneIn(script, 8);
  policy.adaptive = OneIn(script, 2);
  policy.hop_margin_ns = kMs * Small(script, 20);
  policy.min_attempt_ns = kMs * Small(script, 20);
  policy.attempt_timeout_ns = kMs * Small(script, 200);
  policy.min_remaining_ns = kMs * Small(script, 20);
  return policy;
}

// The budget is the target's, so the same for all.
rg_method_policy RandomMethod(const rg_budget_policy &budget,
                              rg_fuzz_script *script) {
  rg_method_policy method = Method(budget);
  method.policy.mode = OneIn(script, 4) ? RG_MODE_SHADOW : RG_MODE_ENFORCE;
  method.policy.breaker = Breaker(script);
  method.policy.deadline = Deadline(script);
  method.policy.idempotency.mode =
      static_cast<rg_idempotency>(Small(script, 3));
  method.policy.backoff.jitter = static_cast<rg_jitter>(Small(script, 3));
  method.policy.backoff.floor_ms = Small(script, 50);
  method.policy.layer.disabled = OneIn(script, 8);
  method.policy.layer.mode = static_cast<rg_layer_mode>(Small(script, 2));
  method.policy.layer.max_hops = 1 + Small(script, 4);
  method.has_retry = !OneIn(script, 8);
  method.retry.max_attempts = 2 + Small(script, RG_MAX_ATTEMPTS - 1);
  return method;
}

rg_budget_policy Budget(rg_fuzz_script *script) {
  switch (Small(script, 4)) {
    case 0:
      return Unlimited();
    case 1: {
      const uint32_t percent = Small(script, 101);
      return Window(percent, rg_fuzz_below(script, 5000));
    }
    default:
      return Bucket(Small(script, 5000));
  }
}

// ---- A target, and what became of its calls
// ----------------------------------

struct Target {
  rg_target *target = rg_target_acquire(FreshName("fuzz").c_str());
  uint64_t began = 0;      // calls with at least one attempt
  uint64_t succeeded = 0;  // and earned

  ~Target() { rg_target_release(target); }

  void ExpectNoBreakerStuck(uint64_t now) const {
    RG_FUZZ_CHECK(!rg_breaker_rejects(&target->breakers.whole, now));
    const rg_scoped_breaker *scoped = target->breakers.scoped;
    for (int i = 0; scoped != nullptr && i < RG_BREAKERS_MAX; i++)
      RG_FUZZ_CHECK(!rg_breaker_rejects(&scoped[i].breaker, now));
  }

  // All of it happened within the hour that budgets count over.
  void ExpectBudgetKept(const rg_budget_policy &policy, uint64_t now) const {
    if (target->policy_number == 0) return;  // there is none yet
    const uint64_t spent =
        rg_attempt_counts_read(&target->attempts).retries * 1000;
    const uint64_t level = rg_budget_level(&target->budget, now);
    if (policy.kind == RG_BUDGET_TOKEN_BUCKET)
      RG_FUZZ_CHECK(spent + level <= policy.bucket.initial_milli +
                                         succeeded * policy.bucket.ratio_milli);
    if (policy.kind == RG_BUDGET_WINDOW)
      RG_FUZZ_CHECK(spent + level <= policy.window.min_retries_milli +
                                         began * policy.window.percent * 10 +
                                         999 /* less than a retry's worth */);
  }

  void ExpectSettled() const {
    const rg_target_counters &c = target->counters;
    const rg_attempt_sums sums = rg_attempt_counts_read(&target->attempts);
    RG_FUZZ_CHECK(c.tokens_outstanding == 0);
    RG_FUZZ_CHECK(sums.calls == began);
    RG_FUZZ_CHECK(sums.attempts == sums.calls + sums.retries);
    RG_FUZZ_CHECK(c.fail_open == 0);
    RG_FUZZ_CHECK(c.breaker_half_opened <= c.breaker_opened);
    RG_FUZZ_CHECK(c.breaker_half_opened <= c.breaker_probes);
    RG_FUZZ_CHECK(c.breaker_closed <= c.breaker_half_opened);
    RG_FUZZ_CHECK(c.undecided_retries <= sums.retries);
  }
};

// ---- A call -----------------------------------------------------------------

struct Live {
  Call call;
  Target *target;
  bool has_own_key;
  bool bound = false;
  bool retry_decided = false;  // and not begun
  std::deque<Attempt> attempts = {};
};

class Walk {
 public:
  explicit Walk(rg_fuzz_script *script)
      : script_(script), budget_(Budget(script)) {
    for (rg_method_policy &method : methods_)
      method = RandomMethod(budget_, script);
  }

  void Run() {
    while (script_->left > 0) Step();
    while (!calls_.empty()) EndCall(0);
    for (const Target &target : targets_) {
      target.ExpectSettled();
      target.ExpectBudgetKept(budget_, now_);
      target.ExpectNoBreakerStuck(now_ + 2 * kSecond);
    }
  }

 private:
  void Step() {
    const uint32_t verb = Small(script_, 16);
    if (verb == 0 || calls_.empty()) {
      if (calls_.size() < kAtATime) BeginCall();
      return;
    }
    if (verb == 1) {
      now_ += kMs * Small(script_, 256);
      return;
    }
    const size_t i = Small(script_, calls_.size());
    Live *live = &calls_[i];
    if (verb == 2)
      EndCall(i);
    else if (verb == 3)
      Tell(live);
    else if (verb < 9)
      BeginAttempt(live);
    else
      EndAttempt(live);
    if (verb >= 9 && live->call.raw().ended) EndCall(i);
  }

  // ---- Verbs ----

  void BeginCall() {
    Target *target = &targets_[Small(script_, 2)];
    retry_guard_hop *hop = OneIn(script_, 4) ? hop_.get() : nullptr;
    calls_.push_back({Call(target->target, hop, !OneIn(script_, 8), &now_),
                      target, !OneIn(script_, 4)});
    Live *live = &calls_.back();
    const std::string service = std::to_string(Small(script_, 3));
    const std::string method = std::to_string(Small(script_, 100));
    live->call.Name("/s" + service + "/m" + method);
    // As channels do: once the target has a policy.
    const bool known = target->target->policy_number > 0;
    if (OneIn(script_, 2) && known) live->call.Admit();
    if (!OneIn(script_, 8)) Bind(live);
  }

  void Bind(Live *live) {
    const uint64_t deadline = OneIn(script_, 2)
                                  ? RG_DEADLINE_NONE
                                  : now_ + kMs * rg_fuzz_below(script_, 3000);
    live->call.Bind(&methods_[Small(script_, kMethods)], deadline);
    live->bound = true;
  }

  // What may be learnt of a call on its way.
  void Tell(Live *live) {
    switch (Small(script_, 4)) {
      case 0:
        live->call.Commit();
        break;
      case 1:
        live->call.Compress();
        break;
      case 2:
        live->call.Set(kMarked);
        break;
      default:
        live->call.Set(kMarkedToTheEnd);
    }
  }

  void BeginAttempt(Live *live) {
    if (!live->bound) Bind(live);
    const bool first = live->call.raw().attempts_begun == 0;
    const uint32_t previous = first ? 0 : Small(script_, 6);
    rg_attempt_facts facts = Facts(previous, Small(script_, 100));
    facts.has_own_key = live->has_own_key;
    live->attempts.emplace_back();
    const rg_admission admission =
        live->call.Begin(&live->attempts.back(), facts, Small(script_, 256));
    RG_FUZZ_CHECK(admission.refusal != RG_REFUSED_RETRY ||
                  !live->retry_decided);
    RG_FUZZ_CHECK(admission.refusal == RG_REFUSED_NOT ||
                  !live->attempts.back().attempt.permit.held);
    live->retry_decided = false;
  }

  rg_outcome RandomOutcome() {
    rg_outcome outcome = Outcome(kUnavailable);
    const uint32_t bits = Small(script_, 256);
    if ((bits & 3) == 0) outcome.status = Small(script_, kStatusMax + 1);
    if ((bits & 12) == 0)
      outcome.network = static_cast<rg_network>(Small(script_, 3));
    if ((bits & 48) == 0) {
      outcome.pushback.kind = static_cast<rg_pushback_kind>(Small(script_, 3));
      outcome.pushback.delay_ms = rg_fuzz_number(script_, 2);
    }
    outcome.committed = (bits & 64) == 0 && OneIn(script_, 4);
    outcome.local = (bits & 128) == 0 && OneIn(script_, 4);
    return outcome;
  }

  // Any attempt, also one that ended or was refused. One that went well ends
  // the call.
  void EndAttempt(Live *live) {
    if (live->attempts.empty()) return;
    Attempt *attempt =
        OneIn(script_, 4)
            ? &live->attempts[Small(script_, live->attempts.size())]
            : &live->attempts.back();
    if (OneIn(script_, 8)) {
      live->call.Drop(attempt);
    } else {
      const rg_outcome outcome = RandomOutcome();
      const rg_verdict verdict =
          live->call.End(attempt, outcome, Small(script_, 256));
      if (verdict.action == RG_ACTION_RETRY) live->retry_decided = true;
      if (live->call.raw().ended) live->target->succeeded++;
    }
    RG_FUZZ_CHECK(!attempt->attempt.permit.held);
  }

  // The call ends, perhaps twice; its attempts report late or never.
  void EndCall(size_t i) {
    Live live = calls_[i];
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(i));
    const uint32_t status = OneIn(script_, 2) ? kUnavailable : RG_STATUS_OK;
    const rg_call &raw = live.call.raw();
    if (raw.attempts_begun > 0) live.target->began++;
    if (live.bound && status == RG_STATUS_OK && !raw.stopped && !raw.ended)
      live.target->succeeded++;
    live.call.End(status);
    if (OneIn(script_, 4)) live.call.End(RG_STATUS_OK);
    RG_FUZZ_CHECK(!raw.token_held);
    for (Attempt &attempt : live.attempts) {
      if (OneIn(script_, 4))
        RG_FUZZ_CHECK(live.call.End(&attempt, RandomOutcome()).action ==
                      RG_ACTION_LEAVE);
      live.call.Drop(&attempt);
      RG_FUZZ_CHECK(!attempt.attempt.permit.held);
    }
    RG_FUZZ_CHECK(!raw.permit.held);
  }

  rg_fuzz_script *script_;
  uint64_t now_ = 100 * kSecond;
  rg_budget_policy budget_;
  rg_method_policy methods_[kMethods];
  Hop hop_{103 * kSecond, kMarked};
  Target targets_[2];
  std::deque<Live> calls_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rg_fuzz_script script = {data, size};
  Walk walk(&script);
  walk.Run();
  return 0;
}
