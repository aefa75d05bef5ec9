// SPDX-License-Identifier: Apache-2.0

// The shared library in a process with real channels and servers, with each of
// its allocations failing in turn, and with all: calls pass, and it is counted.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grpc/guarded.h"
#include "grpc/server.h"
#include "grpc/wire.h"
#include "memory/details.h"
#include "memory/each_failure.h"
#include "support/rpc_client.h"

namespace rg_test {
namespace {

constexpr ScarceHeap::Of kUs = ScarceHeap::Of::kThePlugin;

// google.rpc.Status with a RetryInfo of 1 ms.
std::string Details() { return "\x08\x0e" + RetryInfo("\x10\xc0\x84\x3d"); }

// Fails the first attempt of a call, unless the call asks for no failure.
void FailOnce(rg_rpc_incoming *incoming) {
  Answer answer = Ok();
  if (rg_rpc_count(incoming->metadata, "plain") == 0 &&
      rg_rpc_previous_attempts(incoming->metadata) == 0) {
    answer.status = GRPC_STATUS_UNAVAILABLE;
    answer.trailers = {{"grpc-status-details-bin", Details()}};
  }
  Reply(incoming, answer);
}

std::string Policy() {
  return Config()
      .Guard(R"({"budget":{"disabled":true},"layer":{"baggage":true},
                 "circuitBreaker":{"scope":"METHOD"}})")
      .MethodGuard(R"({"idempotency":"GENERATE","keyHeader":"key"})")
      .Json();
}

uint64_t FailedOpen(const std::string &target) {
  retry_guard_stats stats{};
  stats.size = sizeof stats;
  bool known = retry_guard_stats_get(target.c_str(), &stats) == RETRY_GUARD_OK;
  return ProcessStats().fail_open + (known ? stats.fail_open : 0);
}

class Channel {
 public:
  Channel(const std::string &target, const std::string &config)
      : channel_(rg_rpc_channel_new(target.c_str(), config.c_str(), nullptr)) {}
  ~Channel() { rg_rpc_channel_destroy(channel_); }
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;

  grpc_status_code Call(const Entries &entries) {
    std::vector<rg_rpc_entry> metadata = entries.Borrow();
    rg_rpc_request request{};
    request.method = kMethod;
    request.metadata = metadata.data();
    request.metadata_count = metadata.size();
    rg_rpc_result *result = rg_rpc_call(channel_, &request);
    grpc_status_code status = result->status;
    rg_rpc_result_destroy(result);
    return status;
  }

 private:
  rg_rpc_channel *channel_;
};

// A call that is retried, and one with all that has to be put together before
// it can be read.
bool CallsPass(const std::string &target) {
  Channel channel(target, Policy());
  std::string members = "a=1";
  for (int i = 0; i < 70; i++) members += ",m" + std::to_string(i) + "=v";
  bool retried = channel.Call({}) == GRPC_STATUS_OK;
  return retried &&
         channel.Call({{"plain", ""},
                       {"key", "1"},
                       {"key", "2"},
                       {"retry-layer-bin", "\x01"},
                       {"retry-layer-bin", "\x02"},
                       {"baggage", members},
                       {"baggage", "retry-layer=x,b=2"}}) == GRPC_STATUS_OK;
}

// Zeros before the port make another target of a server each time.
std::string NextTarget(const Server &server) {
  static std::string zeros;
  zeros += '0';
  return "ipv4:127.0.0.1:" + zeros + std::to_string(server.port());
}

// Each failure in what `pass` does with a target passes, and is counted.
template <typename Pass>
uint64_t ExpectToPass(const Server &server, const Pass &pass) {
  std::string target;
  uint64_t before = 0;
  return EachFailure(
      kUs,
      [&] {
        target = NextTarget(server);
        before = ProcessStats().fail_open;
        return pass(target);
      },
      [&](bool passed, bool failed) {
        EXPECT_TRUE(passed);
        EXPECT_EQ(FailedOpen(target) > before, failed);
      });
}

TEST(ScarceMemory, RegistrationSaysSoAndCanBeTriedAgain) {
  InAFreshProcess([] {
    retry_guard_options options;
    retry_guard_options_init(&options);
    options.default_service_config = "{}";
    bool registered = false;
    uint64_t count = EachFailure(
        kUs, [&] { return retry_guard_register(&options); },
        [&](retry_guard_status status, bool failed) {
          EXPECT_EQ(status, registered ? RETRY_GUARD_ALREADY_REGISTERED
                            : failed   ? RETRY_GUARD_OUT_OF_MEMORY
                                       : RETRY_GUARD_OK);
          registered = registered || !failed;
        });
    EXPECT_TRUE(registered);
    EXPECT_EQ(count, 0u);
  });
}

// Memory is out just when gRPC asks the plugin to set itself up.
TEST(ScarceMemory, AProcessWithoutTheGuardGoesOn) {
  InAFreshProcess([] {
    ASSERT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
    ScarceHeap heap(kUs, 1);
    Server server(FailOnce);
    EXPECT_TRUE(CallsPass(server.address()));
    EXPECT_TRUE(heap.Failed());
    EXPECT_EQ(ProcessStats().fail_open, 1u);
    EXPECT_EQ(ProcessStats().marks_accepted, 0u);
  });
}

TEST(ScarceMemory, CallsPassWhicheverAllocationFails) {
  InAFreshProcess([] {
    ASSERT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
    Server server(FailOnce);
    ASSERT_TRUE(CallsPass(server.address()));
    EXPECT_GT(ExpectToPass(server, CallsPass), 50u);
  });
}

TEST(ScarceMemory, EventsAreLostButCounted) {
  InAFreshProcess([] {
    ASSERT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
    Server server([](rg_rpc_incoming *incoming) { Reply(incoming); });
    // Of a call that fails, where so many failures open the breaker.
    const auto allocations = [&server](const std::string &failures) {
      const std::string config =
          Config()
              .NoRetryPolicy()
              .Breaker(R"({"consecutiveFailures":)" + failures + "}")
              .Json();
      const auto fails = [&config](const std::string &target) {
        return Channel(target, config).Call({}) == GRPC_STATUS_UNAVAILABLE;
      };
      EXPECT_TRUE(fails(NextTarget(server)));
      return ExpectToPass(server, fails);
    };
    const uint64_t without_event = allocations("9");
    EXPECT_GT(without_event, 0u);
    EXPECT_GT(allocations("1"), without_event);
  });
}

}  // namespace
}  // namespace rg_test
