// SPDX-License-Identifier: Apache-2.0
#include "core/amplification.h"

#include <gtest/gtest.h>

#include <atomic>

#include "core/num.h"
#include "support/race.h"

namespace rg_test {
namespace {

constexpr uint32_t kAlarm = 200;

class Amplification : public testing::Test {
 protected:
  Amplification() { rg_amplification_init(&amplification_, now_); }

  void Wait(uint64_t seconds) { now_ += seconds * RG_NS_PER_S; }

  // So many calls and retries, and a look as the first retry takes it.
  rg_alarm_change Go(uint64_t calls, uint64_t retries,
                     uint32_t alarm = kAlarm) {
    calls_ += calls;
    retries_ += retries;
    if (retries == 0 && !rg_amplification_alarmed(&amplification_))
      return RG_ALARM_UNCHANGED;
    return rg_amplification_note(&amplification_, calls_, retries_, alarm,
                                 now_);
  }

  // The same in each of so many seconds; how often the alarm changed so.
  int Goes(int seconds, uint64_t calls, uint64_t retries,
           rg_alarm_change change) {
    int changes = 0;
    for (int i = 0; i < seconds; i++) {
      Wait(1);
      if (Go(calls, retries) == change) changes++;
    }
    return changes;
  }

  uint32_t Read() {
    uint32_t milli = 0;
    EXPECT_TRUE(
        rg_amplification_read(&amplification_, calls_, retries_, now_, &milli));
    return milli;
  }

  uint64_t now_ = 1000 * RG_NS_PER_S;
  uint64_t calls_ = 0;
  uint64_t retries_ = 0;
  rg_amplification amplification_;
};

TEST_F(Amplification, IsNothingAtFirst) {
  EXPECT_EQ(Read(), 0u);
  Go(100, 0);
  EXPECT_EQ(Read(), 0u);
}

TEST_F(Amplification, IsRetriesForEachCall) {
  Wait(1);
  Go(100, 25);
  EXPECT_EQ(Read(), 250u);
}

TEST_F(Amplification, ForgetsAfterAMinute) {
  Goes(60, 100, 50, RG_ALARM_BEGAN);
  EXPECT_EQ(Read(), 500u);
  Goes(30, 100, 0, RG_ALARM_ENDED);
  EXPECT_NEAR(Read(), 250, 10) << "half a minute of both";
  Wait(61);
  Go(100, 0);
  EXPECT_EQ(Read(), 0u);
}

TEST_F(Amplification, CountsOnlyTheCallsOfTheMinute) {
  // An hour without a retry, so without a look, then a storm of ten seconds.
  for (int i = 0; i < 3600; i++) {
    Wait(1);
    Go(100, 0);
  }
  for (int i = 0; i < 10; i++) {
    Wait(1);
    Go(100, 100);
  }
  // 60 seconds of 100 calls, ten of them with as many retries.
  EXPECT_NEAR(Read(), 1000.0 * 1000 / 6000, 5);
}

TEST_F(Amplification, OfRetriesWithoutCallsIsBounded) {
  Wait(1);
  Go(0, 5);
  EXPECT_EQ(Read(), 5000u);
  Wait(1);
  Go(0, UINT64_MAX / 2);
  EXPECT_EQ(Read(), UINT32_MAX);
}

TEST_F(Amplification, AlarmsWhenItStaysTooHighForAMinute) {
  EXPECT_EQ(Goes(60, 100, 30, RG_ALARM_BEGAN), 0);
  EXPECT_FALSE(rg_amplification_alarmed(&amplification_));
  EXPECT_EQ(Goes(1, 100, 30, RG_ALARM_BEGAN), 1);
  EXPECT_TRUE(rg_amplification_alarmed(&amplification_));
  EXPECT_EQ(Goes(100, 100, 30, RG_ALARM_BEGAN), 0) << "once";
}

TEST_F(Amplification, DoesNotAlarmAtExactlyTheLimit) {
  EXPECT_EQ(Goes(300, 100, 20, RG_ALARM_BEGAN), 0);
}

TEST_F(Amplification, DoesNotAlarmForAPeak) {
  for (int i = 0; i < 5; i++) {
    EXPECT_EQ(Goes(20, 100, 30, RG_ALARM_BEGAN), 0);
    EXPECT_EQ(Goes(60, 100, 1, RG_ALARM_BEGAN), 0);
  }
}

TEST_F(Amplification, EndsTheAlarmWellBelowIt) {
  Goes(61, 100, 30, RG_ALARM_BEGAN);
  EXPECT_EQ(Goes(200, 100, 18, RG_ALARM_ENDED), 0) << "not below four fifths";
  EXPECT_EQ(Goes(60, 100, 10, RG_ALARM_ENDED), 1);
  EXPECT_FALSE(rg_amplification_alarmed(&amplification_));
}

TEST_F(Amplification, EndsTheAlarmWithTheRetries) {
  Goes(61, 100, 30, RG_ALARM_BEGAN);
  EXPECT_EQ(Goes(61, 100, 0, RG_ALARM_ENDED), 1);
}

TEST_F(Amplification, EndsTheAlarmWithTheTraffic) {
  Goes(61, 100, 30, RG_ALARM_BEGAN);
  Wait(3600);
  EXPECT_EQ(
      rg_amplification_note(&amplification_, calls_, retries_, kAlarm, now_),
      RG_ALARM_ENDED);
}

TEST_F(Amplification, WithoutAnAlarmNeverAlarms) {
  for (int i = 0; i < 200; i++) {
    Wait(1);
    EXPECT_EQ(Go(100, 500, 0), RG_ALARM_UNCHANGED);
  }
}

TEST_F(Amplification, TakesTimeThatStepsBackForNone) {
  Goes(61, 100, 30, RG_ALARM_BEGAN);
  now_ -= 40 * RG_NS_PER_S;
  EXPECT_EQ(Go(100, 30), RG_ALARM_UNCHANGED);
  EXPECT_LE(Read(), 1000u);
}

TEST_F(Amplification, LooksOnceASecondHoweverManyAsk) {
  std::atomic<int> began{0};
  Goes(60, 100, 30, RG_ALARM_BEGAN);
  Wait(1);
  Race(8, [&](int) {
    for (int j = 0; j < 1000; j++)
      if (rg_amplification_note(&amplification_, calls_ + 100, retries_ + 30,
                                kAlarm, now_) == RG_ALARM_BEGAN)
        began++;
  });
  EXPECT_EQ(began, 1);
}

}  // namespace
}  // namespace rg_test
