// SPDX-License-Identifier: Apache-2.0
#include "host/trace.h"

#include <gtest/gtest.h>

#include <string>

#include "host/call_fixture.h"

namespace rg_test {
namespace {

class Trace : public CallTest {
 protected:
  // What the line says after the target and the call.
  static std::string Said(const char *line) {
    const std::string text = line;
    size_t at = text.find(" call ");
    EXPECT_NE(at, std::string::npos) << text;
    return text.substr(text.find(' ', at + 6) + 1);
  }

  std::string Begins(const Call &call, const Attempt &attempt,
                     const rg_attempt_facts &facts) {
    char line[RG_TRACE_LINE_SIZE];
    rg_trace_admission(&call.raw(), &attempt.attempt, &facts,
                       &attempt.admission, now_, line);
    EXPECT_EQ(std::string(line).find(target_->name), 0u) << line;
    return Said(line);
  }

  std::string Ends(const Call &call, const Attempt &attempt,
                   const rg_outcome &outcome, const rg_verdict &verdict) {
    char line[RG_TRACE_LINE_SIZE];
    rg_trace_verdict(&call.raw(), &attempt.attempt, &outcome, &verdict, now_,
                     line);
    return Said(line);
  }
};

TEST_F(Trace, TellsADecisionWithWhatItRestsOn) {
  Call call = Begin(nullptr, now_ + 250 * kMs);
  Attempt first;
  const rg_attempt_facts none = Facts(0);
  call.Begin(&first, none);
  EXPECT_EQ(Begins(call, first, none),
            "attempt 1 begins: previous=0 lineage=unmarked breaker=closed "
            "left=250ms timer=none mark=made");
  const rg_outcome failed = Outcome(kUnavailable);
  EXPECT_EQ(Ends(call, first, failed, call.End(&first, failed)),
            "attempt 1 ends: status=14 network=unknown local=0 committed=0 "
            "compressed=0 breaker=closed pushback=none left=250ms budget=0: "
            "retried after 0 ms");
  Attempt second;
  const rg_attempt_facts one = Facts(1);
  call.Begin(&second, one);
  const rg_outcome asked = WithPushback(RG_PUSHBACK_DELAY, 20);
  EXPECT_EQ(Ends(call, second, asked, call.End(&second, asked)),
            "attempt 2 ends: status=14 network=unknown local=0 committed=0 "
            "compressed=0 breaker=closed pushback=20ms left=250ms budget=0: "
            "stopped, budget");
}

TEST_F(Trace, TellsWhoIsRefused) {
  method_.policy.breaker = BreakerAfter(1);
  Call failing = Begin();
  failing.Try(kUnavailable);
  failing.End(kUnavailable);
  Call call = Begin();
  Attempt attempt;
  const rg_attempt_facts none = Facts(0);
  call.Begin(&attempt, none);
  const std::string said = Begins(call, attempt, none);
  EXPECT_NE(said.find("mark=none: refused, breaker open for 5000 ms more"),
            std::string::npos)
      << said;

  Call early = Unbound();
  const rg_admission admission = early.Admit();
  char line[RG_TRACE_LINE_SIZE];
  rg_trace_call(&early.raw(), &admission, line);
  EXPECT_EQ(Said(line),
            "begins: breaker=open: refused, breaker open for 5000 ms more");
}

TEST_F(Trace, NamesTheBreakerOfTheAttempt) {
  method_.policy.breaker.scope = RG_BREAKER_PER_BACKEND;
  Adopt();
  Call call = Begin();
  Attempt attempt;
  const rg_attempt_facts facts = Facts(0, 7);
  call.Begin(&attempt, facts);
  const std::string named =
      " breaker=closed of " + std::string(Backend(7)->name) + " ";
  EXPECT_NE(Begins(call, attempt, facts).find(named), std::string::npos);
  const rg_outcome failed = Outcome(kUnavailable);
  EXPECT_NE(Ends(call, attempt, failed, call.End(&attempt, failed)).find(named),
            std::string::npos);
}

TEST_F(Trace, CutsALongTarget) {
  rg_target_release(target_);
  target_ =
      rg_target_acquire(FreshName("long" + std::string(10000, 'x')).c_str());
  Call call = Begin();
  Attempt attempt;
  const rg_attempt_facts none = Facts(0);
  call.Begin(&attempt, none);
  char line[RG_TRACE_LINE_SIZE];
  rg_trace_admission(&call.raw(), &attempt.attempt, &none, &attempt.admission,
                     now_, line);
  EXPECT_NE(Said(line).find("mark=made"), std::string::npos);
}

}  // namespace
}  // namespace rg_test
