// SPDX-License-Identifier: Apache-2.0

// Which format a client gets for its Accept header.
#include <gtest/gtest.h>

#include "metrics/accept.h"

namespace {

bool IsOpen(const char *accept) {
  return rg_accept_format(accept) == RETRY_GUARD_METRICS_OPENMETRICS;
}

TEST(Accept, MeansTheOlderFormatForWhoDoesNotSay) {
  EXPECT_FALSE(IsOpen(nullptr));
  EXPECT_FALSE(IsOpen(""));
  EXPECT_FALSE(IsOpen("*/*"));
  EXPECT_FALSE(IsOpen("text/html,application/xhtml+xml,*/*;q=0.8"));
}

TEST(Accept, TakesOpenMetricsByName) {
  EXPECT_TRUE(IsOpen("application/openmetrics-text"));
  EXPECT_TRUE(IsOpen("Application/OpenMetrics-Text ; version=1.0.0"));
  EXPECT_TRUE(IsOpen("text/html, application/openmetrics-text;q=0.1"));
  EXPECT_FALSE(IsOpen("application/openmetrics-text-2"));
}

TEST(Accept, PrefersWhatWeighsMore) {
  EXPECT_TRUE(IsOpen("application/openmetrics-text;q=0.5,text/plain;q=0.4"));
  EXPECT_TRUE(IsOpen("application/openmetrics-text;q=0.5,text/plain;q=0.5"));
  EXPECT_FALSE(IsOpen("application/openmetrics-text;q=0.5,text/plain"));
  EXPECT_FALSE(IsOpen("application/openmetrics-text;q=0.49,text/plain;q=.5"));
  EXPECT_FALSE(IsOpen("text/plain;q=0.501,application/openmetrics-text;q=0.5"));
}

TEST(Accept, GivesNothingThatWeighsNothing) {
  EXPECT_FALSE(IsOpen("application/openmetrics-text;q=0"));
  EXPECT_FALSE(IsOpen("application/openmetrics-text;q=0.000, */*"));
}

TEST(Accept, IsPatientWithWhatIsNoHeader) {
  for (const char *odd : {",", ";", "=", ";;;,,,===", "q=1", ";q=", " , ;q=x ",
                          "application/openmetrics-text;q"})
    rg_accept_format(odd);
  EXPECT_TRUE(IsOpen(",,application/openmetrics-text;q=high"));
}

}  // namespace
