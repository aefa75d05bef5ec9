// SPDX-License-Identifier: Apache-2.0

// Connections that are refused: the guard hears of such attempts only that they
// were not made.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"

namespace rg_test {
namespace {

using Refused = Guarded;

// A port of loopback that is taken and refuses connections.
class ClosedPort {
 public:
  ClosedPort() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    EXPECT_EQ(bind(socket_, generic, size), 0);
    EXPECT_EQ(getsockname(socket_, generic, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~ClosedPort() { Free(); }
  ClosedPort(const ClosedPort &) = delete;
  ClosedPort &operator=(const ClosedPort &) = delete;

  void Free() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }
  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  int socket_ = socket(AF_INET, SOCK_STREAM, 0);
  int port_;
};

TEST_F(Refused, CallsEndPlainlyAndAreNotCounted) {
  ClosedPort closed;
  Client client(closed.address(), Config().Json());
  for (const Result &result : client.Calls(20)) {
    EXPECT_EQ(result.status, GRPC_STATUS_UNAVAILABLE);
    EXPECT_TRUE(result.trailing.Values(kPushback).empty());
  }
  EXPECT_EQ(client.Stats().calls, 0u);
  EXPECT_EQ(client.Stats().attempts, 0u);
}

TEST_F(Refused, CallsThatWaitForReadinessSucceedOnceTheServerIsThere) {
  ClosedPort closed;
  Client client(closed.address(), Config().Json(),
                {{GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100},
                 {GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100}});
  Request request;
  request.wait_for_ready = true;
  Pending call = client.Start(request);
  EXPECT_EQ(client.Call().status, GRPC_STATUS_UNAVAILABLE);
  closed.Free();
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming, Ok()); }, {},
                closed.port());
  EXPECT_EQ(call.Get().status, GRPC_STATUS_OK);
  retry_guard_stats stats = client.Stats();
  EXPECT_EQ(stats.calls, 1u);
  EXPECT_EQ(stats.attempts, 1u);
  EXPECT_EQ(stats.retries, 0u);
  EXPECT_EQ(stats.undecided_retries, 0u);
}

// gRPC counts the pick that failed as an attempt, so the first one that reaches
// the server is a retry.
TEST_F(Refused, ARetryAfterARefusedConnectionIsDecidedAtItsStart) {
  ClosedPort closed;
  Client client(closed.address(), Config().Attempts(5).Backoff("0.3s").Json(),
                {{GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100},
                 {GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100}});
  Pending call = client.Start();
  EXPECT_TRUE(Eventually([&] {
    return grpc_channel_check_connectivity_state(client.grpc(), 0) ==
           GRPC_CHANNEL_TRANSIENT_FAILURE;
  }));
  closed.Free();
  Server server([](rg_rpc_incoming *incoming) { Reply(incoming, Ok()); }, {},
                closed.port());
  EXPECT_EQ(call.Get().status, GRPC_STATUS_OK);
  retry_guard_stats stats = client.Stats();
  EXPECT_EQ(server.attempts(), 1u);
  EXPECT_EQ(stats.attempts, 1u);
  EXPECT_EQ(stats.undecided_retries, 1u);
  EXPECT_EQ(stats.rejected_retries, 0u);
  EXPECT_EQ(stats.attempts, stats.calls + stats.retries);
}

}  // namespace
}  // namespace rg_test
