// SPDX-License-Identifier: Apache-2.0

// Servers that freeze (SIGSTOP), below a guarded client in its own process.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "e2e/tiers.h"

namespace {

constexpr uint32_t kClosed = 0;
constexpr uint32_t kOpen = 1;

std::string Config(const std::string &guard, const std::string &more = "") {
  return R"({"retryGuard":)" + guard + more +
         R"(,"methodConfig":[{"name":[{"service":"retry_guard.test.Echo"}],
        "retryPolicy":{"maxAttempts":4,"initialBackoff":"0.01s",
        "maxBackoff":"0.01s","backoffMultiplier":1,
        "retryableStatusCodes":["UNAVAILABLE","DEADLINE_EXCEEDED"]}}]})";
}

Tier GuardedTo(const std::string &target, const std::string &config) {
  return Tier({"--next", target, "--service-config", config, "--guard"});
}

// Freezes a tier for as long as it lives; a tier ends only when it is awake.
class Frozen {
 public:
  explicit Frozen(const Tier &tier) : tier_(tier) {
    rg_process_pause(tier_.process());
  }
  ~Frozen() { rg_process_resume(tier_.process()); }

 private:
  const Tier &tier_;
};

// How many of `count` calls, one after the other, ended OK.
size_t CallInTurn(Tier *tier, int count) {
  size_t ok = 0;
  for (int i = 0; i < count; i++) ok += tier->Call(1);
  return ok;
}

// One of two backends hangs: each call loses one attempt's time at most, since
// the retry goes to the other one.
TEST(Stall, AFrozenBackendCostsAttemptsAndNoCall) {
  Tier one({});
  Tier other({});
  Tier edge = GuardedTo(
      "ipv4:" + one.address() + "," + other.address(),
      Config(R"({"budget":{"disabled":true},"circuitBreaker":{"disabled":true},
                 "deadline":{"attemptTimeout":"0.1s"}})",
             R"(,"loadBalancingConfig":[{"round_robin":{}}])"));
  EXPECT_EQ(edge.Call(20), 20u);
  other.Read(true);
  {
    Frozen frozen(other);
    EXPECT_EQ(CallInTurn(&edge, 20), 20u);
  }
  EXPECT_EQ(CallInTurn(&edge, 20), 20u);
  // Awake again, it learns that nobody waits for what it was sent.
  for (int i = 0; i < 1000 && other.Read()->cancelled == 0; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  Counts counts = other.Read();
  EXPECT_GT(counts->cancelled, 0u);
  EXPECT_LE(counts->longest_timeout_ms, 100u)
      << "the attempt's, not the call's";
}

TEST(Stall, AFrozenServerOpensTheBreakerAndGetsNothingMore) {
  Tier server({});
  Tier edge = GuardedTo(server.address(),
                        Config(R"({"circuitBreaker":{"cooldown":"3600s"},
                 "deadline":{"attemptTimeout":"0.1s"}})"));
  EXPECT_EQ(edge.Call(1), 1u);
  {
    Frozen frozen(server);
    for (int i = 0; i < 100 && edge.Read()->breaker_state == kClosed; i++)
      EXPECT_EQ(edge.Call(5), 0u);
    EXPECT_EQ(edge.Read()->breaker_state, kOpen);
  }
  uint64_t requests = server.Read()->requests;
  EXPECT_EQ(edge.Call(50), 0u);
  EXPECT_EQ(server.Read()->requests, requests);
}

// Awake again, it is found out by one probe.
TEST(Stall, AServerThatWakesUpIsUsedAgain) {
  Tier server({});
  Tier edge = GuardedTo(
      server.address(),
      Config(R"({"circuitBreaker":{"cooldown":"0.1s","consecutiveFailures":5},
                 "deadline":{"attemptTimeout":"0.1s"}})"));
  EXPECT_EQ(edge.Call(1), 1u);
  {
    Frozen frozen(server);
    while (edge.Read()->breaker_state != kOpen) edge.Call(5);
  }
  for (int i = 0; i < 1000 && edge.Read()->breaker_state != kClosed; i++)
    edge.Call(1);
  EXPECT_EQ(edge.Call(10), 10u);
}

TEST(Stall, AKilledServerOpensTheBreakerToo) {
  auto server = std::make_unique<Tier>(std::vector<std::string>{});
  Tier edge = GuardedTo(server->address(),
                        Config(R"({"circuitBreaker":{"cooldown":"3600s"}})"));
  EXPECT_EQ(edge.Call(1), 1u);
  server.reset();
  for (int i = 0; i < 100 && edge.Read()->breaker_state == kClosed; i++)
    EXPECT_EQ(edge.Call(5), 0u);
  EXPECT_EQ(edge.Read()->breaker_state, kOpen);
}

}  // namespace
