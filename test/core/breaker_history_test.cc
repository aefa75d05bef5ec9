// SPDX-License-Identifier: Apache-2.0

// Random histories of the breaker against a naive model.
#include <gtest/gtest.h>

#include <iterator>
#include <vector>

#include "core/breaker.h"
#include "support/naive_breaker.h"
#include "support/random.h"
#include "support/wild_clock.h"

namespace {

using rg_test::NaiveAdmission;
using rg_test::NaiveBreaker;
using rg_test::NaivePermit;

constexpr uint64_t kMs = UINT64_C(1000000);
constexpr uint64_t kSecond = UINT64_C(1000000000);
constexpr uint64_t kWindow = 10 * kSecond;

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
