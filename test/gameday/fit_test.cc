// SPDX-License-Identifier: Apache-2.0
#include "gameday/fit.h"
#include "sim/result.h"

#include "gameday/a_scenario.h"

namespace {

using rg_test::AScenario;
using rg_test::kSecond;

// Ten seconds of calm, all of the trouble, thirty seconds after it.
rg_fit AFit() {
  rg_fit fit;
  rg_fit_init(&fit);
  fit.calm_s = 10;
  fit.after_s = 30;
  return fit;
}

TEST(Fit, BringsTheTroubleNearAndEndsSoonAfterIt) {
  auto scenario = AScenario(
      R"({"kind":"PAUSE","at":"100s","lasts":"2s"},
         {"kind":"ERRORS","at":"101s","lasts":"5s"})");
  rg_fit fit = AFit();
  rg_fit_apply(&fit, scenario.get());
  rg_review_times times = rg_scenario_times(scenario.get());
  EXPECT_EQ(times.calm_from, 5 * kSecond);
  EXPECT_EQ(times.trouble_from, 10 * kSecond);
  EXPECT_EQ(times.trouble_until, 16 * kSecond);
  EXPECT_EQ(scenario->incidents[1].at, 11 * kSecond);
  EXPECT_EQ(scenario->duration_ns, 46 * kSecond);
}

TEST(Fit, OfAFleetWithoutTroubleWatchesTheCalm) {
  auto scenario = AScenario("");
  rg_fit fit = AFit();
  rg_fit_apply(&fit, scenario.get());
  EXPECT_EQ(scenario->duration_ns, 40 * kSecond);
  EXPECT_EQ(rg_scenario_times(scenario.get()).trouble_from, 40 * kSecond);
}

// Each of three servers restarts for 8 s, one after the other; now for 2 s.
TEST(Fit, ShortensWhatLastsTooLong) {
  auto scenario =
      AScenario(R"({"kind":"ROLLING_RESTART","at":"60s","lasts":"8s"},
                   {"kind":"PAUSE","at":"60s","lasts":"1s"})");
  rg_fit fit = AFit();
  fit.trouble_s = 2;
  rg_fit_apply(&fit, scenario.get());
  EXPECT_EQ(scenario->incidents[0].lasts_ns, 2 * kSecond);
  EXPECT_EQ(scenario->incidents[0].end, 16 * kSecond);
  EXPECT_EQ(scenario->incidents[1].end, 11 * kSecond);
}

TEST(Fit, ScalesHowManyThereAreButNotWhatOneDoes) {
  auto scenario = AScenario("");
  rg_fit fit = AFit();
  fit.scale = 0.5;
  rg_fit_apply(&fit, scenario.get());
  EXPECT_EQ(scenario->loads[0].clients, 15u);
  EXPECT_EQ(scenario->loads[0].calls_per_s, 30);
  EXPECT_EQ(scenario->tiers[0].workers, 2u);
  EXPECT_EQ(scenario->tiers[0].queue, 2u);
  EXPECT_EQ(scenario->tiers[0].instances, 3u);
}

TEST(Fit, LeavesAtLeastOneOfEach) {
  auto scenario = AScenario("");
  rg_fit fit = AFit();
  fit.scale = 0.001;
  rg_fit_apply(&fit, scenario.get());
  EXPECT_EQ(scenario->loads[0].clients, 1u);
  EXPECT_EQ(scenario->tiers[0].workers, 1u);
}

TEST(Fit, ANameThatIsNoFileIsNoScenario) {
  rg_fit fit = AFit();
  EXPECT_EQ(rg_fit_read("/nowhere/at/all.json", &fit), nullptr);
}

}  // namespace
