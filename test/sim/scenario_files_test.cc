// SPDX-License-Identifier: Apache-2.0

// What the scenarios that come with the command show. All chance comes from
// seeds, so each of these is as it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "sim/fleet.h"
#include "sim/result.h"
#include "sim/scenario.h"

namespace {

// The goodput that the budget's defaults were chosen by.
constexpr double kShare = 0.97;

class Scenario {
 public:
  explicit Scenario(const std::string &name) {
    std::ifstream file(RG_SCENARIO_DIR "/" + name + ".json");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    rg_report report;
    rg_report_init(&report);
    scenario_.reset(rg_scenario_read(text.data(), text.size(), &report));
    EXPECT_TRUE(rg_faults_empty(&report.errors)) << name;
    EXPECT_TRUE(rg_faults_empty(&report.warnings)) << name;
    rg_report_clean_up(&report);
  }

  rg_scenario *operator->() const { return scenario_.get(); }
  const rg_scenario *get() const { return scenario_.get(); }

 private:
  struct Destroy {
    void operator()(rg_scenario *scenario) const {
      rg_scenario_destroy(scenario);
    }
  };
  std::unique_ptr<rg_scenario, Destroy> scenario_;
};

class Trial {
 public:
  Trial(const Scenario &scenario, const char *variant, uint64_t seed) {
    size_t number;
    EXPECT_TRUE(rg_scenario_find_variant(scenario.get(), variant, &number));
    EXPECT_TRUE(
        rg_run_do(&trial_.run, scenario.get(), number, seed, nullptr, nullptr));
    const rg_review_times times = rg_scenario_times(scenario.get());
    rg_trial_judge(&trial_, &times, kShare);
  }
  ~Trial() { rg_run_clean_up(&trial_.run); }
  Trial(const Trial &) = delete;
  Trial &operator=(const Trial &) = delete;

  const rg_trial *operator->() const { return &trial_; }

  // Seconds until the fleet is back.
  double Back() const {
    return trial_.review.recovered ? trial_.review.recovery_s : 1e9;
  }

  // The most requests in a slice between two moments, in seconds.
  uint32_t Most(size_t from_s, size_t until_s) const {
    const rg_record &record = trial_.run.record;
    uint32_t most = 0;
    for (size_t i = from_s * 10; i < until_s * 10 && i < record.count; i++)
      most = std::max(most, rg_slice_arrivals(&record.slices[i]));
    return most;
  }

 private:
  rg_trial trial_ = {};
};

TEST(ScenarioFiles, AreAllFreeOfFaults) {
  size_t files = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(RG_SCENARIO_DIR)) {
    Scenario scenario(entry.path().stem());
    ASSERT_NE(scenario.get(), nullptr) << entry.path();
    EXPECT_NE(std::string(scenario->title), "") << entry.path();
    files++;
  }
  EXPECT_EQ(files, 8u);
}

TEST(LedgerPause, PlainDoesNotRecoverIn18Minutes) {
  Trial plain(Scenario("ledger-pause"), "plain", 1);
  EXPECT_FALSE(plain->review.recovered);
  EXPECT_GT(plain->review.peak, 4);
  EXPECT_GT(plain->amplification, 3);
}

struct Fleet {
  uint32_t clients;
  double peak;  // what it may come to
};

void PrintTo(const Fleet &fleet, std::ostream *out) {
  *out << fleet.clients << " clients";
}

class LedgerPauseGuarded : public testing::TestWithParam<Fleet> {
 protected:
  LedgerPauseGuarded() : scenario_("ledger-pause") {
    scenario_->duration_ns = UINT64_C(180000000000);
    scenario_->loads[0].clients = GetParam().clients;
  }
  Scenario scenario_;
};

TEST_P(LedgerPauseGuarded, IsBackIn12Seconds) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    Trial guarded(scenario_, "guarded", seed);
    EXPECT_LE(guarded.Back(), 12) << seed;
    EXPECT_LE(guarded->amplification, 0.1) << seed;
    EXPECT_LE(guarded->review.peak, GetParam().peak) << seed;
    EXPECT_LE(guarded->review.burst, 2) << seed;
  }
}

// Every client may make one retry, however little it calls: 400 of them are
// more than half of what the fleet calls in a second.
std::string NameOf(const testing::TestParamInfo<Fleet> &fleet) {
  return std::to_string(fleet.param.clients) + "Clients";
}

INSTANTIATE_TEST_SUITE_P(Of, LedgerPauseGuarded,
                         testing::Values(Fleet{4, 1.35}, Fleet{40, 1.35},
                                         Fleet{400, 1.6}),
                         NameOf);

TEST(LedgerPause, IsBackSoonerWithoutBreakerAndSoonestWithoutRetries) {
  Scenario scenario("ledger-pause");
  scenario->duration_ns = UINT64_C(180000000000);
  double none = Trial(scenario, "no retries", 1).Back();
  double budget = Trial(scenario, "budget alone", 1).Back();
  double guarded = Trial(scenario, "guarded", 1).Back();
  EXPECT_LT(none, budget);
  EXPECT_LT(budget, guarded);
}

TEST(LedgerPause, OutlivesTheDefaultsThatAreUsualElsewhere) {
  Scenario scenario("ledger-pause");
  scenario->duration_ns = UINT64_C(180000000000);
  EXPECT_FALSE(Trial(scenario, "full jitter alone", 1)->review.recovered);
  EXPECT_FALSE(
      Trial(scenario, "10 retries/s for each client", 1)->review.recovered);
  EXPECT_GT(Trial(scenario, "100 tokens for each client", 1).Back(), 30);
}

TEST(MetadataBlip, TakesSecondsInsteadOfMinutes) {
  Scenario scenario("metadata-blip");
  scenario->duration_ns = UINT64_C(400000000000);
  EXPECT_FALSE(Trial(scenario, "plain", 1)->review.recovered);
  EXPECT_FALSE(Trial(scenario, "full jitter alone", 1)->review.recovered);
  EXPECT_LT(Trial(scenario, "guarded", 1).Back(), 10);
}

TEST(ThreeTiers, MultiplyUnlessOneLayerRetries) {
  Scenario scenario("three-tiers");
  EXPECT_GT(Trial(scenario, "plain", 1)->review.peak, 25);
  EXPECT_LT(Trial(scenario, "one layer alone", 1)->review.peak, 5);
  EXPECT_LT(Trial(scenario, "guarded", 1)->review.peak, 1.6);
}

// The mean of 20 contests. Equal and full jitter need the same work within 1 %,
// but full jitter is done sooner.
TEST(JitterContest, IsWonByFullJitter) {
  Scenario scenario("jitter-contest");
  double work[3] = {};
  double time[3] = {};
  const char *const variants[] = {"no jitter", "equal jitter", "full jitter"};
  for (uint64_t seed = 1; seed <= 20; seed++)
    for (size_t i = 0; i < 3; i++) {
      Trial trial(scenario, variants[i], seed);
      EXPECT_EQ(trial->run.totals.ok, 100u);
      work[i] += static_cast<double>(trial->run.totals.requests) / 20;
      time[i] += static_cast<double>(trial->run.last_end) / 20;
    }
  EXPECT_LT(work[2], work[0] / 5);
  EXPECT_LT(work[2], work[1] * 1.01);
  EXPECT_LT(time[2], time[0] / 50);
  EXPECT_LT(time[2], time[1] * 0.9);
}

TEST(ThunderingProbe, IsSpreadByTheCooldownsJitter) {
  Scenario scenario("thundering-probe");
  Trial without(scenario, "without cooldown jitter", 1);
  Trial guarded(scenario, "guarded", 1);
  EXPECT_LT(2 * guarded.Most(31, 90), without.Most(31, 90));
}

TEST(ColdStart, IsOverWithItsCause) {
  Scenario scenario("cold-start");
  EXPECT_FALSE(Trial(scenario, "plain", 1)->review.recovered);
  EXPECT_LT(Trial(scenario, "guarded", 1).Back(), 5);
}

TEST(CapacityLoss, IsOverWhenConnectionsAreBack) {
  Scenario scenario("capacity-loss-30");
  EXPECT_FALSE(Trial(scenario, "plain", 1)->review.recovered);
  EXPECT_LT(Trial(scenario, "guarded", 1).Back(), 40);
}

TEST(RollingRestart, LeavesNothingBehind) {
  Scenario scenario("rolling-restart");
  EXPECT_FALSE(Trial(scenario, "plain", 1)->review.recovered);
  EXPECT_LT(Trial(scenario, "guarded", 1).Back(), 30);
}

}  // namespace
