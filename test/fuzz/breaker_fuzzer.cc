// SPDX-License-Identifier: Apache-2.0

// core/breaker.h: any history goes as that of the naive model, a permit counts
// once, and however it ended, a probe gets through before long.
#include "core/breaker.h"

#include <algorithm>
#include <vector>

#include "core/num.h"
#include "fuzz/choice.h"
#include "fuzz/clock.h"
#include "fuzz/fuzz.h"
#include "support/naive_breaker.h"

namespace {

using namespace rg_test;

// Within the ranges of policy.proto.
rg_breaker_policy Policy(rg_fuzz_script *script) {
  rg_breaker_policy policy = {};
  policy.disabled = Small(script, 16) == 1;
  policy.failure_ratio_milli = Small(script, 1001);
  policy.min_requests = 1 + Small(script, 40);
  policy.consecutive_failures = Small(script, 10);
  policy.window_ns = Span(script);
  policy.cooldown_ns = Span(script);
  policy.max_cooldown_ns = Small(script, 2) == 0 ? 0 : Span(script);
  policy.cooldown_jitter_milli = Small(script, 1001);
  policy.probes = 1 + Small(script, RG_BREAKER_PROBES_MAX);
  policy.probe_timeout_ns = Span(script);
  return policy;
}

class History {
 public:
  explicit History(rg_fuzz_script *script)
      : script_(script),
        clock_(script),
        policy_(Policy(script)),
        naive_(policy_) {
    rg_breaker_init(&breaker_, &policy_);
  }

  void Run() {
    while (script_->left > 0) {
      Step();
      Compare();
    }
    while (!held_.empty()) SettleOne();
    Compare();
    ExpectAProbeGetsThrough();
  }

 private:
  struct Held {
    rg_permit permit;
    NaivePermit naive;
  };

  void Step() {
    switch (Small(script_, 16)) {
      case 0:
        Update();
        break;
      case 1:
        rg_breaker_reset(&breaker_);
        naive_.Reset();
        break;
      case 2:
        clock_.StepBack(script_);
        break;
      case 3:
      case 4:
      case 5:
        clock_.GoOn(script_);
        break;
      case 6:
        Forget();
        break;
      case 7:
      case 8:
      case 9:
      case 10:
        Admit();
        break;
      default:
        if (!held_.empty()) SettleOne();
    }
  }

  void Update() {
    policy_ = Policy(script_);
    rg_breaker_update(&breaker_, &policy_);
    naive_.Update(policy_);
  }

  void Admit() {
    const rg_breaker_admission got = rg_breaker_admit(&breaker_, clock_.now());
    const NaiveAdmission expected = naive_.Admit(clock_.now());
    RG_FUZZ_CHECK(got.admitted == expected.admitted);
    RG_FUZZ_CHECK(got.half_opened == expected.half_opened);
    RG_FUZZ_CHECK(got.permit.held == expected.permit.has_value());
    if (!got.permit.held) return;
    RG_FUZZ_CHECK(got.permit.place == expected.permit->place);
    held_.push_back({got.permit, *expected.permit});
  }

  // An attempt that never reports.
  void Forget() {
    if (!held_.empty()) held_.erase(held_.begin());
  }

  void SettleOne() {
    const auto pick = held_.begin() + Small(script_, held_.size());
    Held held = *pick;
    held_.erase(pick);
    const auto result = static_cast<rg_result>(Small(script_, 3));
    const uint64_t random = UINT64_C(0x0101010101010101) * Small(script_, 256);
    const rg_settlement got = rg_breaker_settle(&breaker_, &held.permit, result,
                                                clock_.now(), random);
    RG_FUZZ_CHECK(got ==
                  naive_.Settle(held.naive, result, clock_.now(), random));
    RG_FUZZ_CHECK(!held.permit.held);
    RG_FUZZ_CHECK(rg_breaker_settle(&breaker_, &held.permit, RG_RESULT_FAILURE,
                                    clock_.now(), 0) == RG_SETTLED);
  }

  void Compare() {
    RG_FUZZ_CHECK(rg_breaker_state_of(&breaker_) == naive_.state());
    RG_FUZZ_CHECK(rg_breaker_rejects(&breaker_, clock_.now()) ==
                  naive_.Rejects(clock_.now()));
  }

  // Once more too, though all the probes before got lost.
  void ExpectAProbeGetsThrough() {
    for (int i = 0; i < 2; i++) {
      if (!PassTheLongestWait()) return;
      for (int n = 0; n < RG_BREAKER_PROBES_MAX; n++)
        rg_breaker_admit(&breaker_, clock_.now());
    }
  }

  // False at the end of time. An end so far ahead that it counts as past counts
  // again when it has come near, so it takes two waits at most.
  bool PassTheLongestWait() {
    const uint64_t longest =
        std::max({2 * policy_.cooldown_ns, 2 * policy_.max_cooldown_ns,
                  policy_.probe_timeout_ns}) +
        2 * RG_NS_PER_S;
    if (clock_.now() > UINT64_MAX - 3 * longest) return false;
    clock_.Pass(longest);
    if (rg_breaker_rejects(&breaker_, clock_.now())) clock_.Pass(longest);
    RG_FUZZ_CHECK(!rg_breaker_rejects(&breaker_, clock_.now()));
    return true;
  }

  rg_fuzz_script *script_;
  ScriptedClock clock_;
  rg_breaker_policy policy_;
  NaiveBreaker naive_;
  rg_breaker breaker_;
  std::vector<Held> held_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rg_fuzz_script script = {data, size};
  History history(&script);
  history.Run();
  return 0;
}
