// SPDX-License-Identifier: Apache-2.0

// The text as a whole, in both formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "host/delays.h"
#include "host/open_breaker.h"
#include "host/process.h"
#include "metrics/text.h"

namespace rg_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::StartsWith;

constexpr retry_guard_metrics_format kFormats[] = {
    RETRY_GUARD_METRICS_PROMETHEUS, RETRY_GUARD_METRICS_OPENMETRICS};

// Tests may run in one process, and targets outlive them.
Target Crm() { return Target("dns:///crm:443"); }

TEST(MetricsText, OfAProcessWithoutTargetsIsWhole) {
  for (auto format : kFormats) {
    std::string text = Text(format);
    EXPECT_THAT(text, HasSubstr("# TYPE retry_guard_"));
    EXPECT_THAT(text, EndsWith("\n"));
    EXPECT_THAT(Samples(text),
                Contains(Key("retry_guard_callers_stopped_total")));
  }
}

TEST(MetricsText, TellsEachCounterOfATarget) {
  Target target = Crm();
  rg_target_counters *c = target.counters();
  target.Began(RG_ATTEMPT_FIRST, 1);
  target.Began(RG_ATTEMPT_FIRST, 2, RG_MARK_MADE);
  target.Began(RG_ATTEMPT_FIRST, 4, RG_MARK_FORWARDED);
  target.Began(RG_ATTEMPT_RETRY, 2, RG_MARK_MADE);
  target.Began(RG_ATTEMPT_TRANSPARENT, 1, RG_MARK_FORWARDED);
  for (int i = 0; i < RG_STOP_COUNT; i++) c->stops[i] = 10u + i;
  c->undecided_retries = 20, c->rejected_retries = 21;
  c->tokens_outstanding = 22;
  c->refused_remaining = 25, c->breaker_rejections = 26;
  c->breaker_opened = 27, c->breaker_half_opened = 28;
  c->breaker_closed = 29, c->breaker_probes = 30, c->breaker_stale = 31;
  c->fail_open = 32;
  auto samples = Samples(Text());
  auto value = [&](const std::string &name, const std::string &more = "") {
    auto found =
        samples.find("retry_guard_" + name + "{target=\"dns:///crm:443\"" +
                     (more.empty() ? "" : "," + more) + "}");
    return found == samples.end() ? "missing" : found->second;
  };
  EXPECT_EQ(value("calls_total"), "7");
  EXPECT_EQ(value("attempts_total", "kind=\"first\""), "7");
  EXPECT_EQ(value("attempts_total", "kind=\"retry\""), "2");
  EXPECT_EQ(value("attempts_total", "kind=\"transparent\""), "1");
  EXPECT_EQ(value("retries_stopped_total", "reason=\"layer\""), "10");
  EXPECT_EQ(value("retries_stopped_total", "reason=\"unsafe\""), "11");
  EXPECT_EQ(value("retries_stopped_total", "reason=\"compressed\""), "12");
  EXPECT_EQ(value("retries_stopped_total", "reason=\"pushback\""), "13");
  EXPECT_EQ(value("retries_stopped_total", "reason=\"breaker\""), "14");
  EXPECT_EQ(value("retries_stopped_total", "reason=\"deadline\""), "15");
  EXPECT_EQ(value("retries_stopped_total", "reason=\"budget\""), "16");
  EXPECT_EQ(value("retries_undecided_total"), "20");
  EXPECT_EQ(value("retries_rejected_total"), "21");
  EXPECT_EQ(value("tokens_outstanding"), "22");
  EXPECT_EQ(value("budget_tokens"), "2.5");
  EXPECT_EQ(value("marks_sent_total", "kind=\"made\""), "4");
  EXPECT_EQ(value("marks_sent_total", "kind=\"forwarded\""), "5");
  EXPECT_EQ(value("calls_refused_total"), "25");
  EXPECT_EQ(value("breaker_rejections_total"), "26");
  EXPECT_EQ(value("breaker_transitions_total", "to=\"open\""), "27");
  EXPECT_EQ(value("breaker_transitions_total", "to=\"half_open\""), "28");
  EXPECT_EQ(value("breaker_transitions_total", "to=\"closed\""), "29");
  EXPECT_EQ(value("breaker_probes_total"), "30");
  EXPECT_EQ(value("breaker_stale_results_total"), "31");
  EXPECT_EQ(value("fail_open_total"), "32");
  EXPECT_EQ(value("breaker_state", "state=\"closed\""), "1");
  EXPECT_EQ(value("breaker_state", "state=\"open\""), "0");
  EXPECT_EQ(value("breaker_state", "state=\"half_open\""), "0");
  EXPECT_THAT(value("amplification_ratio"), Not("missing"));
  EXPECT_EQ(value("amplification_alarm"), "0");
}

TEST(MetricsText, TellsOfTheBreakersOfScopesByName) {
  Target target("dns:///scopes");
  OpenBreaker(target.get(), "/shop.Ledger/Add");
  auto samples = Samples(Text());
  const std::string of_target = "{target=\"dns:///scopes\"";
  const std::string of_method = of_target + ",scope=\"/shop.Ledger/Add\"";
  const std::string state = "retry_guard_scope_breaker_state" + of_method;
  EXPECT_EQ(samples[state + ",state=\"open\"}"], "1");
  EXPECT_EQ(samples[state + ",state=\"closed\"}"], "0");
  EXPECT_EQ(samples[state + ",state=\"half_open\"}"], "0");
  EXPECT_EQ(samples["retry_guard_scope_breaker_transitions_total" + of_method +
                    ",to=\"open\"}"],
            "1");
  EXPECT_EQ(
      samples["retry_guard_scope_breaker_rejections_total" + of_method + "}"],
      "1");
  EXPECT_EQ(samples["retry_guard_scope_breaker_probes_total" + of_method + "}"],
            "0");
  // All of the target together.
  EXPECT_EQ(
      samples["retry_guard_breaker_state" + of_target + ",state=\"open\"}"],
      "1");
  EXPECT_EQ(samples["retry_guard_breaker_rejections_total" + of_target + "}"],
            "1");
}

TEST(MetricsText, EscapesTheNamesOfScopesToo) {
  Target target("dns:///odd-scopes");
  OpenBreaker(target.get(), "/a\"b\\c\n\xff");
  EXPECT_THAT(Text(), HasSubstr("scope=\"/a\\\"b\\\\c\\n\\\\xff\""));
}

TEST(MetricsText, TellsEachCounterOfTheProcess) {
  rg_process_counters.marks_accepted = 1;
  rg_process_counters.marks_stripped = 2;
  rg_process_counters.marks_rejected = 3;
  rg_process_counters.foreign_retries = 4;
  rg_process_counters.callers_stopped = 5;
  rg_process_counters.fail_open = 6;
  auto samples = Samples(Text());
  EXPECT_EQ(samples["retry_guard_marks_received_total{result=\"accepted\"}"],
            "1");
  EXPECT_EQ(samples["retry_guard_marks_received_total{result=\"stripped\"}"],
            "2");
  EXPECT_EQ(samples["retry_guard_marks_received_total{result=\"rejected\"}"],
            "3");
  EXPECT_EQ(samples["retry_guard_foreign_retries_total"], "4");
  EXPECT_EQ(samples["retry_guard_callers_stopped_total"], "5");
  EXPECT_EQ(samples["retry_guard_process_fail_open_total"], "6");
  EXPECT_EQ(samples["retry_guard_build_info{version=\"" +
                    std::string(retry_guard_version_string()) + "\"}"],
            "1");
}

TEST(MetricsText, HasAHistogramOfDelaysInSeconds) {
  Target target("dns:///delays");
  for (uint64_t ms : {1u, 5u, 900u, 20000u})
    rg_delays_add(&target.get()->delays, ms);
  auto samples = Samples(Text());
  const std::string name = "retry_guard_retry_delay_seconds";
  const std::string label = "{target=\"dns:///delays\"";
  EXPECT_EQ(samples[name + "_bucket" + label + ",le=\"0.001\"}"], "1");
  EXPECT_EQ(samples[name + "_bucket" + label + ",le=\"0.005\"}"], "2");
  EXPECT_EQ(samples[name + "_bucket" + label + ",le=\"0.5\"}"], "2");
  EXPECT_EQ(samples[name + "_bucket" + label + ",le=\"1.0\"}"], "3");
  EXPECT_EQ(samples[name + "_bucket" + label + ",le=\"10.0\"}"], "3");
  EXPECT_EQ(samples[name + "_bucket" + label + ",le=\"+Inf\"}"], "4");
  EXPECT_EQ(samples[name + "_count" + label + "}"], "4");
  EXPECT_EQ(samples[name + "_sum" + label + "}"], "20.906");
}

TEST(MetricsText, HasNoLimitForABudgetWithoutOne) {
  Target target("dns:///unlimited");
  rg_policy policy = {};
  rg_target_adopt(target.get(), rg_target_next_policy_number(), &policy,
                  rg_clock_now());
  EXPECT_EQ(
      Samples(Text())["retry_guard_budget_tokens{target=\"dns:///unlimited\"}"],
      "+Inf");
}

// ---- The formats -----------------------------------------------------------

TEST(MetricsText, SaysOfEachFamilyOnceWhatItIs) {
  Target target = Crm();
  Target another("dns:///another");
  for (auto format : kFormats) {
    std::map<std::string, int> helped;
    std::map<std::string, int> typed;
    std::string family = "none";
    for (const std::string &line : Lines(Text(format))) {
      std::string word = line.substr(0, line.find_first_of(" {"));
      std::istringstream in(line);
      std::string what, name;
      if (line != "# EOF" && line[0] == '#') {
        in >> word >> what >> name;
        if (what == "HELP") helped[name]++, family = name;
        if (what == "TYPE") typed[name]++;
        EXPECT_EQ(name, family);
      } else if (line[0] != '#') {
        EXPECT_THAT(word, StartsWith(family)) << "families are not mixed";
      }
    }
    EXPECT_EQ(helped, typed);
    EXPECT_GE(helped.size(), 20u);
    for (auto &entry : helped) EXPECT_EQ(entry.second, 1) << entry.first;
  }
}

TEST(MetricsText, HasCountersThatEndInTotal) {
  Target target = Crm();
  EXPECT_THAT(Text(), HasSubstr("# TYPE retry_guard_calls_total counter\n"));
  std::string open = Text(RETRY_GUARD_METRICS_OPENMETRICS);
  EXPECT_THAT(open, HasSubstr("# TYPE retry_guard_calls counter\n"));
  EXPECT_THAT(open, HasSubstr("\nretry_guard_calls_total{"));
}

TEST(MetricsText, ObeysOpenMetrics) {
  Target target = Crm();
  std::string open = Text(RETRY_GUARD_METRICS_OPENMETRICS);
  EXPECT_THAT(open, EndsWith("\n# EOF\n"));
  EXPECT_EQ(open.find("# EOF"), open.rfind("# EOF"));
  EXPECT_THAT(open, HasSubstr("# TYPE retry_guard_build info\n"));
  EXPECT_THAT(open,
              HasSubstr("# UNIT retry_guard_retry_delay_seconds seconds"));
  EXPECT_THAT(open, HasSubstr("# UNIT retry_guard_amplification_ratio ratio"));
  EXPECT_THAT(Text(), AllOf(Not(HasSubstr("# EOF")), Not(HasSubstr("# UNIT"))));
}

TEST(MetricsText, HasTheSameSamplesInBothFormats) {
  Target target = Crm();
  EXPECT_EQ(Samples(Text()), Samples(Text(RETRY_GUARD_METRICS_OPENMETRICS)));
}

TEST(MetricsText, IsOfTheGrammarOfItsFormat) {
  Target target("dns:///a \"quoted\"\\path\nwith \xc3\xa9");
  const std::regex sample(
      "[a-z_]+(\\{[a-z_]+=\"([^\"\\\\]|\\\\[\\\\n\"])*\""
      "(,[a-z_]+=\"[^\"]*\")*\\})? (\\+Inf|[0-9]+(\\.[0-9]+)?)");
  for (auto format : kFormats)
    for (const std::string &line : Lines(Text(format)))
      EXPECT_TRUE(line[0] == '#' || std::regex_match(line, sample)) << line;
}

// ---- Label values ----------------------------------------------------------

std::string LabelOf(const std::string &name) {
  Target target(name);
  target.Called(4711);
  for (const auto &[series, value] : Samples(Text()))
    if (value == "4711" && series.rfind("retry_guard_calls_total", 0) == 0) {
      target.Called(UINT64_C(0) - 4711);
      return series.substr(
          strlen("retry_guard_calls_total{target=\""),
          series.size() - strlen("retry_guard_calls_total{target=\"\"}"));
    }
  return "missing";
}

TEST(MetricsText, EscapesWhatLabelsMayNotHold) {
  EXPECT_EQ(LabelOf("a\"b"), "a\\\"b");
  EXPECT_EQ(LabelOf("a\\b"), "a\\\\b");
  EXPECT_EQ(LabelOf("a\nb"), "a\\nb");
}

TEST(MetricsText, LeavesCharactersOfUtf8AsTheyAre) {
  EXPECT_EQ(LabelOf("dns:///m\xc3\xbcnchen.\xe6\x9d\xb1.\xf0\x9f\x90\x9f"),
            "dns:///m\xc3\xbcnchen.\xe6\x9d\xb1.\xf0\x9f\x90\x9f");
}

// One such byte, and Prometheus would refuse all of the text.
TEST(MetricsText, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(LabelOf("a\xff"), "a\\\\xff");
  EXPECT_EQ(LabelOf("a\xe6\x9d"), "a\\\\xe6\\\\x9d");
  EXPECT_EQ(LabelOf("a\xed\xa0\x80"), "a\\\\xed\\\\xa0\\\\x80");
  EXPECT_EQ(LabelOf("a\tb\r"), "a\\\\x09b\\\\x0d");
}

// ---- The call --------------------------------------------------------------

TEST(MetricsText, StopsWhenNobodyWantsMore) {
  Target target = Crm();
  size_t pieces = 0;
  EXPECT_EQ(retry_guard_metrics_text(
                RETRY_GUARD_METRICS_PROMETHEUS,
                [](const char *, size_t, void *arg) {
                  ++*static_cast<size_t *>(arg);
                  return false;
                },
                &pieces),
            RETRY_GUARD_OK);
  EXPECT_EQ(pieces, 1u);
}

TEST(MetricsText, RefusesWhatItDoesNotKnow) {
  auto write = [](const char *, size_t, void *) { return true; };
  EXPECT_EQ(retry_guard_metrics_text(RETRY_GUARD_METRICS_PROMETHEUS, nullptr,
                                     nullptr),
            RETRY_GUARD_INVALID_ARGUMENT);
  for (int format : {-1, 2})
    EXPECT_EQ(
        retry_guard_metrics_text(
            static_cast<retry_guard_metrics_format>(format), write, nullptr),
        RETRY_GUARD_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace rg_test
