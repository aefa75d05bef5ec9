// SPDX-License-Identifier: Apache-2.0

// Policies that come by DNS, with the addresses, as service configs do when an
// operator rather than the application chooses them.
#include <grpc/support/alloc.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/log.h"
#include "grpc/name_server.h"
#include "grpc/server.h"

namespace rg_test {
namespace {

// One choice of service config. round_robin, unlike pick_first, connects again
// by itself, whether there are calls or not.
std::string Choice(const Config &config) {
  return R"([{"serviceConfig":{"loadBalancingConfig":[{"round_robin":{}}],)" +
         config.Json().substr(1) + "}]";
}

// A bucket in which nothing expires while a test runs.
std::string Bucket(const std::string &ratio) {
  return R"({"budget":{"tokenBucket":{"initialTokens":0,"burst":"3600s",
      "tokenRatio":)" +
         ratio + "}}}";
}

std::string Choice(const std::string &guard) {
  return Choice(Config().Guard(guard));
}

class Dns : public Guarded {
 protected:
  void SetUp() override {
    if (!NameServer::IsInstalled())
      GTEST_SKIP() << "dnsmasq (package dnsmasq-base) is not at hand";
    names_ = std::make_unique<NameServer>();
    Connect("");
  }

  // A channel without a config of its own, or with one.
  void Connect(const std::string &config) {
    client_.reset();
    client_ = std::make_unique<Client>(
        names_->Target(server_.port()), config,
        Args{{GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 0},
             {GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, 1}});
  }

  Result Call(grpc_status_code status) {
    answer_ = status;
    return client_->Call();
  }

  void Calls(size_t count, grpc_status_code status) {
    answer_ = status;
    for (size_t i = 0; i < count; i++) {
      Result result = client_->Call();
      EXPECT_EQ(result.status, status) << result.message;
    }
  }

  static std::string BreakerChoice(const std::string &breaker) {
    return Choice(Config().Guard("{}").Breaker(breaker));
  }

  // Until it refuses calls, and for longer than any test.
  void OpenBreaker() {
    names_->Publish(
        BreakerChoice(R"({"consecutiveFailures":3,"cooldown":"3600s"})"));
    uint64_t rejections = client_->Stats().breaker_rejections;
    EXPECT_TRUE(Eventually([&] {
      Call(GRPC_STATUS_UNAVAILABLE);
      return client_->Stats().breaker_rejections > rejections;
    }));
  }

  // How many attempts a call makes that always fails.
  uint64_t Attempts() {
    uint64_t before = server_.attempts();
    Call(GRPC_STATUS_UNAVAILABLE);
    return server_.attempts() - before;
  }

  // Makes calls that neither earn nor cost anything until the policy is in
  // force under which the budget is so large.
  bool Holds(uint64_t milli) {
    return Eventually([&] {
      Call(GRPC_STATUS_INVALID_ARGUMENT);
      return client_->Stats().budget_milli == milli;
    });
  }

  void CountConnection(grpc_call *call) {
    std::lock_guard<std::mutex> lock(mutex_);
    char *peer = grpc_call_get_peer(call);
    if (peer_ != peer) connections_++;
    peer_ = peer;
    gpr_free(peer);
  }

  std::mutex mutex_;
  std::string peer_;
  std::atomic<uint64_t> connections_{0};  // that brought calls
  std::atomic<grpc_status_code> answer_{GRPC_STATUS_OK};
  // A lost connection makes gRPC ask for the name again, and this server's
  // never last for long.
  Server server_{[this](rg_rpc_incoming *incoming) {
                   CountConnection(incoming->call);
                   Answer answer;
                   answer.status = answer_;
                   Reply(incoming, answer);
                 },
                 {{GRPC_ARG_MAX_CONNECTION_AGE_MS, 10}}};
  std::unique_ptr<NameServer> names_;
  std::unique_ptr<Client> client_;
};

TEST_F(Dns, AChannelWithoutAConfigGetsItsPolicyByATxtRecord) {
  names_->Publish(Choice(Bucket("0.5")));
  Calls(20, GRPC_STATUS_OK);
  EXPECT_EQ(client_->Stats().budget_milli, 10000u);
  Calls(20, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(server_.attempts(), 50u);
  EXPECT_EQ(client_->Stats().retries, 10u);
}

// Longer than a string of a TXT record, and than an answer by UDP.
TEST_F(Dns, ALongPolicyComesWhole) {
  std::string choice = Choice(Bucket("0.5"));
  names_->Publish("[" + std::string(3000, ' ') + choice.substr(1));
  Calls(20, GRPC_STATUS_OK);
  EXPECT_EQ(client_->Stats().budget_milli, 10000u);
}

TEST_F(Dns, AnUpdateKeepsTheFilledFraction) {
  names_->Publish(Choice(Bucket("0.5")));
  Calls(100, GRPC_STATUS_OK);
  Calls(20, GRPC_STATUS_UNAVAILABLE);
  // Of 50 tokens 20 calls took two each.
  EXPECT_EQ(client_->Stats().budget_milli, 10000u);
  names_->Publish(Choice(Bucket("0.1")));
  EXPECT_TRUE(Holds(2000));
  Calls(10, GRPC_STATUS_OK);
  EXPECT_EQ(client_->Stats().budget_milli, 3000u);
  Calls(10, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(client_->Stats().retries, 43u);
}

// Calls that all end well fill the bucket to its brim, which under whichever
// policy is what its ratio makes of them.
TEST_F(Dns, AnUpdateAmongCallsTakesOverAndHarmsNone) {
  names_->Publish(Choice(Bucket("0.5")));
  std::atomic<bool> on{true};
  std::atomic<uint64_t> ok{0};
  Calls(1, GRPC_STATUS_OK);
  std::thread caller([&] {
    for (; on; ok++) EXPECT_EQ(client_->Call().status, GRPC_STATUS_OK);
  });
  auto is_ratio = [&](uint64_t milli) {
    return Eventually([&] {
      uint64_t before = ok, level = client_->Stats().budget_milli;
      return before > 10 && level >= before * milli &&
             level <= (ok + 2) * milli;
    });
  };
  EXPECT_TRUE(is_ratio(500));
  names_->Publish(Choice(Bucket("0.1")));
  EXPECT_TRUE(is_ratio(100));
  on = false;
  caller.join();
  retry_guard_stats stats = client_->Stats();
  EXPECT_EQ(stats.budget_milli, (ok + 1) * 100);
  EXPECT_EQ(stats.tokens_outstanding, 0u);
  EXPECT_EQ(stats.calls, ok + 1);
  EXPECT_EQ(stats.attempts, stats.calls);
  EXPECT_EQ(server_.attempts(), stats.attempts);
}

// The same with calls that fail: each is retried by either policy, or not, and
// no token is lost on the way from one to the other.
TEST_F(Dns, AnUpdateAmongRetriesLosesNoToken) {
  const std::string more = Choice(Bucket("1"));
  const std::string less = Choice(Bucket("0.5"));
  names_->Publish(more);
  Calls(200, GRPC_STATUS_OK);
  answer_ = GRPC_STATUS_UNAVAILABLE;
  std::atomic<bool> on{true};
  std::atomic<uint64_t> done{200};
  std::thread caller([&] {
    for (; on; done += 8)
      for (const Result &result : client_->Calls(8))
        EXPECT_EQ(result.status, GRPC_STATUS_UNAVAILABLE);
  });
  for (int i = 0; i < 5; i++) names_->Publish(i % 2 == 0 ? less : more);
  EXPECT_TRUE(Eventually([&] { return client_->Stats().retries >= 100; }));
  on = false;
  caller.join();
  retry_guard_stats stats = client_->Stats();
  EXPECT_EQ(stats.calls, done);
  EXPECT_EQ(stats.attempts, stats.calls + stats.retries);
  EXPECT_EQ(server_.attempts(), stats.attempts);
  EXPECT_LE(stats.retries, 200u);
  EXPECT_EQ(stats.tokens_outstanding, 0u);
}

TEST_F(Dns, AWrongUpdateIsLoggedAndLeavesPolicyAndStateAlone) {
  const struct {
    const char *guard;
    const char *said;
  } cases[] = {
      {R"({"bugdet":{}})", "retryGuard.bugdet error:is unknown"},
      {R"({"budget":{"tokenBucket":{"tokenRatio":1.5}}})",
       "retryGuard.budget.tokenBucket.tokenRatio "
       "error:must be in (0, 1], got 1.5"},
  };
  names_->Publish(Choice(Bucket("0.5")));
  Calls(20, GRPC_STATUS_OK);
  for (const auto &[guard, said] : cases) {
    Log log;
    names_->Publish(Choice(guard));
    EXPECT_TRUE(Eventually([text = said] {
      return Log::Read().find(text) != std::string::npos;
    })) << Log::Read();
    Call(GRPC_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(client_->Stats().budget_milli, 10000u);
  }
  EXPECT_EQ(Attempts(), 3u);
  names_->Publish(Choice(Bucket("0.1")));
  EXPECT_TRUE(Holds(1600));
}

TEST_F(Dns, AWrongUpdateLeavesAnOpenBreakerOpen) {
  OpenBreaker();
  Log log;
  names_->Publish(BreakerChoice(R"({"cooldown":"-1s"})"));
  EXPECT_TRUE(Eventually([] {
    return Log::Read().find("retryGuard.circuitBreaker.cooldown") !=
           std::string::npos;
  })) << Log::Read();
  uint64_t attempts = server_.attempts();
  EXPECT_EQ(Call(GRPC_STATUS_OK).status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(client_->Stats().breaker_state, RETRY_GUARD_BREAKER_OPEN);
  EXPECT_EQ(server_.attempts(), attempts);
}

// They never come as far as gRPC's service config; the last of these has no
// policy at all.
TEST_F(Dns, AnUpdateReachesCallsThatAnOpenBreakerRefuses) {
  for (const std::string &update :
       {BreakerChoice(R"({"disabled":true})"),
        BreakerChoice(R"({"cooldown":"0.1s"})"), Choice(""), std::string()}) {
    OpenBreaker();
    EXPECT_EQ(Call(GRPC_STATUS_OK).status, GRPC_STATUS_UNAVAILABLE);
    names_->Publish(update);
    EXPECT_TRUE(Eventually([&] {
      return Call(GRPC_STATUS_OK).status == GRPC_STATUS_OK;
    })) << update;
  }
}

// gRPC takes a record that is not there, and one that offers nothing, for the
// wish to have no service config: neither retries nor a guard.
TEST_F(Dns, ARecordThatVanishesTakesRetriesAndGuardWithIt) {
  for (const char *nothing : {"", "[]"}) {
    names_->Publish(Choice(kUnlimited));
    EXPECT_TRUE(Eventually([&] { return Attempts() == 3; }));
    names_->Publish(nothing);
    EXPECT_TRUE(Eventually([&] { return Attempts() == 1; })) << nothing;
    uint64_t calls = client_->Stats().calls;
    Calls(10, GRPC_STATUS_OK);
    EXPECT_EQ(client_->Stats().calls, calls);
    EXPECT_EQ(client_->Stats().tokens_outstanding, 0u);
  }
}

// What the target had is still there when a policy is.
TEST_F(Dns, TheBudgetOutlivesARecordThatComesBack) {
  names_->Publish(Choice(Bucket("0.5")));
  Calls(20, GRPC_STATUS_OK);
  names_->Publish("");
  EXPECT_TRUE(Eventually([&] {
    uint64_t before = client_->Stats().calls;
    Call(GRPC_STATUS_INVALID_ARGUMENT);
    return client_->Stats().calls == before;
  }));
  Calls(20, GRPC_STATUS_OK);
  EXPECT_EQ(client_->Stats().budget_milli, 10000u);
  names_->Publish(Choice(Bucket("0.1")));
  EXPECT_TRUE(Holds(2000));
}

// Retries as gRPC has them.
TEST_F(Dns, AConfigWithoutABlockLeavesRetriesUnguarded) {
  names_->Publish(Choice(Bucket("0.5")));
  EXPECT_EQ(Attempts(), 1u);
  names_->Publish(Choice(""));
  EXPECT_TRUE(Eventually([&] { return Attempts() == 3; }));
  uint64_t calls = client_->Stats().calls;
  EXPECT_EQ(Attempts(), 3u);
  EXPECT_EQ(client_->Stats().calls, calls);
}

// gRPC asks in vain whenever a connection is lost.
TEST_F(Dns, ThePolicyOutlivesTheNameServer) {
  names_->Publish(Choice(Bucket("0.5")));
  Calls(20, GRPC_STATUS_OK);
  names_->Stop();
  uint64_t calls = 20;
  for (uint64_t last = connections_ + 3; connections_ < last || calls < 40;
       calls++)
    Calls(1, GRPC_STATUS_OK);
  EXPECT_EQ(client_->Stats().budget_milli, calls * 500);
  uint64_t before = server_.attempts();
  Calls(10, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(server_.attempts() - before, 30u);
  names_->Publish(Choice(Bucket("0.1")));
  names_->Restart();
  // It would ask again after a pause that has grown with the failures.
  grpc_channel_reset_connect_backoff(client_->grpc());
  EXPECT_TRUE(Holds((calls * 500 - 20000) / 5));
}

TEST_F(Dns, TheModeIsSwitchedByAnUpdate) {
  auto choice = [](const std::string &mode) {
    return Choice(R"({"mode":")" + mode +
                  R"(","budget":{"tokenBucket":{"initialTokens":0}}})");
  };
  names_->Publish(choice("OFF"));
  EXPECT_EQ(Attempts(), 3u);
  EXPECT_EQ(client_->Stats().calls, 0u);
  names_->Publish(choice("ENFORCE"));
  EXPECT_TRUE(Eventually([&] { return Attempts() == 1; }));
  names_->Publish(choice("SHADOW"));
  EXPECT_TRUE(Eventually([&] { return Attempts() == 3; }));
  EXPECT_GT(client_->Stats().stops[RETRY_GUARD_STOP_BUDGET], 1u);
  names_->Publish(choice("OFF"));
  EXPECT_TRUE(Eventually([&] {
    uint64_t calls = client_->Stats().calls;
    return Attempts() == 3 && client_->Stats().calls == calls;
  }));
}

// The channel's own config is gRPC's default for names that have none.
TEST_F(Dns, TheChannelsOwnPolicyIsBackWhenTheRecordIsGone) {
  names_->Publish(Choice(Bucket("0.5")));
  Connect(Config().Guard(Bucket("0.1")).Json());
  Calls(20, GRPC_STATUS_OK);
  EXPECT_EQ(client_->Stats().budget_milli, 10000u);
  names_->Publish("");
  EXPECT_TRUE(Holds(2000));
  names_->Publish(Choice(Bucket("0.5")));
  EXPECT_TRUE(Holds(10000));
}

// gRPC throws the dice between these two each time that it asks for the name.
TEST_F(Dns, HundredsOfUpdatesAmongCallsAddUp) {
  const char kWindow[] = R"({"budget":{"window":{"percent":50,
      "interval":"3600s"}},"circuitBreaker":{"scope":"METHOD",
      "minRequests":1000000}})";
  const std::string bucket = Choice(Bucket("0.5")), window = Choice(kWindow);
  names_->Publish(R"([{"percentage":50,)" +
                  bucket.substr(2, bucket.size() - 3) + "," + window.substr(1));
  uint64_t calls = 0;
  for (uint64_t last = connections_ + 300; connections_ < last; calls += 8) {
    answer_ = calls % 24 == 0 ? GRPC_STATUS_UNAVAILABLE : GRPC_STATUS_OK;
    for (const Result &result : client_->Calls(8))
      EXPECT_EQ(result.status, answer_) << result.details;
  }
  retry_guard_stats stats = client_->Stats();
  EXPECT_EQ(stats.calls, calls);
  EXPECT_EQ(stats.attempts, stats.calls + stats.retries);
  EXPECT_EQ(server_.attempts(), stats.attempts);
  EXPECT_GT(stats.retries, 0u);
  EXPECT_LT(stats.retries, calls / 2);
  EXPECT_EQ(stats.tokens_outstanding, 0u);
}

}  // namespace
}  // namespace rg_test
