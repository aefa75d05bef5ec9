// SPDX-License-Identifier: Apache-2.0

// Servers that answer with what no gRPC server would, and services that call
// each other in a circle.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "grpc/hand_server.h"
#include "grpc/hostile.h"
#include "host/mark.h"
#include "support/base64.h"

namespace rg_test {
namespace {

class HostileServer : public Guarded {
 protected:
  // A call to a server that answers UNAVAILABLE and `entries`; how many
  // attempts it took. It ends, whatever they say.
  uint64_t AttemptsAfter(Entries entries,
                         const std::string &guard = kUnlimited) {
    entries.emplace(entries.begin(), "grpc-status", "14");
    HandServer server(entries);
    Client client(server.address(), Config().Guard(guard).Json());
    Request request;
    request.timeout_ms = 60000;
    EXPECT_NE(client.Call(request).status, GRPC_STATUS_OK);
    EXPECT_EQ(client.Stats().fail_open, 0u);
    EXPECT_EQ(client.Stats().tokens_outstanding, 0u);
    return server.attempts();
  }
};

TEST_F(HostileServer, APushbackThatIsNoNumberStopsRetries) {
  for (const char *text : {"", " ", "-", "0x10", "1e3", "5,5", "\xff", "nan",
                           "99999999999999999999", "-99999999999999999999"})
    EXPECT_EQ(AttemptsAfter({{kPushback, text}}), 1u) << text;
}

// As gRPC reads numbers.
TEST_F(HostileServer, ASignOrSpaceLeavesAPushbackANumber) {
  for (const char *text : {"+5", "5 ", " 5"})
    EXPECT_EQ(AttemptsAfter({{kPushback, text}}), 3u) << text;
}

TEST_F(HostileServer, APushbackBeyondTheDeadlineStopsRetries) {
  for (const char *text :
       {"2147483648", "9223372036854775807", "9223372036854775"})
    EXPECT_EQ(AttemptsAfter({{kPushback, text}}), 1u) << text;
}

TEST_F(HostileServer, OfSeveralPushbacksOneIsObeyed) {
  EXPECT_EQ(AttemptsAfter({{kPushback, "1"}, {kPushback, "-1"}}), 1u);
  EXPECT_EQ(AttemptsAfter({{kPushback, "-1"}, {kPushback, "1"}}), 3u);
}

TEST_F(HostileServer, StatusDetailsMayBeNonsense) {
  std::string nested;
  for (int i = 0; i < 1000; i++) nested = "\x1a\x7f" + nested.substr(0, 120);
  for (const std::string &bytes :
       {std::string(), std::string("\xff\xff\xff"), std::string(4000, '\0'),
        std::string(4000, '\x1a'), nested})
    EXPECT_EQ(AttemptsAfter({{"grpc-status-details-bin", Base64(bytes)}}), 3u);
  EXPECT_EQ(AttemptsAfter({{"grpc-status-details-bin", Base64("\x08")},
                           {"grpc-status-details-bin", Base64("\x0e")}}),
            3u);
}

TEST_F(HostileServer, AnyByteMayStandInStatusDetailsAndMessages) {
  for (int byte = 0; byte < 256; byte += 5) {
    std::string c(1, static_cast<char>(byte));
    AttemptsAfter({{"grpc-status-details-bin", "CA4" + c}});
    AttemptsAfter({{"grpc-message", c}, {"baggage", c}, {RG_MARK_KEY, "CA4"}});
  }
}

TEST_F(HostileServer, EntriesOfRequestsMeanNothingInAnswers) {
  EXPECT_EQ(AttemptsAfter({{"grpc-previous-rpc-attempts", "x"},
                           {RG_MARK_KEY, Base64("\xff")},
                           {"baggage", "retry-layer=x"},
                           {"grpc-timeout", "1n"}}),
            3u);
}

// Whatever an application may put there is a key.
TEST_F(HostileServer, IdempotencyKeysMayBeNonsense) {
  HandServer server(Entries{{"grpc-status", "14"}});
  for (const char *mode : {"KEY", "GENERATE"}) {
    Client client(
        server.address(),
        Config()
            .Guard(kUnlimited)
            .MethodGuard(std::string(R"({"idempotency":")") + mode + "\"}")
            .Json());
    for (const std::string &key :
         {std::string(), std::string(" "), std::string("a,b;c=\"d\""),
          std::string(4000, 'k')}) {
      Request request;
      request.metadata = {{"idempotency-key", key}, {"idempotency-key", key}};
      uint64_t before = server.attempts();
      EXPECT_EQ(client.Call(request).status, GRPC_STATUS_UNAVAILABLE);
      EXPECT_EQ(server.attempts() - before, 3u) << mode << " " << key.size();
    }
  }
}

// One service that calls itself, which is two that call each other.
class Circle {
 public:
  static constexpr int kDepth = 40;

  Circle()
      : channel_(rg_rpc_channel_new(server_.address(),
                                    Config().Guard(kUnlimited).Json().c_str(),
                                    nullptr)) {}
  ~Circle() {
    server_.Stop();
    rg_rpc_channel_destroy(channel_);
  }

  grpc_status_code Call() {
    rg_rpc_entry entry = rg_rpc_text("depth", "0");
    rg_rpc_request request{};
    request.method = kMethod;
    request.metadata = &entry;
    request.metadata_count = 1;
    rg_rpc_result *result = rg_rpc_call(channel_, &request);
    grpc_status_code status = result->status;
    rg_rpc_result_destroy(result);
    return status;
  }

  // How often the end of the circle was reached.
  uint64_t ends() const { return ends_; }
  uint32_t most_hops() const { return most_hops_; }

 private:
  void OnCall(rg_rpc_incoming *incoming) {
    NoteHops(*incoming->metadata);
    Entries metadata(*incoming->metadata);
    int depth = std::stoi(metadata.Values("depth").at(0));
    if (depth == kDepth) {
      ends_++;
      Reply(incoming);
      return;
    }
    std::string next = std::to_string(depth + 1);
    rg_rpc_entry entry = rg_rpc_text("depth", next.c_str());
    rg_rpc_request request{};
    request.method = kMethod;
    request.metadata = &entry;
    request.metadata_count = 1;
    request.parent = incoming->call;
    rg_rpc_start(channel_, &request, OnDone, incoming, nullptr);
  }

  void NoteHops(const grpc_metadata_array &metadata) {
    rg_rpc_view bytes{};
    rg_mark mark{};
    if (!rg_rpc_find(&metadata, RG_MARK_KEY, &bytes)) return;
    EXPECT_EQ(rg_rpc_count(&metadata, RG_MARK_KEY), 1u);
    EXPECT_TRUE(rg_mark_decode(bytes.data, bytes.size, &mark));
    uint32_t before = most_hops_;
    while (mark.hops > before &&
           !most_hops_.compare_exchange_weak(before, mark.hops)) {
    }
  }

  static void OnDone(const rg_rpc_result *result, void *data) {
    Answer answer;
    answer.status = result->status;
    Reply(static_cast<rg_rpc_incoming *>(data), answer);
  }

  std::atomic<uint64_t> ends_{0};
  std::atomic<uint32_t> most_hops_{0};
  Server server_{[this](rg_rpc_incoming *incoming) { OnCall(incoming); }};
  rg_rpc_channel *channel_;
};

// Without the guard the end would see 3 to the power of 41. A mark ends after
// sixteen hops, and the next hop but one then owns retries anew.
TEST_F(HostileServer, AMarkInACircleEndsAfterSixteenHops) {
  Circle circle;
  EXPECT_EQ(circle.Call(), GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(circle.most_hops(), 16u);
  EXPECT_LE(circle.ends(), 27u);
}

}  // namespace
}  // namespace rg_test
