// SPDX-License-Identifier: Apache-2.0
#include "host/events.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/num.h"
#include "host/breakers.h"

namespace rg_test {
namespace {

retry_guard_event Event(retry_guard_event_kind kind) {
  retry_guard_event event = {};
  event.kind = kind;
  event.target = "dns:///ledger:443";
  event.breaker = "";
  return event;
}

std::string Line(const retry_guard_event &event, uint64_t left_out = 0) {
  char line[RG_EVENT_LINE_SIZE];
  rg_event_write(&event, left_out, line);
  return line;
}

TEST(Events, AreSentences) {
  retry_guard_event opened = Event(RETRY_GUARD_EVENT_BREAKER_OPENED);
  opened.cause = RETRY_GUARD_CAUSE_RATE;
  opened.failures = 11;
  opened.total = 20;
  EXPECT_EQ(Line(opened),
            "dns:///ledger:443: breaker opened, 11 of 20 attempts failed");
  opened.cause = RETRY_GUARD_CAUSE_CONSECUTIVE;
  EXPECT_EQ(Line(opened),
            "dns:///ledger:443: breaker opened, 11 attempts failed in a row");
  opened.cause = RETRY_GUARD_CAUSE_PROBE;
  EXPECT_EQ(
      Line(opened, 7),
      "dns:///ledger:443: breaker opened again, a probe failed (7 like it "
      "were not logged)");
  retry_guard_event alarm = Event(RETRY_GUARD_EVENT_ALARM_BEGAN);
  alarm.amplification_milli = 350;
  EXPECT_EQ(
      Line(alarm),
      "dns:///ledger:443: retry amplification alarm, 350 retries for 1000 "
      "calls of the last minute");
}

TEST(Events, NameTheBreakerOfAScope) {
  retry_guard_event event = Event(RETRY_GUARD_EVENT_BREAKER_CLOSED);
  event.breaker = "/shop.Ledger/Add";
  EXPECT_EQ(Line(event),
            "dns:///ledger:443: breaker of /shop.Ledger/Add closed, a probe "
            "succeeded");
}

TEST(Events, HaveANameAndASentenceEach) {
  std::set<std::string> names;
  std::set<std::string> lines;
  for (int kind = 0; kind < RETRY_GUARD_EVENT_COUNT; kind++) {
    auto k = static_cast<retry_guard_event_kind>(kind);
    names.insert(retry_guard_event_string(k));
    lines.insert(Line(Event(k)));
  }
  EXPECT_EQ(names.size(), size_t{RETRY_GUARD_EVENT_COUNT});
  EXPECT_EQ(lines.size(), size_t{RETRY_GUARD_EVENT_COUNT});
  EXPECT_EQ(names.count("unknown"), 0u);
  EXPECT_STREQ(retry_guard_event_string(RETRY_GUARD_EVENT_COUNT), "unknown");
}

TEST(Events, CutALongTarget) {
  const std::string target(10000, 'x');
  const std::string breaker(RG_BREAKER_NAME_SIZE - 1, 'y');
  retry_guard_event event = Event(RETRY_GUARD_EVENT_BREAKER_CLOSED);
  event.target = target.c_str();
  EXPECT_NE(Line(event, 1).find("breaker closed"), std::string::npos);
  event.breaker = breaker.c_str();
  EXPECT_NE(Line(event, UINT64_MAX)
                .find("y closed, a probe succeeded (" +
                      std::to_string(UINT64_MAX) + " like it were not logged)"),
            std::string::npos);
}

TEST(Events, GoWhereTheyAreDelivered) {
  static std::vector<retry_guard_event> delivered;
  const retry_guard_event event = Event(RETRY_GUARD_EVENT_BREAKER_CLOSED);
  rg_events_raise(&event);
  rg_events_deliver_by(
      [](const retry_guard_event *e) { delivered.push_back(*e); });
  rg_events_raise(&event);
  rg_events_deliver_by(nullptr);
  rg_events_raise(&event);
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(delivered[0].size, sizeof(retry_guard_event));
}

TEST(EventLines, AreTenAMinuteOfAKind) {
  const auto kind = RETRY_GUARD_EVENT_BREAKER_HALF_OPENED;
  uint64_t now = 6000 * RG_NS_PER_S;
  uint64_t left_out = 1;
  for (int i = 0; i < RG_EVENT_LINES_PER_MINUTE; i++) {
    EXPECT_TRUE(rg_events_may_log(kind, now, &left_out));
    EXPECT_EQ(left_out, 0u);
  }
  for (int i = 0; i < 7; i++)
    EXPECT_FALSE(rg_events_may_log(kind, now, &left_out));
  EXPECT_TRUE(
      rg_events_may_log(RETRY_GUARD_EVENT_BREAKER_CLOSED, now, &left_out))
      << "another kind";
  EXPECT_TRUE(rg_events_may_log(kind, now + 60 * RG_NS_PER_S, &left_out));
  EXPECT_EQ(left_out, 7u);
}

}  // namespace
}  // namespace rg_test
