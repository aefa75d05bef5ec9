// SPDX-License-Identifier: Apache-2.0

// What the command prints is what gRPC and the plugin take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/descriptors.h"
#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"
#include "retry_guard/retry_guard.h"

namespace rg_test {
namespace {

class PrintedConfig : public Guarded {
 protected:
  // How often the server is asked when a call always fails, in which the guard
  // must have had its say.
  uint64_t Attempts(const std::string &config) {
    Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
    Client client(server.address(), config);
    EXPECT_EQ(client.Call().status, GRPC_STATUS_UNAVAILABLE) << config;
    EXPECT_EQ(client.Stats().calls, 1u) << config;
    return server.attempts();
  }

  static std::string Print(const Program &program) {
    Outcome outcome = program.Run();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
};

// A new target has one token: one retry.
TEST_F(PrintedConfig, OfInitIsTakenByGrpc) {
  EXPECT_EQ(Attempts(Print(Command({"init", "--service", "test.Echo"}))), 2u);
}

// A new target may make its one retry in ten seconds.
TEST_F(PrintedConfig, OfInitWithAWindowIsTakenByGrpc) {
  EXPECT_EQ(Attempts(Print(
                Command({"init", "--style=window", "--service", "test.Echo"}))),
            2u);
}

TEST_F(PrintedConfig, OfInitRetriesNoServiceByItself) {
  EXPECT_EQ(Attempts(Print(Command({"init"}))), 1u);
}

TEST_F(PrintedConfig, OfPolicyRetriesSafeMethodsOnly) {
  std::string path = kMethod;
  std::string method = path.substr(path.rfind('/') + 1);
  std::string safe = Field(4, std::string("\x90\x02\x01", 3));
  auto set = [&](const std::string &options) {
    std::string service =
        Field(1, "Echo") + Field(2, Field(1, method) + options);
    return Field(1, Field(2, "test") + Field(6, service));
  };
  Program policy = Command({"policy", "-"});
  EXPECT_EQ(Attempts(Print(policy.Input(set(safe)))), 2u);
  EXPECT_EQ(Attempts(Print(policy.Input(set("")))), 1u);
}

TEST_F(PrintedConfig, OfPolicyIsTakenWithManyMethods) {
  EXPECT_EQ(Attempts(Print(Command({"policy", kSetWithImports}))), 1u);
}

TEST(Command, IsForTheGrpcOfThePlugin) {
  EXPECT_THAT(Command({"--version"}).Run().out,
              testing::HasSubstr(std::string("for gRPC ") +
                                 retry_guard_grpc_version_string() + "\n"));
}

}  // namespace
}  // namespace rg_test
