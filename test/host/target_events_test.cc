// SPDX-License-Identifier: Apache-2.0

// Which events calls bring about.
#include "host/target_events.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/call_fixture.h"
#include "host/events.h"

namespace rg_test {
namespace {

class TargetEvents : public CallTest {
 protected:
  TargetEvents() {
    Events().clear();
    rg_events_deliver_by([](const retry_guard_event *event) {
      Events().push_back(*event);
      Events().back().target = Events().back().breaker = nullptr;
      Names().push_back(event->target);
      Breakers().push_back(event->breaker);
    });
  }
  ~TargetEvents() override { rg_events_deliver_by(nullptr); }

  static std::vector<retry_guard_event> &Events() {
    static std::vector<retry_guard_event> events;
    return events;
  }
  static std::vector<std::string> &Names() {
    static std::vector<std::string> names;
    return names;
  }

  static std::vector<std::string> &Breakers() {
    static std::vector<std::string> breakers;
    return breakers;
  }

  // The kinds since the last time.
  static std::vector<std::string> Kinds() {
    std::vector<std::string> kinds;
    for (const retry_guard_event &event : Events())
      kinds.push_back(retry_guard_event_string(event.kind));
    Events().clear();
    return kinds;
  }

  // A call of one attempt, which is not retried.
  void Call(uint32_t status) {
    rg_test::Call call = Begin();
    call.Commit();
    call.Try(status);
    call.End(status);
  }
};

using Kind = std::vector<std::string>;

TEST_F(TargetEvents, AGoodCallIsNone) {
  Call(0);
  EXPECT_EQ(Kinds(), Kind{});
}

TEST_F(TargetEvents, FollowTheBreaker) {
  method_.policy.breaker = BreakerAfter(3);
  for (int i = 0; i < 3; i++) Call(kUnavailable);
  ASSERT_EQ(Events().size(), 1u);
  EXPECT_EQ(Events()[0].cause, RETRY_GUARD_CAUSE_CONSECUTIVE);
  EXPECT_EQ(Events()[0].failures, 3u);
  EXPECT_EQ(Names().back(), target_->name);
  EXPECT_EQ(Kinds(), Kind{"breaker_opened"});

  now_ += 5 * kSecond;
  rg_test::Call probe = Begin();
  ASSERT_TRUE(probe.Proceeds());
  EXPECT_EQ(Kinds(), Kind{"breaker_half_opened"});
  probe.Ends(kUnavailable);
  ASSERT_EQ(Events().size(), 1u);
  EXPECT_EQ(Events()[0].cause, RETRY_GUARD_CAUSE_PROBE);
  EXPECT_EQ(Kinds(), Kind{"breaker_opened"});

  now_ += 5 * kSecond;
  Call(0);
  EXPECT_EQ(Kinds(), (Kind{"breaker_half_opened", "breaker_closed"}));
}

TEST_F(TargetEvents, NameTheMethodWhoseBreakerMoved) {
  method_.policy.breaker = BreakerAfter(1);
  method_.policy.breaker.scope = RG_BREAKER_PER_METHOD;
  Adopt();
  rg_test::Call call = Unbound();
  call.Name("/shop.Ledger/Add");
  call.Bind(&method_);
  call.Commit();
  call.Try(kUnavailable);
  ASSERT_EQ(Events().size(), 1u);
  EXPECT_EQ(Events()[0].scope, RETRY_GUARD_SCOPE_METHOD);
  EXPECT_EQ(Breakers().back(), "/shop.Ledger/Add");
  now_ += 5 * kSecond;
  rg_test::Call probe = Unbound();
  probe.Name("/shop.Ledger/Add");
  probe.Bind(&method_);
  probe.Try(0);
  ASSERT_EQ(Kinds(),
            (Kind{"breaker_opened", "breaker_half_opened", "breaker_closed"}));
  EXPECT_EQ(Breakers().back(), "/shop.Ledger/Add");
}

TEST_F(TargetEvents, NameTheServiceWhoseBreakerMoved) {
  method_.policy.breaker = BreakerAfter(1);
  method_.policy.breaker.scope = RG_BREAKER_PER_SERVICE;
  Adopt();
  rg_test::Call call = Unbound();
  call.Name("/shop.Ledger/Add");
  call.Bind(&method_);
  call.Try(kUnavailable);
  ASSERT_EQ(Events().size(), 1u);
  EXPECT_EQ(Events()[0].scope, RETRY_GUARD_SCOPE_SERVICE);
  EXPECT_EQ(Breakers().back(), "shop.Ledger");
}

// Also when another attempt has begun meanwhile, with another backend.
TEST_F(TargetEvents, NameTheBackendThatTheAttemptWasMadeAt) {
  method_.policy.breaker = BreakerAfter(1);
  method_.policy.breaker.scope = RG_BREAKER_PER_BACKEND;
  Adopt();
  rg_test::Call call = Begin();
  Attempt first, second;
  call.Begin(&first, Facts(0, 7));
  call.Begin(&second, Facts(1, 8));
  call.End(&first, Outcome(kUnavailable));
  ASSERT_EQ(Kinds(), Kind{"breaker_opened"});
  EXPECT_EQ(Breakers().back(), Backend(7)->name);
}

TEST_F(TargetEvents, OfTheTargetsOwnBreakerNameNone) {
  method_.policy.breaker = BreakerAfter(1);
  Call(kUnavailable);
  ASSERT_EQ(Events().size(), 1u);
  EXPECT_EQ(Events()[0].scope, RETRY_GUARD_SCOPE_TARGET);
  EXPECT_EQ(Breakers().back(), "");
}

TEST_F(TargetEvents, SayWhichShareOfAttemptsFailed) {
  method_.policy.breaker = BreakerAfter(0);
  method_.policy.breaker.min_requests = 20;
  for (int i = 0; i < 9; i++) Call(0);
  for (int i = 0; i < 11; i++) Call(kUnavailable);
  ASSERT_EQ(Events().size(), 1u);
  EXPECT_EQ(Events()[0].cause, RETRY_GUARD_CAUSE_RATE);
  EXPECT_EQ(Events()[0].failures, 11u);
  EXPECT_EQ(Events()[0].total, 20u);
}

TEST_F(TargetEvents, TellOnceThatTheBudgetIsExhausted) {
  rg_test::Call call = Begin();
  EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(Kinds(), Kind{});
  EXPECT_EQ(call.Try(kUnavailable).action, RG_ACTION_STOP);
  EXPECT_EQ(Kinds(), Kind{"budget_exhausted"});
  EXPECT_EQ(Begin().Try(kUnavailable).action, RG_ACTION_STOP);
  EXPECT_EQ(Kinds(), Kind{}) << "it still is";

  for (int i = 0; i < 10; i++) Call(0);
  rg_test::Call again = Begin();
  EXPECT_EQ(again.Try(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_EQ(again.Try(kUnavailable).action, RG_ACTION_STOP);
  EXPECT_EQ(Kinds(), Kind{"budget_exhausted"}) << "anew";
}

TEST_F(TargetEvents, TellOfTheAlarmAndOfItsEnd) {
  method_.policy.budget = Unlimited();
  method_.policy.amplification_alarm_milli = 200;
  Renew(1);
  method_.policy.budget = Unlimited();
  Adopt();
  for (int i = 0; i < 62; i++) {
    now_ += kSecond;
    rg_test::Call call = Begin();
    call.Try(kUnavailable);
    call.Try(0);
    call.End(0);
  }
  ASSERT_EQ(Events().size(), 1u);
  EXPECT_NEAR(Events()[0].amplification_milli, 1000, 50);
  EXPECT_EQ(Kinds(), Kind{"alarm_began"});
  for (int i = 0; i < 62; i++) {
    now_ += kSecond;
    Call(0);
  }
  EXPECT_EQ(Kinds(), Kind{"alarm_ended"});
}

TEST_F(TargetEvents, HappenInShadowToo) {
  method_.policy.mode = RG_MODE_SHADOW;
  method_.policy.breaker = BreakerAfter(1);
  Call(kUnavailable);
  EXPECT_EQ(Kinds(), Kind{"breaker_opened"});
}

}  // namespace
}  // namespace rg_test
