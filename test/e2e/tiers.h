// SPDX-License-Identifier: Apache-2.0

// Processes of a call tree as tests hold them.
#ifndef RG_TEST_E2E_TIERS_H
#define RG_TEST_E2E_TIERS_H

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/tier_process.h"

struct FreeCounts {
  void operator()(RetryGuard__Test__Counts *counts) const {
    retry_guard__test__counts__free_unpacked(counts, nullptr);
  }
};
using Counts = std::unique_ptr<RetryGuard__Test__Counts, FreeCounts>;

inline constexpr char kThreeAttempts[] =
    R"({"methodConfig":[{"name":[{"service":"retry_guard.test.Echo"}],
        "retryPolicy":{"maxAttempts":3,"initialBackoff":"0.01s",
        "maxBackoff":"0.01s","backoffMultiplier":1,
        "retryableStatusCodes":["UNAVAILABLE"]}}]})";

class Tier {
 public:
  explicit Tier(std::vector<std::string> arguments,
                const char *program = RG_TIER_PATH) {
    std::vector<const char *> borrowed;
    for (const std::string &argument : arguments)
      borrowed.push_back(argument.c_str());
    borrowed.push_back(nullptr);
    EXPECT_TRUE(rg_tier_process_start(&tier_, program, borrowed.data()));
  }
  Tier(const Tier &) = delete;
  ~Tier() { EXPECT_EQ(rg_tier_process_stop(&tier_), 0); }

  // How many of `count` calls at the same time ended OK.
  size_t Call(size_t count, const RetryGuard__Test__Plan *plan = nullptr) {
    return rg_tier_process_call(&tier_, count, plan);
  }
  void Start(size_t count) {
    rg_tier_process_start_calls(&tier_, count, nullptr);
  }
  bool Release() { return rg_tier_process_release(&tier_); }
  Counts Read(bool reset = false) {
    return Counts(rg_tier_process_read(&tier_, reset));
  }
  std::string address() const { return tier_.address; }
  const rg_process *process() const { return &tier_.process; }

 private:
  rg_tier_process tier_;
};

inline Tier Above(const Tier &next) {
  return Tier({"--next", next.address(), "--service-config", kThreeAttempts});
}

inline RetryGuard__Test__Plan Plan(grpc_status_code status) {
  RetryGuard__Test__Plan plan = RETRY_GUARD__TEST__PLAN__INIT;
  plan.status = static_cast<uint32_t>(status);
  return plan;
}

#endif
