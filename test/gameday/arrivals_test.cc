// SPDX-License-Identifier: Apache-2.0
#include "gameday/arrivals.h"

#include <set>
#include <vector>

#include "gameday/a_scenario.h"

namespace {

using rg_test::AScenario;
using rg_test::kSecond;

struct Arrival {
  uint64_t at;
  uint32_t client;
};

// The first `count` arrivals of the load, or all if there are fewer.
std::vector<Arrival> Arrivals(const std::string &load, size_t count) {
  auto scenario = AScenario("", load);
  rg_arrivals arrivals;
  EXPECT_TRUE(rg_arrivals_init(&arrivals, &scenario->loads[0], 7));
  std::vector<Arrival> all;
  Arrival next;
  while (all.size() < count &&
         rg_arrivals_next(&arrivals, &next.at, &next.client))
    all.push_back(next);
  rg_arrivals_clean_up(&arrivals);
  return all;
}

// 6,000 calls at 60 a second take 100 s, give or take five times the 1.3 s that
// chance makes of it.
TEST(Arrivals, AtARateComeAsOftenAsAsked) {
  auto all = Arrivals(R"("callsPerSecond":60)", 6000);
  EXPECT_NEAR(static_cast<double>(all.back().at), 100e9, 6.5e9);
  std::set<uint32_t> clients;
  for (const Arrival &arrival : all) clients.insert(arrival.client);
  EXPECT_EQ(clients.size(), 30u);
}

TEST(Arrivals, AtAnIntervalComeInOrderAndOnceAnInterval) {
  auto all = Arrivals(R"("interval":"10s")", 90);
  for (size_t i = 1; i < all.size(); i++) EXPECT_GE(all[i].at, all[i - 1].at);
  for (size_t i = 30; i < all.size(); i++) {
    EXPECT_EQ(all[i].client, all[i - 30].client);
    EXPECT_EQ(all[i].at, all[i - 30].at + 10 * kSecond);
  }
}

TEST(Arrivals, AtOnceAreOneForEachClient) {
  auto all = Arrivals(R"("atOnce":true)", 1000);
  ASSERT_EQ(all.size(), 30u);
  EXPECT_EQ(all.back().at, 0u);
  EXPECT_EQ(all.back().client, 29u);
}

}  // namespace
