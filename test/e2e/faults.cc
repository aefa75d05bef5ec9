// SPDX-License-Identifier: Apache-2.0

// What production does to servers and connections, to a plain channel and to
// guarded ones at the same time. The rule: the guard never makes the outcome
// worse than gRPC's own, and its accounts add up afterwards.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "e2e/tiers.h"
#include "grpc/guarded.h"
#include "grpc/wire.h"
#include "support/eventually.h"
#include "support/proxy.h"
#include "support/rpc_server.h"

namespace {

using rg_test::Args;

std::string ConfigOf(const std::string &guard) {
  return "{" + guard + R"("loadBalancingConfig":[{"round_robin":{}}],
    "methodConfig":[{"name":[{"service":"retry_guard.test.Echo"}],
      "retryPolicy":{"maxAttempts":4,"initialBackoff":"0.02s",
        "maxBackoff":"0.1s","backoffMultiplier":2,
        "retryableStatusCodes":["UNAVAILABLE"]}}]})";
}

// As many retries as gRPC would make, and at its times, so that the outcome can
// be compared: with full jitter a call may spend all its attempts within
// milliseconds, on a connection that nobody has noticed to be dead.
constexpr char kUnlimited[] =
    R"("retryGuard":{"budget":{"disabled":true},
                     "backoff":{"jitter":"NATIVE"},
                     "circuitBreaker":{"disabled":true}},)";
constexpr char kDefaults[] = R"("retryGuard":{},)";

class Side {
 public:
  Side(const std::string &target, const std::string &guard)
      : target_(target),
        channel_(rg_rpc_channel_new(
            target.c_str(), ConfigOf(guard).c_str(),
            Args({{GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100},
                  {GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100},
                  {GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100}})
                .get())) {}
  ~Side() { rg_rpc_channel_destroy(channel_); }
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;

  void Start(const rg_rpc_request &request) {
    rg_rpc_start(channel_, &request, Count, this, nullptr);
    made_++;
  }
  void Wait() { rg_rpc_channel_wait(channel_); }

  int made() const { return made_; }
  int ended() const { return ended_; }
  int ok() const { return ok_; }

  void ExpectSettled() const {
    retry_guard_stats stats{};
    stats.size = sizeof stats;
    ASSERT_EQ(retry_guard_stats_get(target_.c_str(), &stats), RETRY_GUARD_OK);
    EXPECT_GT(stats.calls, 0u);
    EXPECT_EQ(stats.attempts, stats.calls + stats.retries);
    EXPECT_EQ(stats.tokens_outstanding, 0u);
    EXPECT_EQ(stats.fail_open, 0u);
  }

 private:
  static void Count(const rg_rpc_result *result, void *data) {
    auto *self = static_cast<Side *>(data);
    self->ok_ += result->status == GRPC_STATUS_OK;
    self->ended_++;
  }

  std::string target_;
  rg_rpc_channel *channel_;
  int made_ = 0;
  std::atomic<int> ended_{0};
  std::atomic<int> ok_{0};
};

class Faults : public testing::Test {
 protected:
  static void SetUpTestSuite() { rg_test::RegisterGuard(); }

  // Addresses with commas between them. Two guarded channels, since one with a
  // budget and a breaker may well reject what another one repeats.
  void Connect(const std::string &addresses) {
    plain_ = std::make_unique<Side>("ipv4:" + addresses, "");
    guarded_ = std::make_unique<Side>("ipv4:" + addresses, kUnlimited);
    defaults_ = std::make_unique<Side>("ipv4:///" + addresses, kDefaults);
    // The arguments leave 100 ms to connect, which a busy machine may not keep.
    Start(10, /*delay_ms=*/0, /*timeout_ms=*/20000, /*wait_for_ready=*/true);
    Wait();
    ASSERT_EQ(guarded_->ok(), 10);
  }

  std::array<Side *, 3> sides() {
    return {plain_.get(), guarded_.get(), defaults_.get()};
  }

  // Calls on every side in turn, answered after `delay_ms`.
  void Start(int count, uint32_t delay_ms = 0, uint32_t timeout_ms = 20000,
             bool wait_for_ready = false) {
    RetryGuard__Test__Plan plan = RETRY_GUARD__TEST__PLAN__INIT;
    plan.delay_ms = delay_ms;
    RetryGuard__Test__Request message = RETRY_GUARD__TEST__REQUEST__INIT;
    message.plan = &plan;
    std::string packed(retry_guard__test__request__get_packed_size(&message),
                       '\0');
    retry_guard__test__request__pack(
        &message, reinterpret_cast<uint8_t *>(packed.data()));
    rg_rpc_request request{};
    request.method = "/retry_guard.test.Echo/Call";
    request.message = rg_test::View(packed);
    request.timeout_ms = timeout_ms;
    request.wait_for_ready = wait_for_ready;
    for (int i = 0; i < count; i++)
      for (Side *side : sides()) side->Start(request);
  }

  void Wait() {
    for (Side *side : sides()) side->Wait();
  }

  // Plays a fault, which begins with Connect. Which calls a dying connection
  // takes along is a matter of chance: to be worse is to be so every time.
  void ExpectNoWorse(const std::function<void()> &fault) {
    constexpr int kRounds = 5;
    bool worse = true;
    for (int i = 0; i < kRounds && worse; i++) {
      fault();
      Wait();
      for (Side *side : sides()) EXPECT_EQ(side->ended(), side->made());
      guarded_->ExpectSettled();
      defaults_->ExpectSettled();
      std::printf("of %d calls OK: plain %d, guarded %d, all defaults %d\n",
                  plain_->made(), plain_->ok(), guarded_->ok(),
                  defaults_->ok());
      worse = guarded_->ok() < plain_->ok() - plain_->made() / 10;
    }
    EXPECT_FALSE(worse);
  }

  // And nothing is left of it.
  void ExpectRecovery() {
    for (Side *side : {plain_.get(), guarded_.get()}) {
      int before = side->ok();
      EXPECT_TRUE(rg_test::Eventually([&] {
        Start(1);
        Wait();
        return side->ok() > before;
      }));
    }
  }

  std::unique_ptr<Side> plain_, guarded_, defaults_;
};

int PortOf(const std::string &address) {
  return std::stoi(address.substr(address.find(':') + 1));
}

void Pause() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

// ---- Processes --------------------------------------------------------------

// A server that does not end well.
class Victim {
 public:
  Victim() {
    const char *none[] = {nullptr};
    EXPECT_TRUE(rg_tier_process_start(&tier_, RG_TIER_PATH, none));
  }
  ~Victim() { Kill(); }
  Victim(const Victim &) = delete;
  Victim &operator=(const Victim &) = delete;

  void Kill() {
    if (tier_.process.pid <= 0) return;
    kill(tier_.process.pid, SIGKILL);
    EXPECT_EQ(rg_tier_process_stop(&tier_), 128 + SIGKILL);
  }
  std::string address() const { return tier_.address; }

 private:
  rg_tier_process tier_;
};

// Its calls in flight, and those that follow, have another one to go to.
TEST_F(Faults, AServerOfTwoIsKilled) {
  Tier stays({});
  ExpectNoWorse([&] {
    Victim goes;
    Connect(stays.address() + "," + goes.address());
    Start(50, 50);
    Pause();
    goes.Kill();
    Start(50);
    Wait();
  });
  ExpectRecovery();
}

// Calls that wait for a connection wait with their retries, too.
TEST_F(Faults, TheOnlyServerIsKilledAndStartedAgain) {
  ExpectNoWorse([&] {
    Victim first;
    Connect(first.address());
    Start(50, 50, 20000, true);
    Pause();
    first.Kill();
    Start(20, 0, 20000, true);
    Tier again({"--port", std::to_string(PortOf(first.address()))});
    Wait();
    ExpectRecovery();
  });
}

TEST_F(Faults, AServerIsStoppedForAWhile) {
  Tier server({});
  ExpectNoWorse([&] {
    Connect(server.address());
    rg_process_pause(server.process());
    Start(50);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    rg_process_resume(server.process());
  });
  EXPECT_EQ(guarded_->ok(), 60);
}

// ---- Connections ------------------------------------------------------------

class Proxied : public Faults {
 protected:
  // Calls three times, and breaks their connections meanwhile.
  void ExpectNoWorseAfter(void (*fault)(rg_proxy *)) {
    ExpectNoWorse([&] {
      Connect(rg_proxy_address(proxy_.get()));
      for (int i = 0; i < 3; i++) {
        Start(30, 50);
        Pause();
        fault(proxy_.get());
        Wait();
      }
    });
    ExpectRecovery();
  }

  struct Destroy {
    void operator()(rg_proxy *proxy) const { rg_proxy_destroy(proxy); }
  };

  Tier server_{{}};
  std::unique_ptr<rg_proxy, Destroy> proxy_{
      rg_proxy_new(PortOf(server_.address()))};
};

TEST_F(Proxied, ConnectionsAreResetInMidCall) {
  ExpectNoWorseAfter(rg_proxy_reset);
  EXPECT_GT(rg_proxy_connections(proxy_.get()), 3u);
}

TEST_F(Proxied, ConnectionsAreHalfClosed) {
  ExpectNoWorseAfter(rg_proxy_half_close);
  EXPECT_GT(rg_proxy_connections(proxy_.get()), 3u);
}

// A stream that lost bytes in its middle is no HTTP/2 any more, and calls whose
// answers got lost have only their deadlines.
TEST_F(Proxied, BytesAreLost) {
  ExpectNoWorse([&] {
    Connect(rg_proxy_address(proxy_.get()));
    Start(30, 30, 500);
    Pause();
    rg_proxy_swallow(proxy_.get(), true);
    Start(30, 0, 500);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    rg_proxy_swallow(proxy_.get(), false);
    Start(30, 0, 500);
    Wait();
    rg_proxy_reset(proxy_.get());
  });
  ExpectRecovery();
}

// ---- Servers that ask for new connections -----------------------------------

class Restless : public Faults {
 protected:
  void Serve(const Args &args) {
    method_ = {"/retry_guard.test.Echo/Call",
               [](rg_rpc_incoming *incoming, void *) {
                 rg_rpc_answer answer{};
                 answer.delay_ms = 5;
                 rg_rpc_reply(incoming, &answer);
               },
               nullptr, nullptr};
    rg_rpc_server_options options{};
    options.methods = &method_;
    options.count = 1;
    options.args = args.get();
    server_ = rg_rpc_server_new(&options);
    ASSERT_NE(server_, nullptr);
    Connect(rg_rpc_server_address(server_));
  }
  void TearDown() override {
    for (auto *side : {&plain_, &guarded_, &defaults_}) side->reset();
    if (server_ != nullptr) rg_rpc_server_destroy(server_);
  }

  rg_rpc_method method_{};
  rg_rpc_server *server_ = nullptr;
};

TEST_F(Restless, AServerSaysGoawayAllTheTime) {
  Serve({{GRPC_ARG_MAX_CONNECTION_AGE_MS, 50},
         {GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, 1000}});
  for (int i = 0; i < 20; i++) {
    Start(10);
    Pause();
  }
  Wait();
  EXPECT_EQ(guarded_->ok(), 210);
  guarded_->ExpectSettled();
  defaults_->ExpectSettled();
}

TEST_F(Restless, AServerTakesOneStreamAtATime) {
  Serve({{GRPC_ARG_MAX_CONCURRENT_STREAMS, 1}});
  Start(50);
  Wait();
  EXPECT_EQ(guarded_->ok(), 60);
  guarded_->ExpectSettled();
  defaults_->ExpectSettled();
}

}  // namespace
