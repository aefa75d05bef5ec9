// SPDX-License-Identifier: Apache-2.0

// Random histories of the breaker against a naive model.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "core/breaker.h"
#include "core/num.h"
#include "support/naive_window.h"
#include "support/random.h"
#include "support/wild_clock.h"

namespace {

constexpr uint64_t kMs = UINT64_C(1000000);
constexpr uint64_t kSecond = UINT64_C(1000000000);
constexpr uint64_t kWindow = 10 * kSecond;

// ---- The model --------------------------------------------------------------

struct NaivePermit {
  uint64_t generation = 0;
  int place = 0;  // from 1; 0: no probe
  uint64_t end_ms = 0;
};

struct NaiveAdmission {
  bool admitted = false;
  bool half_opened = false;
  std::optional<NaivePermit> permit;
};

// What core/breaker.h promises, told the plain way: generations that never
// wrap, no packing, no atomics.
class NaiveBreaker {
 public:
  explicit NaiveBreaker(const rg_breaker_policy &policy) : policy_(policy) {
    EmptyWindow();
  }

  rg_breaker_state state() const { return state_; }

  void Update(const rg_breaker_policy &policy) {
    const bool other_window = policy.window_ns != policy_.window_ns;
    policy_ = policy;
    if (other_window) EmptyWindow();
  }

  void Reset() {
    Move(RG_BREAKER_CLOSED);
    cooldowns_ = 0;
    EmptyWindow();
  }

  bool Rejects(uint64_t now) const {
    if (policy_.disabled || state_ == RG_BREAKER_CLOSED) return false;
    if (state_ == RG_BREAKER_OPEN) return !CooldownOver(now);
    return FreePlace(now) == 0;
  }

  NaiveAdmission Admit(uint64_t now) {
    NaiveAdmission result;
    result.admitted = !Rejects(now);
    if (policy_.disabled || !result.admitted) return result;
    if (state_ == RG_BREAKER_OPEN) {
      result.half_opened = true;
      Move(RG_BREAKER_HALF_OPEN);
      EmptyWindow();
    }
    result.permit.emplace();
    result.permit->generation = generation_;
    if (state_ == RG_BREAKER_CLOSED) return result;
    result.permit->place = FreePlace(now);
    result.permit->end_ms = MsAt(rg_num_add(now, policy_.probe_timeout_ns));
    Place(result.permit->place) = result.permit;
    return result;
  }

  rg_settlement Settle(const NaivePermit &permit, rg_result result,
                       uint64_t now, uint64_t random) {
    const bool has_place = LeavePlace(permit);
    if (result == RG_RESULT_NEUTRAL) return RG_SETTLED;
    if (permit.generation != generation_) return RG_SETTLED_STALE;
    if (permit.place == 0) return SettleClosed(result, now, random);
    if (!has_place) return RG_SETTLED_STALE;
    if (result == RG_RESULT_SUCCESS) {
      Move(RG_BREAKER_CLOSED);
      cooldowns_ = 0;
      return RG_SETTLED_CLOSED;
    }
    return Open(now, random);
  }

 private:
  // Rounded up; what would end after the last ms ends with it.
  static uint64_t MsAt(uint64_t ns) {
    return std::min(ns / kMs + (ns % kMs != 0), UINT64_MAX / kMs);
  }

  // An end that lies further ahead than anything that starts now could, and a
  // second more, is left from before time stepped back.
  static bool IsPast(uint64_t end_ms, uint64_t longest_ns, uint64_t now) {
    const uint64_t now_ms = now / kMs;
    return end_ms <= now_ms || end_ms - now_ms > longest_ns / kMs + 2 + 1000;
  }

  uint64_t Lengthened(uint64_t length, uint64_t random) const {
    return length +
           rg_num_uniform(random, 0,
                          length * policy_.cooldown_jitter_milli / 1000);
  }

  bool CooldownOver(uint64_t now) const {
    const uint64_t longest =
        std::max(policy_.cooldown_ns, policy_.max_cooldown_ns);
    return IsPast(end_ms_, Lengthened(longest, UINT64_MAX), now);
  }

  std::optional<NaivePermit> &Place(int place) {
    return places_[static_cast<size_t>(place - 1)];
  }

  int FreePlace(uint64_t now) const {
    for (uint32_t i = 0; i < policy_.probes; i++) {
      const std::optional<NaivePermit> &place = places_[i];
      if (!place || IsPast(place->end_ms, policy_.probe_timeout_ns, now))
        return static_cast<int>(i + 1);
    }
    return 0;
  }

  bool LeavePlace(const NaivePermit &permit) {
    if (permit.place == 0) return false;
    std::optional<NaivePermit> &place = Place(permit.place);
    const bool has_place = place && place->generation == permit.generation &&
                           place->end_ms == permit.end_ms;
    if (has_place) place.reset();
    return has_place;
  }

  rg_settlement SettleClosed(rg_result result, uint64_t now, uint64_t random) {
    total_->Add(1, now);
    if (result == RG_RESULT_SUCCESS) {
      in_a_row_ = 0;
      if (!doubted_) return RG_SETTLED;
    } else {
      failures_->Add(1, now);
      in_a_row_++;
      doubted_ = true;
    }
    return IsTripped(now) ? Open(now, random) : RG_SETTLED;
  }

  // Successes look at the window only while there were failures in it when it
  // was looked at last: a step back in time may bring some back unnoticed.
  bool IsTripped(uint64_t now) {
    if (failures_->Recent(now) == 0) doubted_ = false;
    const uint32_t row = policy_.consecutive_failures;
    if (row > 0 && in_a_row_ >= row) return true;
    const int64_t total = total_->Recent(now);
    return total >= policy_.min_requests &&
           failures_->Recent(now) * 1000 > total * policy_.failure_ratio_milli;
  }

  rg_settlement Open(uint64_t now, uint64_t random) {
    uint64_t length = policy_.cooldown_ns;
    for (int i = 0; i < cooldowns_ && length < policy_.max_cooldown_ns; i++)
      length = std::min(2 * length, policy_.max_cooldown_ns);
    Move(RG_BREAKER_OPEN);
    cooldowns_++;
    end_ms_ = MsAt(rg_num_add(now, Lengthened(length, random)));
    return RG_SETTLED_OPENED;
  }

  void Move(rg_breaker_state state) {
    state_ = state;
    generation_++;
    for (std::optional<NaivePermit> &place : places_) place.reset();
  }

  void EmptyWindow() {
    total_.emplace(policy_.window_ns / RG_WINDOW_SLOTS);
    failures_.emplace(policy_.window_ns / RG_WINDOW_SLOTS);
    in_a_row_ = 0;
    doubted_ = false;
  }

  rg_breaker_policy policy_;
  rg_breaker_state state_ = RG_BREAKER_CLOSED;
  uint64_t generation_ = 0;
  uint64_t end_ms_ = 0;  // of the cooldown
  int cooldowns_ = 0;    // since it was last closed
  uint32_t in_a_row_ = 0;
  bool doubted_ = false;
  std::optional<rg_test::NaiveWindow> total_;
  std::optional<rg_test::NaiveWindow> failures_;
  std::optional<NaivePermit> places_[RG_BREAKER_PROBES_MAX];
};

// ---- The histories ----------------------------------------------------------

rg_breaker_policy RandomPolicy(rg_test::Random *random) {
  rg_breaker_policy policy = {};
  policy.disabled = random->OneIn(10);
  policy.failure_ratio_milli = static_cast<uint32_t>(random->Below(1001));
  policy.min_requests = static_cast<uint32_t>(1 + random->Below(40));
  policy.consecutive_failures =
      random->OneIn(2) ? 0 : static_cast<uint32_t>(1 + random->Below(10));
  policy.window_ns = random->OneIn(4) ? kWindow / 2 : kWindow;
  policy.cooldown_ns = 100 * kMs + random->Below(5 * kSecond);
  policy.max_cooldown_ns = random->OneIn(2) ? 0 : random->Below(60 * kSecond);
  policy.cooldown_jitter_milli = static_cast<uint32_t>(random->Below(1001));
  policy.probes =
      static_cast<uint32_t>(1 + random->Below(RG_BREAKER_PROBES_MAX));
  policy.probe_timeout_ns = 100 * kMs + random->Below(5 * kSecond);
  return policy;
}

// The breaker and its model go through the same events.
class History {
 public:
  explicit History(uint64_t start)
      : random_(start),
        clock_(start, kWindow, start + 1),
        policy_(RandomPolicy(&random_)),
        naive_(policy_) {
    rg_breaker_init(&breaker_, &policy_);
  }

  void Step() {
    clock_.GoOn();
    if (random_.OneIn(20)) clock_.StepBackALittle();
    if (random_.OneIn(20000)) clock_.StepBackADay();
    if (random_.OneIn(500)) failing_ = random_.Below(101);
    if (random_.OneIn(1000))
      Update();
    else if (random_.OneIn(5000))
      Reset();
    else if (held_.size() < 12 && random_.OneIn(2))
      Admit();
    else if (!held_.empty())
      Settle();
    Compare();
  }

  int opened() const { return opened_; }
  int closed() const { return closed_; }
  int stale() const { return stale_; }

 private:
  struct Held {
    rg_permit permit;
    NaivePermit naive;
  };

  void Update() {
    policy_ = RandomPolicy(&random_);
    rg_breaker_update(&breaker_, &policy_);
    naive_.Update(policy_);
  }

  void Reset() {
    rg_breaker_reset(&breaker_);
    naive_.Reset();
  }

  void Admit() {
    const rg_breaker_admission got = rg_breaker_admit(&breaker_, clock_.now());
    const NaiveAdmission expected = naive_.Admit(clock_.now());
    ASSERT_EQ(got.admitted, expected.admitted);
    ASSERT_EQ(got.half_opened, expected.half_opened);
    ASSERT_EQ(got.permit.held, expected.permit.has_value());
    if (!got.permit.held) return;
    ASSERT_EQ(got.permit.place, expected.permit->place);
    held_.push_back({got.permit, *expected.permit});
  }

  void Settle() {
    const size_t pick = static_cast<size_t>(random_.Below(held_.size()));
    Held held = held_[pick];
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(pick));
    const rg_result result = Result();
    const uint64_t bits = random_.Bits();
    const rg_settlement got =
        rg_breaker_settle(&breaker_, &held.permit, result, clock_.now(), bits);
    ASSERT_EQ(got, naive_.Settle(held.naive, result, clock_.now(), bits));
    opened_ += got == RG_SETTLED_OPENED;
    closed_ += got == RG_SETTLED_CLOSED;
    stale_ += got == RG_SETTLED_STALE;
  }

  rg_result Result() {
    if (random_.OneIn(10)) return RG_RESULT_NEUTRAL;
    return random_.Below(100) < failing_ ? RG_RESULT_FAILURE
                                         : RG_RESULT_SUCCESS;
  }

  void Compare() {
    ASSERT_EQ(rg_breaker_state_of(&breaker_), naive_.state());
    ASSERT_EQ(rg_breaker_rejects(&breaker_, clock_.now()),
              naive_.Rejects(clock_.now()));
  }

  rg_test::Random random_;
  rg_test::WildClock clock_;
  rg_breaker_policy policy_;
  NaiveBreaker naive_;
  rg_breaker breaker_;
  std::vector<Held> held_;
  uint64_t failing_ = 50;  // percent
  int opened_ = 0;
  int closed_ = 0;
  int stale_ = 0;
};

TEST(BreakerHistory, ARandomHistoryGoesAsTheNaiveModel) {
  constexpr int kEvents = 1000000;
  const uint64_t starts[] = {
      0,
      UINT64_C(1) << 63,
      (UINT64_C(1) << 44) * kMs - 10 * rg_test::WildClock::kDayNs,
      UINT64_MAX - 50 * rg_test::WildClock::kDayNs,
      UINT64_MAX - kSecond,
  };
  for (uint64_t start : starts) {
    History history(start);
    for (int i = 0; i < kEvents / static_cast<int>(std::size(starts)); i++) {
      history.Step();
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << start << " " << i;
    }
    EXPECT_GT(history.opened(), 100) << start;
    EXPECT_GT(history.closed(), 100) << start;
    EXPECT_GT(history.stale(), 100) << start;
  }
}

}  // namespace
