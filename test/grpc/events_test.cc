// SPDX-License-Identifier: Apache-2.0

// Events and traces, from a real channel to the application and gRPC's log.
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/log.h"
#include "grpc/server.h"

namespace rg_test {
namespace {

void AnswerDown(rg_rpc_incoming *incoming) { Reply(incoming); }

struct Seen {
  std::string kind;
  std::string target;
  std::string breaker;
  retry_guard_breaker_cause cause;
  uint64_t failures;
  std::thread::id thread;
};

class Events : public Guarded {
 protected:
  Events() {
    SetOnEvent([this](const retry_guard_event &event) {
      std::lock_guard<std::mutex> lock(mutex_);
      seen_.push_back({retry_guard_event_string(event.kind), event.target,
                       event.breaker, event.cause, event.failures,
                       std::this_thread::get_id()});
    });
  }
  ~Events() override { SetOnEvent(nullptr); }

  std::vector<Seen> Wait(size_t count) {
    EXPECT_TRUE(Eventually([&] {
      std::lock_guard<std::mutex> lock(mutex_);
      return seen_.size() >= count;
    }));
    std::lock_guard<std::mutex> lock(mutex_);
    return seen_;
  }

  Server server_{AnswerDown};
  std::mutex mutex_;
  std::vector<Seen> seen_;
  std::string status_;  // that the guard gave the callback
};

const std::string kAfterThree =
    Config().Breaker(R"({"consecutiveFailures":3})").Json();

TEST_F(Events, ReachTheCallback) {
  Client client(server_.address(), kAfterThree);
  for (int i = 0; i < 3; i++) client.Call();
  bool opened = false;
  for (const Seen &event : Wait(2)) {
    EXPECT_NE(event.target.find(server_.address()), std::string::npos);
    EXPECT_NE(event.thread, std::this_thread::get_id());
    if (event.kind != "breaker_opened") continue;
    opened = true;
    EXPECT_EQ(event.cause, RETRY_GUARD_CAUSE_CONSECUTIVE);
    EXPECT_GE(event.failures, 3u);
  }
  EXPECT_TRUE(opened);
}

// The names of the client's breakers that are open.
std::vector<std::string> OpenBreakers(const std::string &target) {
  std::vector<std::string> names;
  EXPECT_EQ(retry_guard_breakers_each(
                target.c_str(),
                [](const retry_guard_breaker *breaker, void *arg) {
                  if (breaker->state == RETRY_GUARD_BREAKER_OPEN)
                    static_cast<std::vector<std::string> *>(arg)->push_back(
                        breaker->name);
                },
                &names),
            RETRY_GUARD_OK);
  return names;
}

TEST_F(Events, NameTheBreakerThatOpened) {
  const std::string address = server_.address();
  for (const auto &[scope, name] :
       {std::pair<std::string, std::string>{"METHOD", kMethod},
        {"SERVICE", "test.Echo"},
        {"BACKEND", "ipv4:127.0.0.1" + address.substr(address.rfind(':'))},
        {"TARGET", ""}}) {
    const size_t before = Wait(0).size();
    Client client(server_.address(),
                  Config()
                      .NoRetryPolicy()
                      .Breaker(R"({"consecutiveFailures":3,)"
                               R"("cooldown":"3600s","scope":")" +
                               scope + R"("})")
                      .Json());
    for (int i = 0; i < 3; i++) client.Call();
    const Seen opened = Wait(before + 1).back();
    EXPECT_EQ(opened.kind, "breaker_opened");
    EXPECT_EQ(opened.breaker, name);
    EXPECT_EQ(OpenBreakers(opened.target), std::vector<std::string>{name});
    EXPECT_NE(client.Call().details.find(
                  opened.target + (name.empty() ? "" : ", " + name + ",") +
                  " is open, for "),
              std::string::npos);
  }
}

// Where no other test has used up the lines of the minute.
TEST(EventLines, ReachTheLog) {
  InAFreshProcess([] {
    RegisterGuard();
    Log log;
    Server server(AnswerDown);
    Client client(server.address(), kAfterThree);
    for (int i = 0; i < 3; i++) client.Call();
    EXPECT_TRUE(Eventually([] {
      return Log::Read().find("attempts failed in a row") != std::string::npos;
    })) << Log::Read();
  });
}

TEST_F(Events, LetTheCallbackUseGrpcAndTheGuard) {
  SetOnEvent([this](const retry_guard_event &event) {
    // Neither waits for anything of the call that brought this about.
    retry_guard_stats stats = {};
    stats.size = sizeof stats;
    retry_guard_status got = retry_guard_stats_get(event.target, &stats);
    grpc_channel_credentials *insecure = grpc_insecure_credentials_create();
    grpc_channel_destroy(grpc_channel_create("localhost:1", insecure, nullptr));
    grpc_channel_credentials_release(insecure);
    std::lock_guard<std::mutex> lock(mutex_);
    status_ = retry_guard_status_string(got);
  });
  Client client(server_.address(), kAfterThree);
  for (int i = 0; i < 3; i++) client.Call();
  EXPECT_TRUE(Eventually([&] {
    std::lock_guard<std::mutex> lock(mutex_);
    return status_ == "ok";
  })) << status_;
}

TEST_F(Events, AreWrittenDecisionByDecisionOnRequest) {
  Log log;
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_INFO);
  ASSERT_EQ(grpc_tracer_set_enabled("retry_guard", 1), 1);
  {
    Client client(server_.address(), Config().Json());
    client.Call();
  }
  grpc_tracer_set_enabled("retry_guard", 0);
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
  const std::string text = Log::Read();
  for (const char *said :
       {"attempt 1 begins: previous=0 lineage=unmarked", "retried after",
        "attempt 2 begins: previous=1", "stopped, budget"})
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
}

}  // namespace
}  // namespace rg_test
