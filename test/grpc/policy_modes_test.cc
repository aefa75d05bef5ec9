// SPDX-License-Identifier: Apache-2.0

// Safe to repeat, compressed calls, shadow, INNERMOST, baggage and updates, on
// real channels.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"
#include "grpc/tiers.h"
#include "host/baggage.h"

namespace rg_test {
namespace {

using Idempotency = Guarded;
using Compression = Guarded;
using Shadow = Guarded;
using Innermost = Guarded;
using BaggageMarks = Guarded;
using Updates = Guarded;

constexpr char kKey[] = "idempotency-key";

std::string Unlimited(const std::string &more) {
  return R"({"budget":{"disabled":true},)" + more + "}";
}

// A server that always fails and keeps one entry of each attempt.
class Keeper {
 public:
  explicit Keeper(std::string name) : name_(std::move(name)) {}

  std::vector<std::string> Seen() {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(seen_, {});
  }
  const char *address() const { return server_.address(); }

 private:
  std::string name_;
  std::mutex mutex_;
  std::vector<std::string> seen_;
  Server server_{[this](rg_rpc_incoming *incoming) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (const std::string &value :
           Entries(*incoming->metadata).Values(name_))
        seen_.push_back(value);
    }
    Reply(incoming);
  }};
};

// ---- Safe to repeat ---------------------------------------------------------

TEST_F(Idempotency, GeneratedKeysAreTheSameOnAllAttemptsAndDifferByCall) {
  Keeper server(kKey);
  Client client(server.address(),
                Config()
                    .Attempts(5)
                    .Guard(Unlimited(R"("idempotency":"GENERATE")"))
                    .Json());
  std::set<std::string> keys;
  for (int call = 0; call < 2; call++) {
    client.Call();
    std::vector<std::string> seen = server.Seen();
    ASSERT_EQ(seen.size(), 5u);
    EXPECT_EQ(seen, std::vector<std::string>(5, seen[0]));
    EXPECT_EQ(seen[0].size(), 36u);
    keys.insert(seen[0]);
  }
  EXPECT_EQ(keys.size(), 2u);
}

TEST_F(Idempotency, AnApplicationsOwnKeyIsKept) {
  Keeper server(kKey);
  Client client(
      server.address(),
      Config().Guard(Unlimited(R"("idempotency":"GENERATE")")).Json());
  Request request;
  request.metadata = {{kKey, "mine"}};
  client.Call(request);
  EXPECT_EQ(server.Seen(), std::vector<std::string>(3, "mine"));
}

TEST_F(Idempotency, WithKeyOnlyCallsThatCarryOneAreRetried) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client client(
      server.address(),
      Config()
          .Guard(Unlimited(R"("idempotency":"KEY","keyHeader":"x-order")"))
          .Json());
  client.Call();
  EXPECT_EQ(server.attempts(), 1u);
  EXPECT_EQ(client.Stats().stops[RETRY_GUARD_STOP_UNSAFE], 1u);
  Request request;
  request.metadata = {{"x-order", "4711"}};
  client.Call(request);
  EXPECT_EQ(server.attempts(), 4u);
}

// ---- Compression ------------------------------------------------------------

TEST_F(Compression, ACompressedCallIsStoppedAndNeverArrivesCorrupted) {
  const std::string body(4000, 'x');
  std::mutex mutex;
  std::vector<std::string> bodies;
  Server server([&](rg_rpc_incoming *incoming) {
    std::lock_guard<std::mutex> lock(mutex);
    bodies.push_back(Text(incoming->message));
    bodies.size() == 1 ? Reply(incoming) : Reply(incoming, Ok());
  });
  Client client(server.address(), Config().Guard(kUnlimited).Json());
  Request request;
  request.compress = true;
  request.message = body;
  EXPECT_EQ(client.Call(request).status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(bodies, std::vector<std::string>{body});
  EXPECT_EQ(client.Stats().stops[RETRY_GUARD_STOP_COMPRESSED], 1u);
}

TEST_F(Compression, AChannelThatCompressesIsNoticedToo) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client client(
      server.address(), Config().Guard(kUnlimited).Json(),
      {{GRPC_COMPRESSION_CHANNEL_DEFAULT_ALGORITHM, GRPC_COMPRESS_GZIP}});
  Request request;
  request.message = std::string(4000, 'x');
  client.Call(request);
  EXPECT_EQ(server.attempts(), 1u);
}

// ---- Shadow and off ---------------------------------------------------------

TEST_F(Shadow, ChangesNothingAndCountsWhatItWouldHaveDone) {
  const std::string enforce = Config().Attempts(5).Breaker("{}").Json();
  const std::string shadow =
      Config().Attempts(5).Breaker("{}").Guard(R"({"mode":"SHADOW"})").Json();
  Server plain([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Server guarded([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Server shadowed([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client without(plain.address(), Config().Attempts(5).Guard("").Json());
  Client with(guarded.address(), enforce);
  Client only(shadowed.address(), shadow);
  for (int i = 0; i < 100; i++)
    for (Client *client : {&without, &with, &only}) client->Call();
  EXPECT_EQ(plain.attempts(), 500u);
  EXPECT_EQ(shadowed.attempts(), plain.attempts());
  retry_guard_stats real = with.Stats();
  retry_guard_stats would = only.Stats();
  EXPECT_EQ(would.calls, real.calls);
  EXPECT_EQ(would.attempts, real.attempts);
  EXPECT_EQ(would.retries, real.retries);
  EXPECT_EQ(would.breaker_rejections, real.breaker_rejections);
  EXPECT_EQ(would.stops[RETRY_GUARD_STOP_BUDGET],
            real.stops[RETRY_GUARD_STOP_BUDGET]);
  EXPECT_EQ(would.tokens_outstanding, 0u);
}

TEST_F(Shadow, SendsNoMark) {
  Keeper server(RG_MARK_KEY);
  Client client(server.address(),
                Config().Guard(R"({"mode":"SHADOW"})").Json());
  client.Call();
  EXPECT_TRUE(server.Seen().empty());
}

TEST_F(Shadow, OffIsAsIfThereWereNoPolicy) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client client(server.address(),
                Config().Attempts(5).Guard(R"({"mode":"OFF"})").Json());
  client.Calls(10);
  EXPECT_EQ(server.attempts(), 50u);
  EXPECT_EQ(client.Stats().calls, 0u);
}

TEST_F(Shadow, AMethodMayBeOff) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client client(server.address(),
                Config().MethodGuard(R"({"mode":"OFF"})").Json());
  client.Calls(10);
  EXPECT_EQ(server.attempts(), 30u);
}

// ---- INNERMOST --------------------------------------------------------------

// edge -> front -> middle -> leaf in one process; each retries, each gives up.
TEST_F(Innermost, ThreeTiersMakeThreeRequestsOfOne) {
  const std::string config =
      Config().Guard(Unlimited(R"("layer":{"mode":"INNERMOST"})")).Json();
  Server leaf([](rg_rpc_incoming *incoming) { Reply(incoming); });
  std::string below = leaf.address();
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<std::unique_ptr<Server>> servers;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int tier = 0; tier < 2; tier++) {
    clients.push_back(std::make_unique<Client>(below, config));
    Client *client = clients.back().get();
    servers.push_back(
        std::make_unique<Server>([&, client](rg_rpc_incoming *incoming) {
          std::lock_guard<std::mutex> lock(mutex);
          threads.emplace_back([client, incoming] {
            Request request;
            request.parent = incoming->call;
            Answer answer;
            answer.status = client->Call(request).status;
            Reply(incoming, answer);
          });
        }));
    below = servers.back()->address();
  }
  Client edge(below, config);
  EXPECT_EQ(edge.Call().status, GRPC_STATUS_UNAVAILABLE);
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(leaf.attempts(), 3u);
  for (const auto &server : servers) EXPECT_EQ(server->attempts(), 1u);
}

// The middle's client meets an open breaker; its caller, which knows nothing of
// the guard, is told not to retry. So it is with an error that comes with -1.
TEST_F(Innermost, ErrorsOfAnOpenBreakerStopCallersInBothModes) {
  for (const char *mode : {"OUTERMOST", "INNERMOST"}) {
    Tiers tiers(
        Config()
            .NoRetryPolicy()
            .Breaker(R"({"consecutiveFailures":1,"cooldown":"3600s"})")
            .Guard(std::string(R"({"layer":{"mode":")") + mode + "\"}}"));
    tiers.CallDown();
    Visit visit = tiers.Arrive({});
    Request request;
    request.parent = visit.incoming->call;
    EXPECT_EQ(tiers.below().Call(request).status, GRPC_STATUS_UNAVAILABLE);
    Reply(visit.incoming);
    Result result = visit.caller.Get();
    EXPECT_EQ(result.trailing.Values(kPushback), std::vector<std::string>{"-1"})
        << mode;
  }
}

TEST_F(Innermost, ASuccessAfterAFailedFallbackTellsTheCallerNothing) {
  Tiers tiers(Config().Guard(Unlimited(R"("layer":{"mode":"INNERMOST"})")));
  Visit visit = tiers.Arrive({});
  tiers.CallDownFor(visit);
  Reply(visit.incoming, Ok());
  EXPECT_TRUE(visit.caller.Get().trailing.Values(kPushback).empty());
}

// ---- Baggage ----------------------------------------------------------------

// `text` with `mark`.
std::string InBaggage(const std::string &text, const Mark &mark) {
  rg_mark raw{};
  const std::string encoded = Encoded(mark);
  EXPECT_TRUE(rg_mark_decode(encoded.data(), encoded.size(), &raw));
  char out[RG_BAGGAGE_MAX_BYTES];
  size_t length = 0;
  EXPECT_TRUE(rg_baggage_write(text.data(), text.size(), &raw, out, &length));
  return std::string(out, length);
}

TEST_F(BaggageMarks, TravelBesideTheMembersOfOthers) {
  Keeper server(RG_BAGGAGE_KEY);
  Client client(
      server.address(),
      Config().Guard(Unlimited(R"("layer":{"baggage":true})")).Json());
  Request request;
  request.metadata = {{RG_BAGGAGE_KEY, "user=alice;ttl=5, region=eu"}};
  client.Call(request);
  std::vector<std::string> seen = server.Seen();
  ASSERT_EQ(seen.size(), 3u);
  for (uint32_t i = 0; i < 3; i++) {
    EXPECT_EQ(seen[i].rfind("user=alice;ttl=5, region=eu,", 0), 0u) << seen[i];
    rg_mark mark;
    ASSERT_EQ(rg_baggage_read(seen[i].data(), seen[i].size(), &mark),
              RG_MARK_DECODED);
    EXPECT_EQ(mark.attempt, i + 1);
  }
}

TEST_F(BaggageMarks, TravelAloneWhereThereAreNoOthers) {
  Keeper server(RG_BAGGAGE_KEY);
  Client client(
      server.address(),
      Config().Guard(Unlimited(R"("layer":{"baggage":true})")).Json());
  client.Call();
  std::vector<std::string> seen = server.Seen();
  ASSERT_EQ(seen.size(), 3u);
  for (uint32_t i = 0; i < 3; i++)
    EXPECT_EQ(seen[i], InBaggage("", {0, i + 1, "front"}));
}

TEST_F(BaggageMarks, AreObeyedWhereTheEntryItselfWasLost) {
  Tiers tiers(Config().Guard(Unlimited(R"("layer":{"baggage":true})")));
  tiers.CallDown();  // from here on incoming baggage is looked at
  Visit visit = tiers.Arrive({{RG_BAGGAGE_KEY, InBaggage("a=b", {})}});
  EXPECT_EQ(tiers.CallDownFor(visit), Once({1, 1, "edge"}));
  visit.End();
}

TEST_F(BaggageMarks, CountBesideTheEntryWhereTheySayMore) {
  Tiers tiers(Config().Guard(Unlimited(R"("layer":{"baggage":true})")));
  tiers.CallDown();
  const Mark far{5, 1, "far"};
  for (const Entries &entries :
       {Entries{{RG_MARK_KEY, Encoded({})},
                {RG_BAGGAGE_KEY, InBaggage("", far)}},
        Entries{{RG_MARK_KEY, Encoded(far)},
                {RG_BAGGAGE_KEY, InBaggage("", {})}},
        Entries{{RG_MARK_KEY, Encoded(far)},
                {RG_BAGGAGE_KEY, InBaggage("", far)}}}) {
    Visit visit = tiers.Arrive(entries);
    EXPECT_EQ(tiers.CallDownFor(visit), Once({6, 1, "far"}));
    visit.End();
  }
}

// ---- Updates ----------------------------------------------------------------

// A bucket that holds what all OK calls earned.
std::string Bucket(const std::string &ratio) {
  return R"({"budget":{"tokenBucket":{"burst":"3600s","initialTokens":0,
      "tokenRatio":)" +
         ratio + "}}}";
}

// The newest policy of any channel to a target is in force for the target.
TEST_F(Updates, KeepTheFilledFractionOfTheBudget) {
  std::atomic<grpc_status_code> status{GRPC_STATUS_OK};
  Server server([&](rg_rpc_incoming *incoming) {
    Answer answer;
    answer.status = status;
    Reply(incoming, answer);
  });
  Client before(server.address(),
                Config().Attempts(2).Guard(Bucket("1")).Json());
  before.Calls(10);
  status = GRPC_STATUS_UNAVAILABLE;
  before.Calls(5);
  EXPECT_EQ(before.Stats().budget_milli, 5000u) << "half of what it holds";
  status = GRPC_STATUS_NOT_FOUND;  // earns nothing, costs nothing
  Client after(server.address(),
               Config().Attempts(2).Guard(Bucket("0.5")).Json());
  after.Call();
  EXPECT_EQ(after.Stats().budget_milli, 2500u) << "half of what it holds now";
}

TEST_F(Updates, KeepTheStateOfTheBreaker) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
  Client before(server.address(),
                Config().Breaker(R"({"cooldown":"3600s"})").Json());
  before.Calls(20);
  uint64_t attempts = server.attempts();
  Client after(
      server.address(),
      Config().Breaker(R"({"cooldown":"3600s","minRequests":30})").Json());
  after.Call();  // binds, and finds it open
  EXPECT_EQ(after.Stats().breaker_state, RETRY_GUARD_BREAKER_OPEN);
  EXPECT_EQ(server.attempts(), attempts);
}

TEST_F(Updates, ThatAreWrongChangeNothing) {
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming, Ok()); });
  Client before(server.address(), Config().Guard(Bucket("1")).Json());
  before.Calls(10);
  Client wrong(server.address(), Config().Guard(Bucket("1.5")).Json());
  wrong.LetCallsOutlive();  // it never holds the target
  EXPECT_NE(wrong.Call().status, GRPC_STATUS_OK);
  EXPECT_EQ(before.Stats().budget_milli, 10000u);
  before.Call();
  EXPECT_EQ(before.Stats().budget_milli, 11000u);
}

// It began under a policy with a key in another entry, and keeps to that.
TEST_F(Updates, LeaveCallsInFlightTheirPolicy) {
  Inbox inbox;
  Server server(inbox.Handler());
  Client before(
      server.address(),
      Config()
          .Attempts(2)
          .Guard(Unlimited(R"("idempotency":"GENERATE","keyHeader":"x-old")"))
          .Json());
  Pending call = before.Start();
  rg_rpc_incoming *first = inbox.Take();
  std::string key = Entries(*first->metadata).Values("x-old").at(0);
  Client after(
      server.address(),
      Config().Attempts(2).Guard(Unlimited(R"("idempotency":"KEY")")).Json());
  Pending other = after.Start();
  Reply(inbox.Take(), Ok());
  other.Get();
  Reply(first);
  rg_rpc_incoming *second = inbox.Take();
  EXPECT_EQ(Entries(*second->metadata).Values("x-old").at(0), key);
  Reply(second, Ok());
  EXPECT_EQ(call.Get().status, GRPC_STATUS_OK);
}

}  // namespace
}  // namespace rg_test
