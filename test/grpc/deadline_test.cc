// SPDX-License-Identifier: Apache-2.0

// Deadlines, attempt timeouts and what servers ask for, on real channels.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <thread>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"
#include "retry_guard/v1/retry_info.pb-c.h"

namespace rg_test {
namespace {

using Deadlines = Guarded;

Config WithDeadline(const std::string &deadline) {
  return Config().Guard(R"({"budget":{"disabled":true},"deadline":)" +
                        deadline + "}");
}

// Milliseconds that a server was given for a call.
int64_t GivenMs(const rg_rpc_incoming *incoming) {
  return gpr_time_to_millis(gpr_time_sub(
      gpr_convert_clock_type(incoming->deadline, GPR_CLOCK_MONOTONIC),
      gpr_now(GPR_CLOCK_MONOTONIC)));
}

// The cap is an hour and so is, in all likelihood, the delay: it does not fit.
TEST_F(Deadlines, ARetryThatDoesNotFitLeavesTheCallerItsRealStatus) {
  Server server([](rg_rpc_incoming *incoming) {
    Answer answer;
    answer.details = "down";
    Reply(incoming, answer);
  });
  Client client(server.address(), Config().Backoff("3600s").Json());
  Request request;
  request.timeout_ms = 300;
  Result result = client.Call(request);
  EXPECT_EQ(result.status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(result.details, "down");
  EXPECT_TRUE(result.trailing.Values(kPushback).empty());
  retry_guard_stats stats = client.Stats();
  EXPECT_EQ(stats.stops[RETRY_GUARD_STOP_DEADLINE], 1u);
  EXPECT_EQ(stats.budget_milli, 1000u) << "no token was spent";
}

TEST_F(Deadlines, APushbackThatDoesNotFitEndsTheCallAtOnce) {
  for (const char *asked : {"5000", "2147483648", "9223372036854775807"}) {
    Server server([asked](rg_rpc_incoming *incoming) {
      Reply(incoming, Pushback(asked));
    });
    Client client(server.address(), Config().Json());
    Request request;
    request.timeout_ms = 4000;
    Result result = client.Call(request);
    EXPECT_EQ(result.status, GRPC_STATUS_UNAVAILABLE) << asked;
    EXPECT_EQ(result.trailing.Values(kPushback),
              std::vector<std::string>{asked});
    EXPECT_EQ(server.attempts(), 1u);
  }
}

// Obeyed to the end: a call without a deadline waits, and gives its token back
// when its caller has enough of that.
TEST_F(Deadlines, APushbackIsWaitedForWhereThereIsNoDeadline) {
  for (const char *asked : {"2147483648", "9223372036854775807"}) {
    Server server([asked](rg_rpc_incoming *incoming) {
      Reply(incoming, Pushback(asked));
    });
    Client client(server.address(), Config().Json());
    Pending call = client.Start();
    EXPECT_TRUE(
        Eventually([&] { return client.Stats().tokens_outstanding == 1; }));
    call.Cancel();
    EXPECT_EQ(call.Get().status, GRPC_STATUS_CANCELLED);
    EXPECT_EQ(client.Stats().tokens_outstanding, 0u);
    EXPECT_EQ(client.Stats().budget_milli, 1000u);
    EXPECT_EQ(server.attempts(), 1u);
  }
}

TEST_F(Deadlines, OfTwoPushbacksTheLastCounts) {
  Server server([](rg_rpc_incoming *incoming) {
    Answer answer = Pushback("5000");
    answer.trailers.emplace_back(kPushback, "0");
    Reply(incoming, answer);
  });
  Client client(server.address(), Config().Guard(kUnlimited).Json());
  EXPECT_EQ(client.Call().status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(server.attempts(), 3u);
}

TEST_F(Deadlines, MinAttemptKeepsAHopelessRetryFromBeingMade) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client client(server.address(),
                WithDeadline(R"({"minAttempt":"60s"})").Json());
  Request request;
  request.timeout_ms = 50000;
  client.Call(request);
  EXPECT_EQ(server.attempts(), 1u);
  client.Call();
  EXPECT_EQ(server.attempts(), 4u) << "no deadline, no end";
}

TEST_F(Deadlines, MinRemainingEndsACallBeforeItIsSent) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming, Ok()); });
  Client client(server.address(),
                WithDeadline(R"({"minRemaining":"60s"})").Json());
  Request request;
  request.timeout_ms = 50000;
  EXPECT_EQ(client.Call(request).status, GRPC_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ(server.attempts(), 0u);
  EXPECT_EQ(client.Stats().refused_remaining, 1u);
  EXPECT_EQ(client.Call().status, GRPC_STATUS_OK);
}

// The first attempt hangs; the call's deadline is far away.
TEST_F(Deadlines, AStalledAttemptCostsItsTimeoutAndNotTheCall) {
  std::mutex mutex;
  std::vector<int64_t> given;
  Server server([&](rg_rpc_incoming *incoming) {
    std::lock_guard<std::mutex> lock(mutex);
    given.push_back(GivenMs(incoming));
    given.size() == 1 ? rg_rpc_hang(incoming) : Reply(incoming, Ok());
  });
  Client client(server.address(), WithDeadline(R"({"attemptTimeout":"0.2s"})")
                                      .Codes(R"(["DEADLINE_EXCEEDED"])")
                                      .Json());
  Request request;
  request.timeout_ms = 600000;
  EXPECT_EQ(client.Call(request).status, GRPC_STATUS_OK);
  ASSERT_EQ(given.size(), 2u);
  // Not the call's ten minutes; gRPC's clock at the server has a grain.
  EXPECT_LE(given[0], 1000) << "the server is told the shorter time";
  EXPECT_EQ(client.Stats().retries, 1u);
}

TEST_F(Deadlines, AStalledAttemptEndsTheCallWhereItsCodeIsNotRetryable) {
  Server server([](rg_rpc_incoming *incoming) { rg_rpc_hang(incoming); });
  Client client(server.address(),
                WithDeadline(R"({"attemptTimeout":"0.05s"})").Json());
  EXPECT_EQ(client.Call().status, GRPC_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ(server.attempts(), 1u);
}

TEST_F(Deadlines, AStalledAttemptIsAFailureToTheBreaker) {
  Server server([](rg_rpc_incoming *incoming) { rg_rpc_hang(incoming); });
  Client client(server.address(), WithDeadline(R"({"attemptTimeout":"0.05s"})")
                                      .Breaker(R"({"cooldown":"3600s"})")
                                      .Json());
  client.Calls(20);
  EXPECT_EQ(client.Stats().breaker_state, RETRY_GUARD_BREAKER_OPEN);
}

TEST_F(Deadlines, AnAttemptThatEndsInTimeHearsNothingOfItsTimeout) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming, Ok()); });
  Client client(server.address(),
                WithDeadline(R"({"attemptTimeout":"30s"})").Json());
  for (const Result &result : client.Calls(200))
    EXPECT_EQ(result.status, GRPC_STATUS_OK);
}

// ---- Hops -------------------------------------------------------------------

gpr_timespec Monotonic(gpr_timespec time) {
  return gpr_convert_clock_type(time, GPR_CLOCK_MONOTONIC);
}

gpr_timespec MonotonicNow() { return gpr_now(GPR_CLOCK_MONOTONIC); }

// Milliseconds from `from` to `to`, rounded down.
int64_t MsBetween(gpr_timespec from, gpr_timespec to) {
  return gpr_time_to_millis(gpr_time_sub(to, from));
}

// What one hop of a chain noted.
struct Hop {
  std::unique_ptr<Server> server;
  std::unique_ptr<Client> client;  // to `server`
  gpr_timespec arrived, deadline, called;
};

// Five hops in one process: each handler calls the next with its own call as
// parent. What passed between a hop's call and its arrival at the next one is
// the network's, not the margin's.
TEST_F(Deadlines, EachHopKeepsItsMarginBack) {
  const std::string config =
      WithDeadline(R"({"hopMargin":"0.1s"})").NoRetryPolicy().Json();
  for (uint32_t timeout_ms : {900u, 12345u, 600000u}) {
    std::vector<Hop> hops(5);
    std::vector<std::thread> threads;
    for (size_t i = hops.size(); i-- > 0;) {
      hops[i].server = std::make_unique<Server>([&, i](rg_rpc_incoming *in) {
        hops[i].arrived = MonotonicNow();
        hops[i].deadline = Monotonic(in->deadline);
        if (i + 1 == hops.size()) return Reply(in, Ok());
        threads.emplace_back([&, i, in] {
          Request request;
          request.parent = in->call;
          hops[i].called = MonotonicNow();
          EXPECT_EQ(hops[i + 1].client->Call(request).status, GRPC_STATUS_OK);
          Reply(in, Ok());
        });
      });
      hops[i].client =
          std::make_unique<Client>(hops[i].server->address(), config);
    }
    Request request;
    request.timeout_ms = timeout_ms;
    EXPECT_EQ(hops[0].client->Call(request).status, GRPC_STATUS_OK);
    for (std::thread &thread : threads) thread.join();
    for (size_t i = 1; i < hops.size(); i++) {
      int64_t earlier = MsBetween(hops[i].deadline, hops[i - 1].deadline);
      int64_t transit = MsBetween(hops[i - 1].called, hops[i].arrived) + 1;
      // gRPC reads its clock once for a burst of events.
      int64_t grain = 40;
      EXPECT_GE(earlier, 100 - transit - grain)
          << "hop " << i << " of " << timeout_ms;
    }
  }
}

TEST_F(Deadlines, TheGuardEndsACallAtItsHopsDeadline) {
  Inbox parents;
  Server above(parents.Handler());
  Client caller(above.address());
  Request outer;
  outer.timeout_ms = 500;
  Pending call = caller.Start(outer);
  rg_rpc_incoming *parent = parents.Take();
  Server server([](rg_rpc_incoming *incoming) { rg_rpc_hang(incoming); });
  Client client(server.address(), WithDeadline("{}").NoRetryPolicy().Json());
  retry_guard_hop *hop = nullptr;
  ASSERT_EQ(retry_guard_hop_from_server_call(parent->call, &hop),
            RETRY_GUARD_OK);
  retry_guard_hop *previous = retry_guard_scope_enter(hop);
  Pending inner = client.Start();  // no parent, no deadline of its own
  retry_guard_scope_leave(previous);
  retry_guard_hop_unref(hop);
  EXPECT_EQ(inner.Get().status, GRPC_STATUS_DEADLINE_EXCEEDED);
  rg_rpc_hang(parent);
  call.Get();
}

// ---- RetryInfo --------------------------------------------------------------

// The bytes of a google.rpc.Status with one RetryInfo.
std::string StatusDetails(int64_t seconds, int32_t nanos) {
  RetryGuard__V1__RetryDelay delay = RETRY_GUARD__V1__RETRY_DELAY__INIT;
  delay.seconds = seconds;
  delay.nanos = nanos;
  RetryGuard__V1__RetryInfo info = RETRY_GUARD__V1__RETRY_INFO__INIT;
  info.retry_delay = &delay;
  std::string packed(retry_guard__v1__retry_info__get_packed_size(&info), 0);
  retry_guard__v1__retry_info__pack(&info,
                                    reinterpret_cast<uint8_t *>(&packed[0]));
  std::string url = "type.googleapis.com/google.rpc.RetryInfo";
  RetryGuard__V1__AnyDetail any = RETRY_GUARD__V1__ANY_DETAIL__INIT;
  any.type_url = &url[0];
  any.value = {packed.size(), reinterpret_cast<uint8_t *>(&packed[0])};
  RetryGuard__V1__AnyDetail *details[] = {&any};
  RetryGuard__V1__StatusDetails status = RETRY_GUARD__V1__STATUS_DETAILS__INIT;
  status.n_details = 1;
  status.details = details;
  std::string bytes(retry_guard__v1__status_details__get_packed_size(&status),
                    0);
  retry_guard__v1__status_details__pack(&status,
                                        reinterpret_cast<uint8_t *>(&bytes[0]));
  return bytes;
}

Answer WithDetails(const std::string &bytes) {
  Answer answer;
  answer.trailers = {{"grpc-status-details-bin", bytes}};
  return answer;
}

TEST_F(Deadlines, ARetryInfoThatDoesNotFitEndsTheCallAtOnce) {
  Server server([](rg_rpc_incoming *incoming) {
    Reply(incoming, WithDetails(StatusDetails(3600, 0)));
  });
  Client client(server.address(), Config().Json());
  Request request;
  request.timeout_ms = 60000;
  EXPECT_EQ(client.Call(request).status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(client.Stats().stops[RETRY_GUARD_STOP_DEADLINE], 1u);
}

TEST_F(Deadlines, ARetryInfoIsObeyed) {
  std::vector<uint64_t> arrivals;
  Server server([&](rg_rpc_incoming *incoming) {
    arrivals.push_back(incoming->arrived_ns);
    arrivals.size() == 1
        ? Reply(incoming, WithDetails(StatusDetails(0, 50000000)))
        : Reply(incoming, Ok());
  });
  Client client(server.address(), Config().Json());
  EXPECT_EQ(client.Call().status, GRPC_STATUS_OK);
  ASSERT_EQ(arrivals.size(), 2u);
  EXPECT_GE(arrivals[1] - arrivals[0], 50000000u);
}

TEST_F(Deadlines, ARetryInfoThatMakesNoSenseIsAbsent) {
  for (const std::string &bytes :
       {StatusDetails(-5, 0), StatusDetails(0, -1),
        StatusDetails(0, 1000000000), StatusDetails(INT64_MAX, 0),
        StatusDetails(5, 0).substr(0, 20), std::string("\xff\xff\xff")}) {
    Server server([&](rg_rpc_incoming *incoming) {
      Reply(incoming, WithDetails(bytes));
    });
    Client client(server.address(), Config().Guard(kUnlimited).Json());
    EXPECT_EQ(client.Call().status, GRPC_STATUS_UNAVAILABLE);
    EXPECT_EQ(server.attempts(), 3u);
  }
}

}  // namespace
}  // namespace rg_test
