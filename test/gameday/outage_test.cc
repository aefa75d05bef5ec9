// SPDX-License-Identifier: Apache-2.0
#include "gameday/outage.h"

#include "gameday/a_scenario.h"

namespace {

using rg_test::AScenario;
using rg_test::kSecond;

// Server number `instance` of what happens.
class Place {
 public:
  explicit Place(const std::string &incidents, uint32_t instance = 0)
      : scenario_(AScenario(incidents)), place_{scenario_.get(), 0, instance} {}

  uint64_t WorkEnd(uint64_t begin_s, uint64_t work_s) const {
    return rg_outage_work_end(&place_, begin_s * kSecond, work_s * kSecond) /
           kSecond;
  }
  // Until when it is paused; 0: it is not.
  uint64_t PausedUntil(uint64_t now_s) const {
    uint64_t until = 0;
    return rg_outage_pauses(&place_, now_s * kSecond, &until) ? until / kSecond
                                                              : 0;
  }
  double Slowness(uint64_t now_s) const {
    return rg_outage_slowness(&place_, now_s * kSecond);
  }
  double ErrorShare(uint64_t now_s) const {
    return rg_outage_error_share(&place_, now_s * kSecond);
  }
  // When it crashes or comes back after `after_s`, such as "10 down".
  std::string NextCrash(uint64_t after_s) const {
    uint64_t at;
    bool comes_back;
    if (!rg_outage_next_crash(&place_, after_s * kSecond, &at, &comes_back))
      return "never";
    return std::to_string(at / kSecond) + (comes_back ? " up" : " down");
  }

 private:
  rg_test::ScenarioPtr scenario_;
  rg_place place_;
};

const char kPauses[] =
    R"({"kind":"PAUSE","at":"20s","lasts":"5s"},
       {"kind":"PAUSE","at":"10s","lasts":"2s"})";

TEST(Outage, WorkStandsStillFromAPausesBeginToItsEnd) {
  Place place(kPauses);
  EXPECT_EQ(place.PausedUntil(9), 0u);
  EXPECT_EQ(place.PausedUntil(10), 12u);
  EXPECT_EQ(place.PausedUntil(11), 12u);
  EXPECT_EQ(place.PausedUntil(12), 0u);
}

TEST(Outage, WorkTakesLongerByThePausesThatItMeets) {
  Place place(kPauses);
  EXPECT_EQ(place.WorkEnd(0, 10), 10u);
  EXPECT_EQ(place.WorkEnd(0, 11), 13u);
  EXPECT_EQ(place.WorkEnd(11, 1), 13u);
  EXPECT_EQ(place.WorkEnd(0, 19), 26u);
  EXPECT_EQ(place.WorkEnd(25, 3), 28u);
}

TEST(Outage, AFewInstancesAreHitAndTheOthersAreNot) {
  const char two[] =
      R"({"kind":"ERRORS","at":"10s","lasts":"2s","instances":2,"share":0.5})";
  EXPECT_EQ(Place(two, 1).ErrorShare(11), 0.5);
  EXPECT_EQ(Place(two, 2).ErrorShare(11), 0);
  EXPECT_EQ(Place(two, 1).ErrorShare(12), 0);
}

TEST(Outage, SlownessEasesBitByBit) {
  Place steady(R"({"kind":"SLOW","at":"10s","lasts":"10s","factor":5})");
  Place easing(
      R"({"kind":"SLOW","at":"10s","lasts":"10s","factor":5,"easing":true})");
  EXPECT_EQ(steady.Slowness(15), 5);
  EXPECT_EQ(steady.Slowness(20), 1);
  EXPECT_EQ(easing.Slowness(10), 5);
  EXPECT_EQ(easing.Slowness(15), 3);
}

TEST(Outage, ACrashedServerComesBack) {
  Place place(R"({"kind":"CRASH","at":"10s","lasts":"3s"},
                 {"kind":"CRASH","at":"20s","lasts":"1s"})");
  EXPECT_EQ(place.NextCrash(0), "10 down");
  EXPECT_EQ(place.NextCrash(10), "13 up");
  EXPECT_EQ(place.NextCrash(13), "20 down");
  EXPECT_EQ(place.NextCrash(21), "never");
}

TEST(Outage, ARollingRestartTakesOneServerAfterTheOther) {
  const char rolling[] =
      R"({"kind":"ROLLING_RESTART","at":"10s","lasts":"3s"})";
  EXPECT_EQ(Place(rolling, 0).NextCrash(0), "10 down");
  EXPECT_EQ(Place(rolling, 2).NextCrash(0), "16 down");
  EXPECT_EQ(Place(rolling, 2).NextCrash(16), "19 up");
}

}  // namespace
