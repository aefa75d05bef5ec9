// SPDX-License-Identifier: Apache-2.0

// Guarded tiers below a caller that has never heard of the guard: Node.js with
// @grpc/grpc-js and its native retries. Needs npm, and is skipped without.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "e2e/tiers.h"

namespace {

std::string Config(const std::string &guard) {
  return R"({"retryGuard":)" + guard +
         R"(,"methodConfig":[{"name":[{"service":"retry_guard.test.Echo"}],
        "retryPolicy":{"maxAttempts":3,"initialBackoff":"0.01s",
        "maxBackoff":"0.01s","backoffMultiplier":1,
        "retryableStatusCodes":["UNAVAILABLE"]}}]})";
}

// Tests run in processes of their own, and at the same time.
constexpr char kInstallOnce[] =
    "[ -e complete ] || { npm install --silent --no-audit --no-fund "
    "@grpc/grpc-js@1 >npm.log 2>&1 && touch complete; }";

class NodeClient : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::filesystem::path(RG_SCRATCH_DIR) / "node";
    std::filesystem::create_directories(folder_);
    std::filesystem::copy_file(
        RG_NODE_CLIENT, folder_ / "client.js",
        std::filesystem::copy_options::overwrite_existing);
    const std::string install =
        "command -v node >/dev/null && command -v npm >/dev/null && cd '" +
        folder_.string() + "' && flock lock sh -c '" + kInstallOnce + "'";
    installed_ = std::system(install.c_str()) == 0;
  }

  void SetUp() override {
    if (!installed_) GTEST_SKIP() << "Node.js with npm is not at hand";
  }

  // One call of the Node.js client; the leaf answers it with UNAVAILABLE.
  static void CallOnce(const Tier &tier) {
    const std::string command = "cd '" + folder_.string() +
                                "' && node client.js " + tier.address() +
                                " 14 >client.log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  static inline std::filesystem::path folder_;
  static inline bool installed_ = false;
};

Tier GuardedAbove(const Tier &next, const std::string &guard) {
  return Tier(
      {"--next", next.address(), "--service-config", Config(guard), "--guard"});
}

// Three for its first attempt and one for each of its two retries.
TEST_F(NodeClient, AboveOutermostTiersMakesFiveRequestsOfOne) {
  const char kGuard[] =
      R"({"budget":{"disabled":true},"circuitBreaker":{"disabled":true}})";
  Tier leaf({});
  Tier middle = GuardedAbove(leaf, kGuard);
  Tier front = GuardedAbove(middle, kGuard);
  CallOnce(front);
  EXPECT_EQ(front.Read()->requests, 3u);
  EXPECT_EQ(leaf.Read()->requests, 5u);
}

// The tier below has tried in vain, and says so in the one way that every gRPC
// client understands.
TEST_F(NodeClient, ObeysAnInnermostTierThatGaveUp) {
  const char kGuard[] = R"({"layer":{"mode":"INNERMOST"},
      "budget":{"disabled":true},"circuitBreaker":{"disabled":true}})";
  Tier leaf({});
  Tier front = GuardedAbove(leaf, kGuard);
  CallOnce(front);
  EXPECT_EQ(front.Read()->requests, 1u);
  EXPECT_EQ(leaf.Read()->requests, 3u);
}

}  // namespace
