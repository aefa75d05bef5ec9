// SPDX-License-Identifier: Apache-2.0

// The plugin in a test's process. It can be registered only once, and only
// before gRPC is used: tests of a `Guarded` suite find it registered, others
// ask for a process of their own.
#ifndef RG_TEST_GRPC_GUARDED_H
#define RG_TEST_GRPC_GUARDED_H

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <utility>

#include "retry_guard/retry_guard.h"
#include "support/eventually.h"

namespace rg_test {

constexpr char kLayerName[] = "front";

using OnEvent = std::function<void(const retry_guard_event &)>;

// Whom gRPC's threads tell of events.
struct Listener {
  std::mutex mutex;  // held while it is told
  OnEvent on_event;

  static Listener &Get() {
    static Listener listener;
    return listener;
  }
};

// Has `on_event`, or nobody, told of events. The one before hears of none once
// this has returned; it may not call this itself.
inline void SetOnEvent(OnEvent on_event) {
  Listener &listener = Listener::Get();
  std::lock_guard<std::mutex> lock(listener.mutex);
  listener.on_event = std::move(on_event);
}

inline void Tell(const retry_guard_event &event) {
  Listener &listener = Listener::Get();
  std::lock_guard<std::mutex> lock(listener.mutex);
  if (listener.on_event) listener.on_event(event);
}

inline void RegisterGuard() {
  static const retry_guard_status status = [] {
    retry_guard_options options;
    retry_guard_options_init(&options);
    options.layer_name = kLayerName;
    options.on_event = [](const retry_guard_event *event, void *) {
      Tell(*event);
    };
    return retry_guard_register(&options);
  }();
  ASSERT_EQ(status, RETRY_GUARD_OK) << retry_guard_status_string(status);
}

class Guarded : public testing::Test {
 protected:
  static void SetUpTestSuite() { RegisterGuard(); }
};

// Says what failed in the running test; a death test's process says nothing by
// itself.
inline void PrintFailures() {
  const testing::TestResult &result =
      *testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int i = 0; i < result.total_part_count(); i++) {
    const testing::TestPartResult &part = result.GetTestPartResult(i);
    if (part.failed())
      std::cerr << part.file_name() << ":" << part.line_number() << ": "
                << part.message() << "\n";
  }
}

// Runs `body` in a process that has not used gRPC so far, whatever this one
// did. Its failures are this test's.
inline void InAFreshProcess(const std::function<void()> &body) {
  auto run = [&body] {
    body();
    PrintFailures();
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

inline retry_guard_process_stats ProcessStats() {
  retry_guard_process_stats stats{};
  stats.size = sizeof stats;
  EXPECT_EQ(retry_guard_process_stats_get(&stats), RETRY_GUARD_OK);
  return stats;
}

// A service config for all methods of kService: what differs from
// `"retryGuard": {}` without a circuit breaker, and three attempts without a
// noticeable backoff.
class Config {
 public:
  static constexpr char kService[] = "test.Echo";

  // What stands for `retryGuard` at the channel and at the method; "" nothing.
  Config &Guard(const std::string &json) { return Set(&guard_, json); }
  Config &MethodGuard(const std::string &json) {
    return Set(&method_guard_, json);
  }
  // Without `retryGuard` at the channel there is no breaker either.
  Config &Breaker(const std::string &json) { return Set(&breaker_, json); }
  Config &Attempts(int count) { return Set(&attempts_, std::to_string(count)); }
  Config &NoRetryPolicy() { return Set(&attempts_, ""); }
  Config &Backoff(const std::string &span) { return Set(&backoff_, span); }
  Config &Codes(const std::string &json) { return Set(&codes_, json); }
  // More members of the retryPolicy.
  Config &More(const std::string &json) { return Set(&more_, json); }

  std::string Json() const {
    std::string method = R"("name":[{"service":")" + std::string(kService) +
                         R"("}])" + Member("retryGuard", method_guard_) +
                         Member("retryPolicy", RetryPolicy());
    return R"({"methodConfig":[{)" + method + "}]" +
           Member("retryGuard", GuardWithBreaker()) + "}";
  }

 private:
  Config &Set(std::string *field, const std::string &value) {
    *field = value;
    return *this;
  }

  static std::string Member(const std::string &name, const std::string &json) {
    return json.empty() ? "" : ",\"" + name + "\":" + json;
  }

  // Texts that are no block, and blocks with a breaker of their own, stay.
  std::string GuardWithBreaker() const {
    if (guard_.empty() || guard_[0] != '{' || breaker_.empty() ||
        guard_.find("circuitBreaker") != std::string::npos)
      return guard_;
    std::string rest = guard_.substr(1);
    return R"({"circuitBreaker":)" + breaker_ + (rest == "}" ? "" : ",") + rest;
  }

  std::string RetryPolicy() const {
    if (attempts_.empty()) return "";
    return R"({"maxAttempts":)" + attempts_ + R"(,"initialBackoff":")" +
           backoff_ + R"(","maxBackoff":")" + backoff_ +
           R"(","backoffMultiplier":1,"retryableStatusCodes":)" + codes_ +
           more_ + "}";
  }

  std::string guard_ = "{}";
  std::string breaker_ = R"({"disabled":true})";
  std::string method_guard_;
  std::string attempts_ = "3";
  std::string backoff_ = "0.001s";
  std::string codes_ = R"(["UNAVAILABLE"])";
  std::string more_;
};

// As many retries as calls want.
constexpr char kUnlimited[] = R"({"budget":{"disabled":true}})";

}  // namespace rg_test

#endif
