// SPDX-License-Identifier: Apache-2.0

// What a text of metrics says of targets.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cli/figures.h"
#include "host/open_breaker.h"
#include "metrics/text.h"

namespace {

class Figures {
 public:
  explicit Figures(const std::string &text)
      : read_(rg_figures_read(text.data(), text.size(), &figures_)) {}
  Figures(const Figures &) = delete;
  ~Figures() {
    if (read_) rg_figures_clean_up(&figures_);
  }

  bool read() const { return read_; }
  rg_figures *get() { return &figures_; }
  const rg_figures_target &operator[](size_t i) const {
    return figures_.targets[i];
  }
  size_t size() const { return figures_.count; }

 private:
  rg_figures figures_;
  bool read_;
};

constexpr char kBuild[] = "retry_guard_build_info{version=\"1\"} 1\n";

std::string Calls(const std::string &target, int calls, int retries = 0) {
  return "retry_guard_calls_total{target=\"" + target + "\"} " +
         std::to_string(calls) + "\nretry_guard_attempts_total{target=\"" +
         target + "\",kind=\"retry\"} " + std::to_string(retries) + "\n" +
         kBuild;
}

TEST(Figures, NameTheBreakersThatAreNotClosed) {
  rg_test::Target target("dns:///scoped");
  rg_test::OpenBreaker(target.get(), "/shop.Ledger/Add");
  Figures figures(rg_test::Text());
  ASSERT_TRUE(figures.read());
  ASSERT_EQ(figures.get()->breaker_count, 1u);
  const rg_figures_breaker &breaker = figures.get()->breakers[0];
  EXPECT_STREQ(breaker.target, "dns:///scoped");
  EXPECT_STREQ(breaker.name, "/shop.Ledger/Add");
  EXPECT_TRUE(breaker.open);
  EXPECT_EQ(breaker.count, 1);
}

TEST(Figures, HaveTheOpenBreakersFirst) {
  std::string text = kBuild;
  for (const char *labels :
       {"target=\"b\",scope=\"x\",state=\"half_open\"} 1",
        "target=\"a\",scope=\"x\",state=\"open\"} 0",
        "target=\"a\",scope=\"other\",state=\"half_open\"} 2",
        "target=\"c\",scope=\"x\",state=\"open\"} 1",
        "target=\"c\",scope=\"x\",state=\"closed\"} 1"})
    text += std::string("retry_guard_scope_breaker_state{") + labels + "\n";
  Figures figures(text);
  ASSERT_EQ(figures.get()->breaker_count, 3u);
  const rg_figures_breaker *breakers = figures.get()->breakers;
  EXPECT_STREQ(breakers[0].target, "c");
  EXPECT_STREQ(breakers[1].name, "other");
  EXPECT_EQ(breakers[1].count, 2);
  EXPECT_FALSE(breakers[1].open);
  EXPECT_STREQ(breakers[2].target, "b");
}

// What the writer of this repository writes, the reader understands.
TEST(Figures, AreReadFromTheTextOfMetrics) {
  rg_test::Target target("dns:///\"odd\"\\\n");
  target.Called(10);
  target.Began(RG_ATTEMPT_RETRY, 3);
  target.counters()->stops[RG_STOP_BUDGET] = 4;
  target.counters()->stops[RG_STOP_LAYER] = 5;
  Figures figures(rg_test::Text());
  ASSERT_TRUE(figures.read());
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_STREQ(figures[0].name, "dns:///\"odd\"\\\n");
  EXPECT_EQ(figures[0].counts.calls, 10);
  EXPECT_EQ(figures[0].counts.retries, 3);
  EXPECT_EQ(figures[0].counts.stops[RETRY_GUARD_STOP_BUDGET], 4);
  EXPECT_EQ(figures[0].counts.stops[RETRY_GUARD_STOP_LAYER], 5);
  EXPECT_EQ(figures[0].tokens, 2.5);
  EXPECT_EQ(figures[0].open, 0);
  EXPECT_FALSE(figures[0].alarm);
}

TEST(Figures, TellOfBreakersAndTheAlarm) {
  Figures figures(
      std::string(kBuild) +
      "retry_guard_breaker_state{target=\"a\",state=\"open\"} 1\n"
      "retry_guard_breaker_state{target=\"b\",state=\"half_open\"} 1\n"
      "retry_guard_budget_tokens{target=\"a\"} +Inf\n"
      "retry_guard_amplification_alarm{target=\"a\"} 1\n"
      "retry_guard_amplification_ratio{target=\"b\"} 0.25\n");
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].open, 1);
  EXPECT_EQ(figures[1].half_open, 1);
  EXPECT_TRUE(std::isinf(figures[0].tokens));
  EXPECT_TRUE(figures[0].alarm);
  EXPECT_EQ(figures[1].amplification, 0.25);
}

TEST(Figures, AreNotReadFromOtherTexts) {
  for (const char *text : {"", "up 1\n", "<html>", "go_goroutines 7\n"})
    EXPECT_FALSE(Figures(text).read()) << text;
  EXPECT_TRUE(Figures(kBuild).read()) << "no target yet";
}

TEST(Figures, AreBounded) {
  std::string text = kBuild;
  for (size_t i = 0; i < RG_FIGURES_MAX + 5; i++)
    text += "retry_guard_calls_total{target=\"" + std::to_string(i) + "\"} 1\n";
  EXPECT_EQ(Figures(text).size(), size_t{RG_FIGURES_MAX});
}

TEST(Figures, BecomeRates) {
  Figures before(Calls("a", 100, 10) + Calls("b", 7));
  Figures now(Calls("a", 120, 11) + Calls("b", 7));
  rg_figures_make_rates(now.get(), before.get(), 2);
  EXPECT_EQ(now[0].counts.calls, 10);
  EXPECT_EQ(now[0].counts.retries, 0.5);
  EXPECT_EQ(now[1].counts.calls, 0);
}

TEST(Figures, CountFromNothingAfterARestart) {
  Figures before(Calls("a", 1000));
  Figures now(Calls("a", 8) + Calls("new", 4));
  rg_figures_make_rates(now.get(), before.get(), 2);
  EXPECT_EQ(now[0].counts.calls, 4);
  EXPECT_EQ(now[1].counts.calls, 2);
}

TEST(Figures, HaveThoseFirstThatAreInTrouble) {
  Figures figures(Calls("busy", 1000) + Calls("idle", 0) +
                  Calls("retrying", 5, 5) + Calls("calm", 0) + kBuild +
                  "retry_guard_retries_stopped_total{target=\"stopped\","
                  "reason=\"budget\"} 9\n");
  rg_figures_sort(figures.get());
  ASSERT_EQ(figures.size(), 5u);
  EXPECT_STREQ(figures[0].name, "stopped");
  EXPECT_STREQ(figures[1].name, "retrying");
  EXPECT_STREQ(figures[2].name, "busy");
  EXPECT_STREQ(figures[3].name, "calm");
  EXPECT_STREQ(figures[4].name, "idle");
}

}  // namespace
