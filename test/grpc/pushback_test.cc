// SPDX-License-Identifier: Apache-2.0

// The lever, `grpc-retry-pushback-ms`: what the guard puts there stays between
// it and gRPC, and what a server asks for is done.
#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"

namespace rg_test {
namespace {

using Pushbacks = Guarded;
using Values = std::vector<std::string>;

// A server that answers attempt after attempt from a list, the last for all
// that follow, and one call to it.
Result CallOnce(const std::vector<Answer> &answers, const Config &config) {
  std::atomic<size_t> next{0};
  Server server([&](rg_rpc_incoming *incoming) {
    Reply(incoming, answers[std::min(next++, answers.size() - 1)]);
  });
  Client client(server.address(), config.Json());
  return client.Call();
}

Values PushbackSeen(const std::vector<Answer> &answers, const Config &config) {
  return CallOnce(answers, config).trailing.Values(kPushback);
}

// What gRPC shows of a value that it could not parse.
constexpr char kUnparsable[] = "-9223372036854775808";

constexpr char kNoTokens[] =
    R"({"budget":{"tokenBucket":{"initialTokens":0}}})";

TEST_F(Pushbacks, AStopIsNotSeenByTheApplication) {
  EXPECT_EQ(PushbackSeen({Answer()}, Config().Guard(kNoTokens)), Values());
}

TEST_F(Pushbacks, AStopLeavesWhatTheServerSent) {
  for (const char *sent : {"3", "0", "2147483648"})
    EXPECT_EQ(PushbackSeen({Pushback(sent)}, Config().Guard(kNoTokens)),
              Values{sent});
}

TEST_F(Pushbacks, AServersStopReachesTheApplicationAsItCame) {
  EXPECT_EQ(PushbackSeen({Pushback("-1")}, Config()), Values{"-1"});
  EXPECT_EQ(PushbackSeen({Pushback("soon")}, Config()), Values{kUnparsable});
}

TEST_F(Pushbacks, ARetryLeavesNoTraceInTheLastAttempt) {
  for (const Answer &last : {Ok(), Answer()})
    EXPECT_EQ(PushbackSeen({Answer(), last}, Config().Guard(kUnlimited)),
              Values());
}

TEST_F(Pushbacks, TheLastAttemptsOwnValueStays) {
  for (grpc_status_code status :
       {GRPC_STATUS_OK, GRPC_STATUS_NOT_FOUND, GRPC_STATUS_UNAVAILABLE}) {
    for (const char *sent : {"3", "0", "-1"}) {
      Config config;
      config.Guard(kUnlimited).Attempts(2);
      EXPECT_EQ(PushbackSeen({Answer(), Pushback(sent, status)}, config),
                Values{sent});
      EXPECT_EQ(PushbackSeen({Pushback("1"), Pushback(sent, status)}, config),
                Values{sent});
    }
  }
}

// A floor above the cap makes the delay one that the test knows: what the guard
// writes is 3, or 4 with what it adds against gRPC's rounding.
constexpr char kThreeMs[] =
    R"({"budget":{"disabled":true},"backoff":{"floor":"0.003s"}})";

TEST_F(Pushbacks, TheLastAttemptsOwnValueStaysThoughTheGuardChoseTheSame) {
  Config config;
  config.Attempts(2).Guard(kThreeMs);
  for (grpc_status_code status :
       {GRPC_STATUS_OK, GRPC_STATUS_NOT_FOUND, GRPC_STATUS_UNAVAILABLE})
    for (const char *sent : {"3", "4"})
      EXPECT_EQ(PushbackSeen({Answer(), Pushback(sent, status)}, config),
                Values{sent});
}

TEST_F(Pushbacks, AnEarlierAttemptsValueDoesNotReturn) {
  Config config;
  config.Attempts(2).Guard(kThreeMs);
  for (const char *sent : {"3", "4"}) {
    Answer last = Pushback(sent, GRPC_STATUS_NOT_FOUND);
    EXPECT_EQ(PushbackSeen({Pushback("1"), last}, config), Values{sent});
  }
}

TEST_F(Pushbacks, AServersStopEndsTheCall) {
  for (const char *sent : {"-1", "soon", "", "99999999999999999999"}) {
    std::vector<Answer> answers = {Pushback(sent), Ok()};
    Result result = CallOnce(answers, Config().Guard(kUnlimited));
    EXPECT_EQ(result.status, GRPC_STATUS_UNAVAILABLE) << sent;
  }
}

// By the server's clock, which is the client's here. Many answers at once keep
// gRPC from looking at the clock for a while.
TEST_F(Pushbacks, ARetryComesNoEarlierThanTheServerAsked) {
  constexpr uint64_t kAskedNs = 50 * UINT64_C(1000000);
  constexpr int kCalls = 500;
  Inbox inbox;
  std::array<uint64_t, kCalls> answered_ns{};
  std::atomic<int> too_early{0};
  auto number_of = [](const rg_rpc_incoming *incoming) {
    return std::stoul(Entries(*incoming->metadata).Values("number").at(0));
  };
  Server server([&, keep = inbox.Handler()](rg_rpc_incoming *incoming) {
    if (rg_rpc_previous_attempts(incoming->metadata) == 0) {
      keep(incoming);
      return;
    }
    uint64_t waited_ns =
        incoming->arrived_ns - answered_ns.at(number_of(incoming));
    too_early += waited_ns < kAskedNs;
    Reply(incoming, Ok());
  });
  Client client(server.address(), Config().Guard(kUnlimited).Json());
  std::vector<Pending> calls;
  Request request;
  for (int i = 0; i < kCalls; i++) {
    request.metadata = {{"number", std::to_string(i)}};
    calls.push_back(client.Start(request));
  }
  for (rg_rpc_incoming *incoming : inbox.Take(kCalls)) {
    answered_ns.at(number_of(incoming)) = rg_rpc_now_ns();
    Reply(incoming, Pushback("50"));
  }
  for (Pending &call : calls) EXPECT_EQ(call.Get().status, GRPC_STATUS_OK);
  EXPECT_EQ(too_early, 0);
}

}  // namespace
}  // namespace rg_test
