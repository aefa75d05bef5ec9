// SPDX-License-Identifier: Apache-2.0

// From the service config of a channel to the policy of a call.
#include <gtest/gtest.h>

#include <string>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/log.h"
#include "grpc/server.h"
#include "grpc/service_config.h"
#include "host/mark.h"

namespace rg_test {
namespace {

void AnswerDown(rg_rpc_incoming *incoming) { Reply(incoming); }

class ServiceConfig : public Guarded {
 protected:
  // Attempts of one call that always fails.
  uint64_t Attempts(const std::string &config,
                    const std::string &method = kMethod) {
    Client client(server_.address(), config);
    Request request;
    request.method = method;
    uint64_t before = server_.attempts();
    client.Call(request);
    return server_.attempts() - before;
  }

  Server server_{AnswerDown};
};

TEST_F(ServiceConfig, ABrokenPolicyFailsTheChannelsCallsAndSaysWhy) {
  struct {
    const char *guard;
    const char *said;
  } cases[] = {
      {R"({"budget":{"tokenBucket":{"tokenRatio":1.5}}})",
       "field:retryGuard.budget.tokenBucket.tokenRatio "
       "error:must be in (0, 1], got 1.5"},
      {R"({"bugdet":{}})", "field:retryGuard.bugdet error:is unknown"},
      {R"({"backoff":{"jitter":"SOME"}})", "field:retryGuard.backoff.jitter "},
      {R"(7)", "field:retryGuard "},
  };
  for (const auto &[guard, said] : cases) {
    Log log;
    Client client(server_.address(), Config().Guard(guard).Json());
    for (const Result &result : client.Calls(3))
      EXPECT_NE(result.status, GRPC_STATUS_OK);
    EXPECT_NE(Log::Read().find(said), std::string::npos) << Log::Read();
  }
  EXPECT_EQ(server_.attempts(), 0u);
  EXPECT_EQ(Attempts(Config().Guard(kUnlimited).Json()), 3u);
}

TEST_F(ServiceConfig, ABrokenPolicyOfAMethodNamesItsEntry) {
  Log log;
  Client client(server_.address(),
                Config().MethodGuard(R"({"backoff":{"floor":"9"}})").Json());
  EXPECT_NE(client.Call().status, GRPC_STATUS_OK);
  EXPECT_NE(Log::Read().find("methodConfig[0].retryGuard.backoff.floor"),
            std::string::npos)
      << Log::Read();
}

TEST_F(ServiceConfig, WhatGrpcIgnoresIsLoggedOncePerConfig) {
  const std::string config =
      R"({"retryGuard":{},"retryPolicy":{"maxAttempts":3}})";
  Log log;
  for (int i = 0; i < 3; i++) Client(server_.address(), config).Call();
  const std::string said =
      "retry_guard: service config: retryPolicy: is ignored here";
  const std::string text = Log::Read();
  size_t first = text.find(said);
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find(said, first + 1), std::string::npos) << text;
}

TEST_F(ServiceConfig, WithoutTheGuardNothingIsLogged) {
  Log log;
  Client client(server_.address(), R"({"retryPolicy":{"maxAttempts":3}})");
  client.Call();
  EXPECT_EQ(Log::Read().find("retry_guard"), std::string::npos) << Log::Read();
}

TEST_F(ServiceConfig, AllFaultsAreNamedAtOnce) {
  Log log;
  Client client(server_.address(), Config()
                                       .Guard(R"({"wrong":1,"layer":[]})")
                                       .MethodGuard(R"({"wronger":1})")
                                       .Json());
  EXPECT_NE(client.Call().status, GRPC_STATUS_OK);
  for (const char *field :
       {"retryGuard.wrong", "retryGuard.layer", "retryGuard.wronger"})
    EXPECT_NE(Log::Read().find(field), std::string::npos) << Log::Read();
}

TEST_F(ServiceConfig, NullIsAsGoodAsNothing) {
  Client client(server_.address(), Config().Guard("null").Json());
  client.Call();
  EXPECT_EQ(server_.attempts(), 3u);
  EXPECT_EQ(client.Stats().calls, 0u);
}

TEST_F(ServiceConfig, AMethodsBlockGuardsItWithoutOneOfTheChannel) {
  Client client(server_.address(),
                Config().Guard("").MethodGuard("{}").Attempts(5).Json());
  client.Call();
  client.Call();
  EXPECT_EQ(server_.attempts(), 3u);
  EXPECT_EQ(client.Stats().calls, 2u);
}

TEST_F(ServiceConfig, AMethodsBlockComesBeforeTheChannels) {
  const char kOff[] = R"({"layer":{"disabled":true}})";
  Client on(server_.address(), Config().Json());
  on.Call();
  EXPECT_GT(on.Stats().marks_made, 0u);
  uint64_t made = on.Stats().marks_made;
  Client off(server_.address(), Config().MethodGuard(kOff).Json());
  off.Call();
  EXPECT_EQ(off.Stats().marks_made, made);
}

TEST_F(ServiceConfig, AMethodWithoutAnEntryIsGuardedByTheChannels) {
  const char kOther[] = R"({"retryGuard":{},"methodConfig":[
      {"name":[{"service":"test.Other"}]}]})";
  Client client(server_.address(), kOther);
  client.Call();
  EXPECT_EQ(client.Stats().calls, 1u);
  EXPECT_EQ(server_.attempts(), 1u);
}

TEST_F(ServiceConfig, AnEntryForAllMethodsGuardsThem) {
  const char kAll[] = R"({"retryGuard":{"budget":{"disabled":true}},
      "methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":4,
      "initialBackoff":"0.001s","maxBackoff":"0.001s","backoffMultiplier":1,
      "retryableStatusCodes":["UNAVAILABLE"]}}]})";
  EXPECT_EQ(Attempts(kAll), 4u);
}

TEST_F(ServiceConfig, AChannelThatWantsAMinimalStackIsLeftAlone) {
  Client client(server_.address(), Config().Json(),
                {{GRPC_ARG_MINIMAL_STACK, 1}});
  EXPECT_EQ(client.Call().status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_GE(server_.attempts(), 1u);
  EXPECT_EQ(client.Stats().calls, 0u);
}

bool MayGetPolicy(const char *target, const char *config) {
  return retry_guard::MayGetPolicy(grpc_core::ChannelArgs()
                                       .Set(GRPC_ARG_SERVER_URI, target)
                                       .Set(GRPC_ARG_SERVICE_CONFIG, config));
}

TEST(ChannelsThatMayGetAPolicy, AreThoseWhoseServiceConfigNamesIt) {
  EXPECT_TRUE(MayGetPolicy("dns:///shop", R"({"retryGuard":{}})"));
  EXPECT_TRUE(MayGetPolicy("dns:///shop", R"({"retry\u0047uard":{}})"));
  EXPECT_FALSE(MayGetPolicy("dns:///shop", R"({"methodConfig":[]})"));
  EXPECT_FALSE(MayGetPolicy("ipv4:192.0.2.1:443", "{}"));
  EXPECT_FALSE(MayGetPolicy("ipv6:[2001:db8::1]:443", "{}"));
  EXPECT_FALSE(MayGetPolicy("unix:/run/shop", "{}"));
}

TEST(ChannelsThatMayGetAPolicy, AreThoseWhoseResolverMayBringOne) {
  EXPECT_TRUE(MayGetPolicy("xds:///shop", "{}"));
  EXPECT_TRUE(MayGetPolicy("google-c2p:///shop", "{}"));
  EXPECT_TRUE(MayGetPolicy("shop", "{}"));
  EXPECT_TRUE(retry_guard::MayGetPolicy(grpc_core::ChannelArgs()));
  const auto args =
      grpc_core::ChannelArgs().Set(GRPC_ARG_SERVER_URI, "dns:///shop");
  EXPECT_FALSE(retry_guard::MayGetPolicy(args));
  EXPECT_TRUE(retry_guard::MayGetPolicy(
      args.Set(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 0)));
}

TEST_F(ServiceConfig, MoreAttemptsThanGrpcMakesCountAsFive) {
  Client client(server_.address(),
                Config().Guard(kUnlimited).Attempts(9).Json());
  client.Call();
  EXPECT_EQ(server_.attempts(), 5u);
  EXPECT_EQ(client.Stats().retries, 4u);
  EXPECT_EQ(client.Stats().tokens_outstanding, 0u);
}

TEST_F(ServiceConfig, ThePolicysLayerNameComesBeforeTheProcesss) {
  for (const char *name : {"", "shop"}) {
    std::string owner;
    Server server([&](rg_rpc_incoming *incoming) {
      rg_rpc_view value;
      rg_mark mark{};
      ASSERT_TRUE(rg_rpc_find(incoming->metadata, RG_MARK_KEY, &value));
      EXPECT_TRUE(rg_mark_decode(value.data, value.size, &mark));
      owner.assign(mark.owner, mark.owner_length);
      Reply(incoming, Ok());
    });
    std::string guard = R"({"layer":{"name":")" + std::string(name) + "\"}}";
    Client(server.address(), Config().Guard(guard).Json()).Call();
    EXPECT_EQ(owner, *name == '\0' ? kLayerName : name);
  }
}

}  // namespace
}  // namespace rg_test
