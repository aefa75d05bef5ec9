// SPDX-License-Identifier: Apache-2.0

// What retry_guard_breakers_each shows of the breakers of one target.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "host/call_fixture.h"
#include "host/clock.h"

namespace rg_test {
namespace {

class BreakersEach : public CallTest {
 protected:
  BreakersEach() { now_ = rg_clock_now(); }

  // A breaker that opens with the first failure, for an hour.
  void Use(rg_breaker_scope scope) {
    method_.policy.breaker = BreakerAfter(1);
    method_.policy.breaker.scope = scope;
    method_.policy.breaker.cooldown_ns = 3600 * kSecond;
    method_.has_retry = false;
    Adopt();
  }

  void Call(const std::string &path, uint32_t status, uint64_t backend = 0) {
    rg_test::Call call = Unbound();
    call.Name(path);
    if (call.Admit().refusal != RG_REFUSED_NOT) return;
    call.Bind(&method_);
    call.Begins(Facts(0, backend));
    call.Ends(status);
    call.End(status);
  }

  std::map<std::string, retry_guard_breaker> Each() {
    std::map<std::string, retry_guard_breaker> all;
    EXPECT_EQ(
        retry_guard_breakers_each(
            target_->name,
            [](const retry_guard_breaker *breaker, void *arg) {
              auto *found =
                  static_cast<std::map<std::string, retry_guard_breaker> *>(
                      arg);
              EXPECT_TRUE(found->emplace(breaker->name, *breaker).second)
                  << "twice: " << breaker->name;
            },
            &all),
        RETRY_GUARD_OK);
    return all;
  }

  retry_guard_stats Stats() {
    retry_guard_stats stats = {};
    stats.size = sizeof stats;
    EXPECT_EQ(retry_guard_stats_get(target_->name, &stats), RETRY_GUARD_OK);
    return stats;
  }
};

TEST_F(BreakersEach, ShowsTheTargetsOwn) {
  Use(RG_BREAKER_PER_TARGET);
  Call("/shop.Ledger/Add", kUnavailable);
  auto all = Each();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[""].scope, RETRY_GUARD_SCOPE_TARGET);
  EXPECT_EQ(all[""].state, RETRY_GUARD_BREAKER_OPEN);
  EXPECT_EQ(all[""].opened, 1u);
}

TEST_F(BreakersEach, ShowsEachMethodWithWhatItsBreakerDid) {
  Use(RG_BREAKER_PER_METHOD);
  Call("/shop.Ledger/Add", kUnavailable);
  Call("/shop.Ledger/Add", 0);  // rejected
  Call("/shop.Ledger/Read", 0);
  auto all = Each();
  ASSERT_EQ(all.size(), 2u);
  const retry_guard_breaker &add = all["/shop.Ledger/Add"];
  EXPECT_EQ(add.scope, RETRY_GUARD_SCOPE_METHOD);
  EXPECT_EQ(add.state, RETRY_GUARD_BREAKER_OPEN);
  EXPECT_GT(add.cooldown_left_ms, 3500u * 1000);
  EXPECT_EQ(add.opened, 1u);
  EXPECT_EQ(add.rejections, 1u);
  const retry_guard_breaker &read = all["/shop.Ledger/Read"];
  EXPECT_EQ(read.state, RETRY_GUARD_BREAKER_CLOSED);
  EXPECT_EQ(read.cooldown_left_ms, 0u);
  EXPECT_EQ(read.opened + read.rejections, 0u);
}

TEST_F(BreakersEach, CountsProbesAndWhatTheyBring) {
  Use(RG_BREAKER_PER_METHOD);
  method_.policy.breaker.cooldown_ns = 5 * kSecond;
  Adopt();
  now_ -= 10 * kSecond;
  Call("/shop.Ledger/Add", kUnavailable);
  EXPECT_EQ(Each()["/shop.Ledger/Add"].state, RETRY_GUARD_BREAKER_HALF_OPEN)
      << "the cooldown is over, though nobody came to see";
  now_ += 10 * kSecond;
  Call("/shop.Ledger/Add", 0);
  const retry_guard_breaker add = Each()["/shop.Ledger/Add"];
  EXPECT_EQ(add.state, RETRY_GUARD_BREAKER_CLOSED);
  EXPECT_EQ(add.half_opened, 1u);
  EXPECT_EQ(add.probes, 1u);
  EXPECT_EQ(add.closed, 1u);
}

TEST_F(BreakersEach, NamesServicesAndBackends) {
  Use(RG_BREAKER_PER_SERVICE);
  Call("/shop.Ledger/Add", 0);
  Call("/shop.Ledger/Read", 0);
  EXPECT_EQ(Each().count("shop.Ledger"), 1u);
  EXPECT_EQ(Each().size(), 1u);
  Use(RG_BREAKER_PER_BACKEND);
  Call("/shop.Ledger/Add", 0, 7);
  auto all = Each();
  ASSERT_EQ(all.size(), 1u) << "those of another scope are not asked any more";
  EXPECT_EQ(all[Backend(7)->name].scope, RETRY_GUARD_SCOPE_BACKEND);
}

TEST_F(BreakersEach, CutsALongNameAtItsBegin) {
  Use(RG_BREAKER_PER_METHOD);
  const std::string end = "/" + std::string(123, 'x');
  Call("/" + std::string(1000, 'y') + end, 0);
  EXPECT_EQ(Each().begin()->first, "..." + end);
  const std::string longest = "/" + std::string(126, 'z');
  Call(longest, 0);
  EXPECT_EQ(Each().count(longest), 1u);
}

TEST_F(BreakersEach, TakesNamesOfAnyShape) {
  Use(RG_BREAKER_PER_SERVICE);
  for (const char *path : {"x", "x/y", "/a/b/c"}) Call(path, 0);
  auto all = Each();
  EXPECT_EQ(all.count("a/b"), 1u);
  EXPECT_EQ(all.count("x"), 1u);
  EXPECT_EQ(all.count(""), 1u);
}

TEST_F(BreakersEach, LeavesOutWhatNobodyCallsAnyMore) {
  Use(RG_BREAKER_PER_METHOD);
  now_ -= 11 * 60 * kSecond;
  Call("/shop.Ledger/Add", kUnavailable);
  Call("/shop.Ledger/Read", 0);
  auto all = Each();
  EXPECT_EQ(all.count("/shop.Ledger/Read"), 0u);
  EXPECT_EQ(all.count("/shop.Ledger/Add"), 1u) << "it is open";
}

TEST_F(BreakersEach, ShowsAtMostAsManyAsThereAre) {
  Use(RG_BREAKER_PER_METHOD);
  for (int i = 0; i < 300; i++) {
    now_++;
    Call("/shop.Ledger/" + std::to_string(i), 0);
  }
  auto all = Each();
  EXPECT_EQ(all.size(), size_t{RG_BREAKERS_MAX});
  EXPECT_EQ(all.count("/shop.Ledger/299"), 1u);
}

TEST_F(BreakersEach, AgreesWithTheStats) {
  Use(RG_BREAKER_PER_METHOD);
  EXPECT_EQ(Stats().breaker_state, RETRY_GUARD_BREAKER_CLOSED);
  Call("/shop.Ledger/Add", kUnavailable);
  Call("/shop.Ledger/Read", 0);
  Call("/shop.Ledger/Sum", 0);
  const retry_guard_stats stats = Stats();
  EXPECT_EQ(stats.breaker_state, RETRY_GUARD_BREAKER_OPEN);
  EXPECT_EQ(stats.breakers[RETRY_GUARD_BREAKER_OPEN], 1u);
  EXPECT_EQ(stats.breakers[RETRY_GUARD_BREAKER_CLOSED], 2u);
  EXPECT_EQ(stats.breakers[RETRY_GUARD_BREAKER_HALF_OPEN], 0u);
}

TEST_F(BreakersEach, FindsTheTargetAsTheStatsDo) {
  Use(RG_BREAKER_PER_TARGET);
  const auto nothing = [](const retry_guard_breaker *, void *) {};
  EXPECT_EQ(retry_guard_breakers_each(target_->name + strlen("dns:///"),
                                      nothing, nullptr),
            RETRY_GUARD_OK);
  EXPECT_EQ(retry_guard_breakers_each("nowhere", nothing, nullptr),
            RETRY_GUARD_NOT_FOUND);
  EXPECT_EQ(retry_guard_breakers_each(nullptr, nothing, nullptr),
            RETRY_GUARD_INVALID_ARGUMENT);
  EXPECT_EQ(retry_guard_breakers_each(target_->name, nullptr, nullptr),
            RETRY_GUARD_INVALID_ARGUMENT);
}

TEST(BreakerState, HasANameForEach) {
  EXPECT_STREQ(retry_guard_breaker_state_string(RETRY_GUARD_BREAKER_CLOSED),
               "closed");
  EXPECT_STREQ(retry_guard_breaker_state_string(RETRY_GUARD_BREAKER_OPEN),
               "open");
  EXPECT_STREQ(retry_guard_breaker_state_string(RETRY_GUARD_BREAKER_HALF_OPEN),
               "half_open");
  EXPECT_STREQ(
      retry_guard_breaker_state_string(RETRY_GUARD_BREAKER_STATE_COUNT),
      "unknown");
}

}  // namespace
}  // namespace rg_test
