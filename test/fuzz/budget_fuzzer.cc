// SPDX-License-Identifier: Apache-2.0

// core/budget.h: whatever time and updates do, a bucket pays out no more than
// it began with and was earned, a window goes as the naive one, and an update
// keeps the filled fraction.
#include "core/budget.h"

#include <optional>
#include <vector>

#include "core/num.h"
#include "fuzz/choice.h"
#include "fuzz/clock.h"
#include "fuzz/fuzz.h"
#include "support/naive_retry_window.h"

namespace {

using namespace rg_test;

// Within the ranges of policy.proto.
rg_budget_policy Policy(rg_fuzz_script *script) {
  rg_budget_policy policy = {};
  policy.kind = static_cast<rg_budget_kind>(Small(script, 3));
  policy.bucket.ratio_milli = 1 + Small(script, 1000);
  policy.bucket.burst_ns = Span(script);
  policy.bucket.initial_milli = Small(script, 20000);
  policy.bucket.max_milli = Small(script, 2) == 0 ? 0 : Small(script, 20000);
  policy.window.percent = Small(script, 101);
  policy.window.interval_ns = Span(script);
  policy.window.min_retries_milli = rg_fuzz_below(script, 20000);
  return policy;
}

class History {
 public:
  explicit History(rg_fuzz_script *script)
      : script_(script), clock_(script), policy_(Policy(script)) {
    rg_budget_init(&budget_, &policy_, clock_.now());
    Observe();
  }

  void Run() {
    while (script_->left > 0) {
      Step();
      Compare();
    }
  }

 private:
  struct Token {
    rg_token token;
    int generation;
    int times;  // how often time had made a large step back
    int64_t naive_epoch;
  };

  void Step() {
    switch (Small(script_, 12)) {
      case 0:
        Update();
        break;
      case 1:
        StepBack();
        break;
      case 2:
      case 3:
        clock_.GoOn(script_);
        break;
      case 4:
      case 5:
        Refund();
        break;
      case 6:
      case 7:
        Begin();
        break;
      case 8:
      case 9:
        Succeed();
        break;
      default:
        Take();
    }
  }

  // ---- What happens ----

  void Begin() {
    rg_budget_call_began(&budget_, clock_.now());
    if (naive_) naive_->Begin(clock_.now());
  }

  void Succeed() {
    rg_budget_call_succeeded(&budget_, clock_.now());
    credit_ += policy_.bucket.ratio_milli;
  }

  void Take() {
    const uint64_t level = Level();
    Token token = {{}, generation_, times_, 0};
    const bool taken = rg_budget_take(&budget_, clock_.now(), &token.token);
    RG_FUZZ_CHECK(taken == (level >= 1000));
    if (!taken) return;
    RG_FUZZ_CHECK(level == UINT64_MAX || Level() == level - 1000);
    credit_ -= 1000;
    taken_++;
    if (naive_) token.naive_epoch = naive_->Take();
    tokens_.push_back(token);
  }

  // Of a policy that is not in force any more it gives nothing back.
  void Refund() {
    if (tokens_.empty()) return;
    const auto pick = tokens_.begin() + Small(script_, tokens_.size());
    const Token token = *pick;
    tokens_.erase(pick);
    rg_budget_refund(&budget_, token.token);
    if (token.generation != generation_) return;
    credit_ += 1000;
    if (!naive_) return;
    if (token.times == times_)
      naive_->Refund(token.naive_epoch);
    else
      RefundForgotten();
  }

  void Update() {
    const uint64_t level = Level();
    const uint64_t capacity = Capacity();
    policy_ = Policy(script_);
    rg_budget_update(&budget_, &policy_, clock_.now());
    generation_++;
    Observe();
    if (capacity == UINT64_MAX || Capacity() == UINT64_MAX) return;
    using Wide = unsigned __int128;
    RG_FUZZ_CHECK(Wide{Level()} * capacity <= Wide{Capacity()} * level);
  }

  // Of a retry that a large step back made forgotten: at most one of those
  // since then is forgotten in its place.
  void RefundForgotten() {
    exact_ = false;
    forgotten_milli_ += 1000;
  }

  // The naive model forgets at once what lies ahead of a large step. Of a step
  // that is not much larger than the marks of the window it keeps some for a
  // while: then there are fewer retries, never more.
  void StepBack() {
    clock_.StepBack(script_);
    if (!naive_ || naive_->Behind(clock_.now()) <= RG_RETRY_WINDOW_MARKS)
      return;
    times_++;
    if (naive_->Behind(clock_.now()) <= 3 * RG_RETRY_WINDOW_MARKS)
      exact_ = false;
  }

  // ---- What must be so ----

  uint64_t Level() { return rg_budget_level(&budget_, clock_.now()); }

  rg_budget_generation *InForce() {
    return &budget_.generations[budget_.current & 1];
  }

  uint64_t Capacity() {
    if (policy_.kind == RG_BUDGET_TOKEN_BUCKET)
      return rg_token_bucket_capacity(&InForce()->bucket, clock_.now());
    if (policy_.kind == RG_BUDGET_WINDOW)
      return rg_retry_window_read(&InForce()->window, clock_.now()).limit_milli;
    return UINT64_MAX;
  }

  // Where a policy that has just come into force begins.
  void Observe() {
    credit_ = static_cast<int64_t>(Level());
    naive_.reset();
    exact_ = true;
    forgotten_milli_ = 0;
    if (policy_.kind != RG_BUDGET_WINDOW) return;
    const rg_retry_window_reading reading =
        rg_retry_window_read(&InForce()->window, clock_.now());
    naive_.emplace(policy_.window, clock_.now());
    pretended_ = reading.retries;
    naive_->Pretend(static_cast<int64_t>(reading.calls),
                    static_cast<int64_t>(reading.retries), clock_.now());
  }

  void Compare() {
    const uint64_t level = Level();
    RG_FUZZ_CHECK(level == UINT64_MAX || level <= Capacity());
    if (policy_.kind == RG_BUDGET_TOKEN_BUCKET) {
      RG_FUZZ_CHECK(credit_ >= 0);
      RG_FUZZ_CHECK(level <= static_cast<uint64_t>(credit_));
    }
    if (!naive_) return;
    naive_->MoveTo(clock_.now());
    const uint64_t left = static_cast<uint64_t>(naive_->Left());
    RG_FUZZ_CHECK(exact_ ? level == left : level <= left + forgotten_milli_);
    const rg_retry_window_reading reading =
        rg_retry_window_read(&InForce()->window, clock_.now());
    RG_FUZZ_CHECK(reading.retries <= pretended_ + taken_ ||
                  reading.retries == UINT32_MAX /* not known just now */);
  }

  rg_fuzz_script *script_;
  ScriptedClock clock_;
  rg_budget_policy policy_;
  rg_budget budget_;
  int generation_ = 0;
  std::vector<Token> tokens_;
  int64_t credit_ = 0;  // of a bucket
  std::optional<NaiveRetryWindow> naive_;
  bool exact_ = true;  // the naive model
  int times_ = 0;
  uint64_t forgotten_milli_ = 0;
  uint64_t pretended_ = 0;
  uint64_t taken_ = 0;
};

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rg_fuzz_script script = {data, size};
  History history(&script);
  history.Run();
  return 0;
}
