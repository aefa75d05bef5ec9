// SPDX-License-Identifier: Apache-2.0

// The command and the plugin agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/command.h"
#include "retry_guard/retry_guard.h"

namespace rg_test {
namespace {

TEST(Command, IsForTheGrpcOfThePlugin) {
  EXPECT_THAT(Command({"--version"}).Run().out,
              testing::HasSubstr(std::string("for gRPC ") +
                                 retry_guard_grpc_version_string() + "\n"));
}

}  // namespace
}  // namespace rg_test
