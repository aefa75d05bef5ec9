// SPDX-License-Identifier: Apache-2.0

// Everything that can happen to a call, many times over and at the same time:
// in the end the guard's books agree with what the server saw.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <mutex>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"
#include "support/race.h"

namespace rg_test {
namespace {

constexpr int kThreads = 4;
constexpr int kCalls = 10000;
constexpr int kLargeEvery = 40;
constexpr size_t kInFlight = 100;  // of a thread, but for those that wait

enum class Kind {
  kOk,
  kDownOnce,
  kDown,
  kNotFound,
  kCancelled,  // in backoff
  kExpired,    // in backoff
  kEarly,      // committed by initial metadata
  kCompressed,
  kServerStop,
  kLarge,  // does not fit into the retry buffer
  kCount,
};

constexpr std::array kMix = {
    Kind::kOk,        Kind::kDownOnce,  Kind::kOk,         Kind::kDown,
    Kind::kOk,        Kind::kCancelled, Kind::kOk,         Kind::kNotFound,
    Kind::kOk,        Kind::kEarly,     Kind::kExpired,    Kind::kDownOnce,
    Kind::kOk,        Kind::kDown,      Kind::kNotFound,   Kind::kEarly,
    Kind::kCancelled, Kind::kDownOnce,  Kind::kCompressed, Kind::kServerStop};

Kind KindOf(int number) {
  if (number % kLargeEvery == 0) return Kind::kLarge;
  return kMix[static_cast<size_t>(number) % kMix.size()];
}

Request RequestOf(Kind kind) {
  Request request;
  request.metadata = {{"kind", std::to_string(static_cast<int>(kind))}};
  request.message = std::string(kind == Kind::kLarge        ? 300 << 10
                                : kind == Kind::kCompressed ? 4000
                                                            : 10,
                                'x');
  request.compress = kind == Kind::kCompressed;
  request.timeout_ms = kind == Kind::kExpired ? 3000 : 0;
  return request;
}

Answer AnswerTo(Kind kind, bool first) {
  switch (kind) {
    case Kind::kOk:
      return Ok();
    case Kind::kDownOnce:
    case Kind::kCompressed:
      return first ? Answer() : Ok();
    case Kind::kNotFound: {
      Answer answer;
      answer.status = GRPC_STATUS_NOT_FOUND;
      return answer;
    }
    case Kind::kCancelled:
    case Kind::kExpired:
      return Pushback("3600000");
    case Kind::kEarly: {
      Answer answer;
      answer.early = true;
      answer.delay_ms = 20;
      return answer;
    }
    case Kind::kServerStop:
      return Pushback("-1");
    default:
      return Answer();
  }
}

class Mixed : public Guarded {
 protected:
  static constexpr auto kKinds = static_cast<size_t>(Kind::kCount);
  using Counts = std::array<std::atomic<uint64_t>, kKinds>;

  void OnCall(rg_rpc_incoming *incoming) {
    rg_rpc_view text;
    ASSERT_TRUE(rg_rpc_find(incoming->metadata, "kind", &text));
    auto kind = static_cast<Kind>(std::stoi(Text(text)));
    bool first = rg_rpc_previous_attempts(incoming->metadata) == 0;
    (first ? firsts_ : retries_)[static_cast<size_t>(kind)]++;
    Reply(incoming, AnswerTo(kind, first));
  }

  void Expect(Kind kind, grpc_status_code status) {
    bool good = status == GRPC_STATUS_UNAVAILABLE;  // whatever the budget says
    switch (kind) {
      case Kind::kOk:
        good = status == GRPC_STATUS_OK;
        break;
      case Kind::kDownOnce:
      case Kind::kCompressed:
        good = good || status == GRPC_STATUS_OK;
        break;
      case Kind::kNotFound:
        good = status == GRPC_STATUS_NOT_FOUND;
        break;
      case Kind::kCancelled:
        good = good || status == GRPC_STATUS_CANCELLED;
        break;
      case Kind::kExpired:
        good = good || status == GRPC_STATUS_DEADLINE_EXCEEDED;
        break;
      default:
        break;
    }
    EXPECT_TRUE(good) << static_cast<int>(kind) << " ended "
                      << rg_rpc_status_name(status);
  }

  // One thread's share of the calls.
  void MakeCalls(int thread) {
    std::deque<std::pair<Kind, Pending>> quick;
    std::vector<std::pair<Kind, Pending>> waiting;
    for (int i = thread; i < kCalls; i += kThreads) {
      Kind kind = KindOf(i);
      Pending call = client_.Start(RequestOf(kind));
      bool waits = kind == Kind::kCancelled || kind == Kind::kExpired;
      if (waits)
        waiting.emplace_back(kind, std::move(call));
      else
        quick.emplace_back(kind, std::move(call));
      if (quick.size() < kInFlight) continue;
      Expect(quick.front().first, quick.front().second.Get().status);
      quick.pop_front();
    }
    for (auto &[kind, call] : quick) Expect(kind, call.Get().status);
    // A call that no server saw would be missing there.
    EXPECT_TRUE(Eventually([&] { return ArrivedAll(Kind::kCancelled); }));
    for (auto &[kind, call] : waiting)
      if (kind == Kind::kCancelled) call.Cancel();
    for (auto &[kind, call] : waiting) Expect(kind, call.Get().status);
  }

  static uint64_t Made(Kind kind) {
    uint64_t made = 0;
    for (int i = 0; i < kCalls; i++) made += KindOf(i) == kind;
    return made;
  }

  bool ArrivedAll(Kind kind) {
    return firsts_[static_cast<size_t>(kind)] == Made(kind);
  }

  static uint64_t Sum(const Counts &counts) {
    uint64_t sum = 0;
    for (const auto &count : counts) sum += count;
    return sum;
  }

  Counts firsts_{};
  Counts retries_{};
  Server server_{[this](rg_rpc_incoming *incoming) { OnCall(incoming); }};
  Client client_{server_.address(), Config()
                                        .Guard(R"({"budget":{"tokenBucket":{
          "tokenRatio":1,"initialTokens":500,"burst":"3600s"}},
          "deadline":{"disabled":true}})")
                                        .Json()};
};

TEST_F(Mixed, TheBooksOfTenThousandCallsAgreeWithTheServers) {
  Race(kThreads, [&](int thread) { MakeCalls(thread); });
  retry_guard_stats stats = client_.Stats();
  EXPECT_EQ(stats.calls, static_cast<uint64_t>(kCalls));
  EXPECT_EQ(stats.calls, Sum(firsts_));
  EXPECT_EQ(stats.retries, Sum(retries_));
  EXPECT_EQ(stats.attempts, server_.attempts());
  EXPECT_EQ(stats.marks_made, server_.attempts());
  EXPECT_EQ(stats.stops[RETRY_GUARD_STOP_PUSHBACK], Made(Kind::kServerStop));
  EXPECT_EQ(stats.tokens_outstanding, 0u);
  EXPECT_EQ(stats.undecided_retries, 0u);
  EXPECT_EQ(stats.fail_open, 0u);
  for (Kind kind : {Kind::kLarge, Kind::kServerStop, Kind::kCancelled,
                    Kind::kExpired, Kind::kNotFound, Kind::kCompressed})
    EXPECT_EQ(retries_[static_cast<size_t>(kind)], 0u);
  EXPECT_GT(retries_[static_cast<size_t>(Kind::kDownOnce)], 0u);
  EXPECT_EQ(stats.stops[RETRY_GUARD_STOP_COMPRESSED], Made(Kind::kCompressed));
}

}  // namespace
}  // namespace rg_test
