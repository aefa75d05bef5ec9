// SPDX-License-Identifier: Apache-2.0

// What core/breaker.h promises, told the plain way: generations that never
// wrap, no packing, no atomics.
#ifndef RG_TEST_SUPPORT_NAIVE_BREAKER_H
#define RG_TEST_SUPPORT_NAIVE_BREAKER_H

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/breaker.h"
#include "core/num.h"
#include "support/naive_window.h"

namespace rg_test {

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
  static constexpr uint64_t kNsPerMs = RG_NS_PER_MS;

  // Rounded up; what would end after the last ms ends with it.
  static uint64_t MsAt(uint64_t ns) {
    return std::min(ns / kNsPerMs + (ns % kNsPerMs != 0),
                    UINT64_MAX / kNsPerMs);
  }

  // An end that lies further ahead than anything that starts now could, and a
  // second more, is left from before time stepped back.
  static bool IsPast(uint64_t end_ms, uint64_t longest_ns, uint64_t now) {
    const uint64_t now_ms = now / kNsPerMs;
    return end_ms <= now_ms ||
           end_ms - now_ms > longest_ns / kNsPerMs + 2 + 1000;
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
    if (policy_.disabled) return RG_SETTLED;
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
  std::optional<NaiveWindow> total_;
  std::optional<NaiveWindow> failures_;
  std::optional<NaivePermit> places_[RG_BREAKER_PROBES_MAX];
};

}  // namespace rg_test

#endif
