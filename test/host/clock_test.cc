// SPDX-License-Identifier: Apache-2.0
#include "host/clock.h"

#include <gtest/gtest.h>

#include <ctime>

#include "core/num.h"

namespace {

uint64_t Monotonic() {
  timespec ts = {};
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return static_cast<uint64_t>(ts.tv_sec) * RG_NS_PER_S +
         static_cast<uint64_t>(ts.tv_nsec);
}

TEST(Clock, IsNeverZero) { EXPECT_GT(rg_clock_now(), 0u); }

TEST(Clock, NeverStepsBack) {
  uint64_t last = rg_clock_now();
  for (int i = 0; i < 10000; i++) {
    const uint64_t now = rg_clock_now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, CountsTheNanosecondsOfTheMonotonicClock) {
  const uint64_t before = Monotonic();
  const uint64_t now = rg_clock_now();
  const uint64_t after = Monotonic();
  EXPECT_GE(now, before);
  EXPECT_LE(now, after + 1);
}

}  // namespace
