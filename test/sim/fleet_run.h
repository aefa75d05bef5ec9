// SPDX-License-Identifier: Apache-2.0

// A fleet that was run, and the scenario that it was run from.
#ifndef RG_TEST_SIM_FLEET_RUN_H
#define RG_TEST_SIM_FLEET_RUN_H

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sim/fleet.h"
#include "sim/read_scenario.h"

namespace rg_test {

constexpr uint64_t kSecond = 1000000000;

// The lists of a scenario file, without their brackets.
struct FleetFile {
  std::string tiers, loads;
  std::string incidents = {};
  std::string variant = {};  // what it has but its name
  std::string more = {};     // members of the file: "duration": "9s"

  std::string Json() const {
    return "{ \"warmUp\": \"0s\", \"tiers\": [" + tiers + "], \"loads\": [" +
           loads + "], \"incidents\": [" + incidents +
           "], \"variants\": [ { \"name\": \"v\"" +
           (variant.empty() ? "" : ", ") + variant + " } ]" +
           (more.empty() ? "" : ", ") + more + " }";
  }
};

// A retryPolicy for all tiers, with `guard` as the channel's retryGuard unless
// it is "", and with more members of the service config.
inline std::string Retrying(int attempts, const std::string &guard = "",
                            const std::string &codes = "\"UNAVAILABLE\"",
                            const std::string &more = "") {
  return "\"serviceConfig\": {" +
         (guard.empty() ? guard : "\"retryGuard\": " + guard + ", ") + more +
         R"("methodConfig": [ { "name": [ {} ], "retryPolicy": {
           "initialBackoff": "0.5s", "maxBackoff": "10s",
           "backoffMultiplier": 2, "maxAttempts": )" +
         std::to_string(attempts) + ", \"retryableStatusCodes\": [ " + codes +
         " ] } } ] }";
}

class FleetRun {
 public:
  explicit FleetRun(const FleetFile &file, uint64_t seed = 1)
      : scenario_(file.Json()) {
    EXPECT_EQ(scenario_.errors(), Lines{});
    if (scenario_.get() == nullptr) return;
    finished_ = rg_run_do(&run_, scenario_.get(), 0, seed, nullptr, nullptr);
    EXPECT_TRUE(finished_);
  }
  ~FleetRun() { rg_run_clean_up(&run_); }
  FleetRun(const FleetRun &) = delete;
  FleetRun &operator=(const FleetRun &) = delete;

  const rg_scenario &scenario() const { return *scenario_.get(); }
  const rg_run_totals &totals() const { return run_.totals; }
  const rg_record &record() const { return run_.record; }
  const rg_run &run() const { return run_; }

  // When the last call ended, in seconds.
  double End() const { return static_cast<double>(run_.last_end) / 1e9; }

  // Sums over the seconds [from, until).
  uint64_t Sum(uint32_t rg_slice::*what, double from = 0,
               double until = 1e6) const {
    uint64_t sum = 0;
    for (size_t i = Slice(from); i < Slice(until); i++)
      sum += record().slices[i].*what;
    return sum;
  }
  uint64_t Calls(double from = 0, double until = 1e6) const {
    return Sum(&rg_slice::calls, from, until);
  }
  uint64_t Ok(double from = 0, double until = 1e6) const {
    return Sum(&rg_slice::ok, from, until);
  }
  uint64_t Failed(double from = 0, double until = 1e6) const {
    return Sum(&rg_slice::failed, from, until);
  }
  uint64_t Arrivals(double from = 0, double until = 1e6) const {
    uint64_t sum = 0;
    for (size_t i = Slice(from); i < Slice(until); i++)
      sum += rg_slice_arrivals(&record().slices[i]);
    return sum;
  }
  // Of one number only.
  uint64_t ArrivalsOf(uint32_t attempt) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < record().count; i++)
      sum += record().slices[i].arrivals[attempt - 1];
    return sum;
  }
  // In which slice the first of a number came; -1: none did.
  int FirstSliceOf(uint32_t attempt) const {
    for (size_t i = 0; i < record().count; i++)
      if (record().slices[i].arrivals[attempt - 1] > 0)
        return static_cast<int>(i);
    return -1;
  }

 private:
  size_t Slice(double second) const {
    const auto slice = static_cast<size_t>(second * 10 + 0.5);
    return slice < record().count ? slice : record().count;
  }

  ReadScenario scenario_;
  rg_run run_ = {};
  bool finished_ = false;
};

}  // namespace rg_test

#endif
