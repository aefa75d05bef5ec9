// SPDX-License-Identifier: Apache-2.0

// The rooms below gRPC, with each allocation failing in turn: what comes out is
// right, or says that it failed. The sanitizers look for what is left behind.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "config/advice.h"
#include "config/every_field.h"
#include "config/policy.h"
#include "config/service_config.h"
#include "host/baggage.h"
#include "host/breaker_series.h"
#include "host/config_warnings.h"
#include "host/fresh_name.h"
#include "host/mark.h"
#include "host/open_breaker.h"
#include "host/process.h"
#include "host/retry_info.h"
#include "host/target.h"
#include "memory/details.h"
#include "memory/each_failure.h"

namespace rg_test {
namespace {

constexpr ScarceHeap::Of kUs = ScarceHeap::Of::kThisThread;

// Nothing wrong, much worth a warning, and every kind of error.
constexpr char kWarnings[] = R"({
  "retryGuard": { "budget": { "tokenBucket": { "tokenRatio": 0.9 } } },
  "methodConfig": [ {
    "name": [ { "service": "shop.Ledger" }, { "service": "", "method": "M" } ],
    "timeout": "0.5s", "retryGuard": { "idempotency": "KEY" },
    "retryPolicy": { "maxAttempts": 7, "initialBackoff": "0.05s",
      "maxBackoff": "2s", "backoffMultiplier": 2,
      "retryableStatusCodes": [ "UNAVAILABLE", "DEADLINE_EXCEEDED" ] } } ],
  "retryPolicy": {}, "retry_throttling": 1,
  "retryThrottling": { "maxTokens": 10, "tokenRatio": 1 } })";
constexpr char kErrors[] = R"({
  "retryGuard": { "budget": 1, "mode": "x", "nope": {}, "mode": "OFF" },
  "methodConfig": [ { "name": 1 }, { "retryPolicy": { "maxAttempts": 1e9 } } ],
  "retryThrottling": { "maxTokens": "many" } })";

TEST(ScarceMemory, APolicyIsReadWholeOrHasAFault) {
  struct Read {
    bool block, faults;
  };
  uint64_t count = EachFailure(
      kUs,
      [] {
        rg_faults faults;
        rg_faults_init(&faults);
        rg_policy_block *block =
            rg_policy_block_parse(kEveryField, std::strlen(kEveryField),
                                  RG_POLICY_CHANNEL, "retryGuard", &faults);
        Read read = {block != nullptr, !rg_faults_empty(&faults)};
        rg_policy_block_destroy(block);
        rg_faults_clean_up(&faults);
        return read;
      },
      [](const Read &read, bool failed) {
        EXPECT_NE(read.block, read.faults);
        if (!failed) {
          EXPECT_TRUE(read.block);
        }
      });
  EXPECT_GT(count, 50u);
}

// How many errors and warnings a config has, and whether any was lost.
struct Report {
  size_t errors, warnings;
  bool lost;
};

Report ReportOn(const char *json) {
  rg_report report;
  rg_report_init(&report);
  rg_service_config *config =
      rg_service_config_read(json, std::strlen(json), &report);
  if (config != nullptr) rg_advise(config, &report.warnings);
  Report result = {
      rg_faults_total(&report.errors), rg_faults_total(&report.warnings),
      report.errors.out_of_memory || report.warnings.out_of_memory};
  rg_service_config_destroy(config);
  rg_report_clean_up(&report);
  return result;
}

TEST(ScarceMemory, AServiceConfigIsReadRightOrSaysThatItWasNot) {
  for (const char *json : {kWarnings, kErrors}) {
    const Report whole = ReportOn(json);
    EXPECT_GT(whole.errors + whole.warnings, 3u);
    uint64_t count = EachFailure(
        kUs, [json] { return ReportOn(json); },
        [&whole](const Report &report, bool failed) {
          bool same = report.errors == whole.errors &&
                      report.warnings == whole.warnings && !report.lost;
          EXPECT_TRUE(same || (failed && (report.lost || report.errors > 0)));
        });
    EXPECT_GT(count, 20u);
  }
}

TEST(ScarceMemory, WarningsAreToldAsFarAsTheyGo) {
  std::string json = kWarnings;
  uint64_t count = EachFailure(
      kUs,
      [&json] {
        int lines = 0;
        rg_config_warnings(
            json.data(), json.size(),
            [](const char *, void *arg) { ++*static_cast<int *>(arg); },
            &lines);
        return lines;
      },
      [&json](int lines, bool failed) {
        EXPECT_LE(lines, RG_CONFIG_WARNINGS_LINES + 1);
        if (!failed) {
          EXPECT_GT(lines, 3);
        }
        json += ' ';  // a config is warned of once
      });
  EXPECT_GT(count, 20u);
}

// google.rpc.Status with a detail that is not it, and a RetryInfo of 2 s.
std::string Details() {
  return "\x08\x0e" + Field(0x12, "busy") + Detail("t/x", "y") +
         RetryInfo("\x08\x02");
}

TEST(ScarceMemory, ARetryInfoIsReadOrAbsentAndCounted) {
  const std::string details = Details();
  uint64_t before = rg_process_counters.fail_open;
  uint64_t count = EachFailure(
      kUs, [&] { return rg_retry_info_read(details.data(), details.size()); },
      [&](const rg_pushback &pushback, bool failed) {
        EXPECT_EQ(pushback.kind,
                  failed ? RG_PUSHBACK_ABSENT : RG_PUSHBACK_DELAY);
        EXPECT_EQ(rg_process_counters.fail_open > before, failed);
        before = rg_process_counters.fail_open;
        EXPECT_EQ(pushback.delay_ms, failed ? 0u : 2000u);
      });
  EXPECT_GT(count, 5u);
}

TEST(ScarceMemory, ATargetIsThereOrNot) {
  std::string name = FreshName("scarce");
  uint64_t count = EachFailure(
      kUs,
      [&name] {
        rg_target *target = rg_target_acquire(name.c_str());
        rg_target_release(target);
        return target != nullptr;
      },
      [&name](bool there, bool failed) {
        EXPECT_NE(there, failed);
        name = FreshName("scarce");
      });
  EXPECT_EQ(count, 1u);
}

TEST(ScarceMemory, BreakersAreShownAllOrNone) {
  const std::string name = FreshName("scarce");
  rg_target *target = rg_target_acquire(name.c_str());
  OpenBreaker(target, "/shop.Ledger/Add");
  int shown = 0;
  uint64_t count = EachFailure(
      kUs,
      [&] {
        shown = 0;
        return retry_guard_breakers_each(
            name.c_str(),
            [](const retry_guard_breaker *, void *arg) {
              ++*static_cast<int *>(arg);
            },
            &shown);
      },
      [&](retry_guard_status status, bool failed) {
        EXPECT_EQ(status, failed ? RETRY_GUARD_OUT_OF_MEMORY : RETRY_GUARD_OK);
        EXPECT_EQ(shown, failed ? 0 : 1);
      });
  EXPECT_EQ(count, 1u);
  rg_target_release(target);
}

TEST(ScarceMemory, ABreakerIsToldOfByNameOnceThereIsMemory) {
  rg_target *target = rg_target_acquire(FreshName("scarce").c_str());
  OpenBreaker(target, "/shop.Ledger/Add");
  std::vector<rg_told_breaker> told(RG_BREAKER_SERIES_OF_TARGET_MAX + 1);
  const auto tell = [&] {
    return rg_breaker_series_tell(&target->breakers, rg_clock_now(),
                                  told.data());
  };
  {
    ScarceHeap heap(kUs, 1, true);
    EXPECT_EQ(tell(), 0u);
  }
  EXPECT_EQ(tell(), 1u);
  EXPECT_STREQ(told[0].name, "/shop.Ledger/Add");
  EXPECT_EQ(told[0].tallies[RG_TALLY_OPENED], 1u);
  rg_target_release(target);
}

TEST(ScarceMemory, MarksNeedNone) {
  rg_mark mark = {};
  mark.owner_length = RG_OWNER_MAX;
  std::memset(mark.owner, 'n', sizeof mark.owner);
  uint64_t count = EachFailure(
      kUs,
      [&mark] {
        uint8_t bytes[RG_MARK_MAX_BYTES];
        char text[RG_BAGGAGE_MAX_BYTES];
        rg_mark read;
        size_t length = rg_mark_encode(&mark, bytes);
        bool good = rg_mark_decode(bytes, length, &read) &&
                    rg_baggage_write("a=1", 3, &mark, text, &length);
        return good && rg_baggage_read(text, length, &read) == RG_MARK_DECODED;
      },
      [](bool good, bool) { EXPECT_TRUE(good); });
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace rg_test
