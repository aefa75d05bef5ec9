// SPDX-License-Identifier: Apache-2.0

// Clients that fail together must not come back together.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"

namespace rg_test {
namespace {

using Jitter = Guarded;

constexpr int kCalls = 500;
constexpr char kBackoff[] = "0.4s";

// How long after its first attempt was answered each call came back.
using Delays = std::vector<uint64_t>;

// Of all but the tenth at either end: one straggler says nothing.
uint64_t Spread(const Delays &delays) {
  Delays sorted = delays;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() * 9 / 10] - sorted[sorted.size() / 10];
}

Config WithJitter(const std::string &jitter) {
  return Config().Attempts(2).Backoff(kBackoff).Guard(
      R"({"budget":{"disabled":true},"backoff":{"jitter":")" + jitter + "\"}}");
}

// Fails a crowd with native and a crowd with full jitter, all at the same
// moment, so that whatever else the machine does strikes both.
class Crowds {
 public:
  std::array<Delays, 2> Run() {
    Client native(server_.address(), WithJitter("NATIVE").Json());
    Client full(server_.address(), WithJitter("FULL").Json());
    std::vector<Pending> calls;
    for (int i = 0; i < kCalls; i++) {
      calls.push_back(Start(&native, "native", i));
      calls.push_back(Start(&full, "full", i));
    }
    for (rg_rpc_incoming *incoming : inbox_.Take(2 * kCalls)) {
      AnsweredAt(incoming) = rg_rpc_now_ns();
      Reply(incoming);
    }
    for (Pending &call : calls) EXPECT_EQ(call.Get().status, GRPC_STATUS_OK);
    return {delays_["native"], delays_["full"]};
  }

 private:
  static Pending Start(Client *client, const char *crowd, int number) {
    Request request;
    request.metadata = {{"crowd", crowd}, {"number", std::to_string(number)}};
    return client->Start(request);
  }

  uint64_t &AnsweredAt(const rg_rpc_incoming *incoming) {
    Entries entries(*incoming->metadata);
    return answered_[entries.Values("crowd").at(0) +
                     entries.Values("number").at(0)];
  }

  void OnCall(rg_rpc_incoming *incoming) {
    if (rg_rpc_previous_attempts(incoming->metadata) == 0) {
      keep_(incoming);
      return;
    }
    Entries entries(*incoming->metadata);
    std::lock_guard<std::mutex> lock(mutex_);
    delays_[entries.Values("crowd").at(0)].push_back(incoming->arrived_ns -
                                                     AnsweredAt(incoming));
    Reply(incoming, Ok());
  }

  Inbox inbox_;
  Server::Handler keep_ = inbox_.Handler();
  std::mutex mutex_;
  std::map<std::string, uint64_t> answered_;
  std::map<std::string, Delays> delays_;
  Server server_{[this](rg_rpc_incoming *incoming) { OnCall(incoming); }};
};

// Native: all after the same 0.4 s, and then as long as the machine takes; full
// jitter: 0.32 s between its tenths. A machine that stalls in between can blur
// this but not make it happen, so one clear picture out of a few is proof.
TEST_F(Jitter, NativeFirstRetriesClusterAndGuardedOnesDoNot) {
  bool clear = false;
  for (int round = 0; round < 5 && !clear; round++) {
    auto [native, full] = Crowds().Run();
    ASSERT_EQ(native.size(), static_cast<size_t>(kCalls));
    ASSERT_EQ(full.size(), static_cast<size_t>(kCalls));
    clear = Spread(full) > 3 * Spread(native);
  }
  EXPECT_TRUE(clear);
}

}  // namespace
}  // namespace rg_test
