// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "support/rpc_client.h"
#include "support/rpc_server.h"

namespace {

const char kMethod[] = "/test.Echo/Call";
const char kRetryTwice[] =
    R"({"methodConfig":[{"name":[{"service":"test.Echo"}],"retryPolicy":{
        "maxAttempts":3,"initialBackoff":"0.01s","maxBackoff":"0.01s",
        "backoffMultiplier":1,"retryableStatusCodes":["UNAVAILABLE"]}}]})";

std::string Text(const rg_rpc_view &view) {
  return std::string(reinterpret_cast<const char *>(view.data), view.size);
}

rg_rpc_view View(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

// A server of one method, whose handler a test writes as a lambda.
class Server {
 public:
  using Handler = std::function<void(rg_rpc_incoming *)>;

  explicit Server(Handler handler) : handler_(std::move(handler)) {
    method_ = {kMethod,
               [](rg_rpc_incoming *incoming, void *data) {
                 static_cast<Server *>(data)->handler_(incoming);
               },
               [](bool cancelled, void *data) {
                 if (cancelled) ++static_cast<Server *>(data)->cancelled_;
               },
               this};
    rg_rpc_server_options options{};
    options.methods = &method_;
    options.count = 1;
    server_ = rg_rpc_server_new(&options);
  }
  ~Server() { Stop(); }

  void Stop() {
    if (server_ != nullptr) rg_rpc_server_destroy(server_);
    server_ = nullptr;
  }
  const char *address() const { return rg_rpc_server_address(server_); }
  int port() const { return rg_rpc_server_port(server_); }
  int cancelled() const { return cancelled_; }

 private:
  Handler handler_;
  rg_rpc_method method_;
  rg_rpc_server *server_ = nullptr;
  std::atomic<int> cancelled_{0};
};

class Client {
 public:
  explicit Client(const std::string &address, const char *config = nullptr)
      : channel_(rg_rpc_channel_new(address.c_str(), config, nullptr)) {
    request.method = kMethod;
  }
  ~Client() {
    if (result_ != nullptr) rg_rpc_result_destroy(result_);
    rg_rpc_channel_destroy(channel_);
  }

  const rg_rpc_result &Call() {
    if (result_ != nullptr) rg_rpc_result_destroy(result_);
    result_ = rg_rpc_call(channel_, &request);
    return *result_;
  }
  rg_rpc_channel *channel() { return channel_; }

  rg_rpc_request request{};

 private:
  rg_rpc_channel *channel_;
  rg_rpc_result *result_ = nullptr;
};

void AnswerOk(rg_rpc_incoming *incoming) {
  rg_rpc_answer answer{};
  answer.message = incoming->message;
  rg_rpc_reply(incoming, &answer);
}

void AnswerUnavailable(rg_rpc_incoming *incoming) {
  rg_rpc_answer answer{};
  answer.status = GRPC_STATUS_UNAVAILABLE;
  rg_rpc_reply(incoming, &answer);
}

TEST(Rpc, CarriesMessageMetadataStatusDetailsAndTrailers) {
  std::string seen;
  Server server([&](rg_rpc_incoming *incoming) {
    rg_rpc_view mark;
    ASSERT_TRUE(rg_rpc_find(incoming->metadata, "mark-bin", &mark));
    seen = Text(mark);
    rg_rpc_entry trailer = rg_rpc_text("why", "because");
    rg_rpc_answer answer{};
    answer.status = GRPC_STATUS_ABORTED;
    answer.details = "told so";
    answer.trailers = &trailer;
    answer.trailer_count = 1;
    rg_rpc_reply(incoming, &answer);
  });
  Client client(server.address());
  rg_rpc_entry mark{"mark-bin", "\0\1\2", 3};
  client.request.metadata = &mark;
  client.request.metadata_count = 1;
  const rg_rpc_result &result = client.Call();
  EXPECT_EQ(result.status, GRPC_STATUS_ABORTED);
  EXPECT_STREQ(result.details, "told so");
  EXPECT_TRUE(rg_rpc_has(result.trailing, "why", "because"));
  EXPECT_EQ(rg_rpc_count(result.trailing, "why"), 1u);
  EXPECT_FALSE(result.has_message);
  EXPECT_EQ(seen, std::string("\0\1\2", 3));
}

TEST(Rpc, EchoesALargeMessageCompressedOrNot) {
  std::string message(300000, 'x');
  Server server(AnswerOk);
  Client client(server.address());
  client.request.message = View(message);
  for (bool compress : {false, true}) {
    client.request.compress = compress;
    const rg_rpc_result &result = client.Call();
    ASSERT_EQ(result.status, GRPC_STATUS_OK) << result.details;
    EXPECT_EQ(Text(result.message), message);
  }
}

TEST(Rpc, RefusesAMethodThatTheServerDoesNotHave) {
  Server server(AnswerOk);
  Client client(server.address());
  client.request.method = "/test.Echo/Other";
  EXPECT_EQ(client.Call().status, GRPC_STATUS_UNIMPLEMENTED);
}

TEST(Rpc, APortIsTakenUntilItsServerIsGone) {
  Server server(AnswerOk);
  rg_rpc_server_options options{};
  options.port = server.port();
  EXPECT_EQ(rg_rpc_server_new(&options), nullptr);
  server.Stop();
  rg_rpc_server *next = rg_rpc_server_new(&options);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(rg_rpc_server_port(next), options.port);
  rg_rpc_server_destroy(next);
}

TEST(Rpc, NumbersTheAttemptsOfANativeRetry) {
  std::vector<uint32_t> previous;
  Server server([&](rg_rpc_incoming *incoming) {
    previous.push_back(rg_rpc_previous_attempts(incoming->metadata));
    AnswerUnavailable(incoming);
  });
  Client client(server.address(), kRetryTwice);
  EXPECT_EQ(client.Call().status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(previous, (std::vector<uint32_t>{0, 1, 2}));
}

TEST(Rpc, EarlyInitialMetadataCommitsTheCall) {
  std::atomic<int> attempts{0};
  Server server([&](rg_rpc_incoming *incoming) {
    attempts++;
    rg_rpc_answer answer{};
    answer.status = GRPC_STATUS_UNAVAILABLE;
    answer.early_initial_metadata = true;
    answer.delay_ms = 20;
    rg_rpc_reply(incoming, &answer);
  });
  Client client(server.address(), kRetryTwice);
  EXPECT_EQ(client.Call().status, GRPC_STATUS_UNAVAILABLE);
  EXPECT_EQ(attempts, 1);
}

TEST(Rpc, ADelayedAnswerComesNoEarlierThanAsked) {
  Server server([](rg_rpc_incoming *incoming) {
    rg_rpc_answer answer{};
    answer.delay_ms = 30;
    rg_rpc_reply(incoming, &answer);
  });
  Client client(server.address());
  const rg_rpc_result &result = client.Call();
  EXPECT_EQ(result.status, GRPC_STATUS_OK);
  EXPECT_GE(result.ended_ns - result.began_ns, 30u * 1000000u);
}

TEST(Rpc, AHangingCallEndsByItsDeadline) {
  std::atomic<int> arrived{0};
  Server server([&](rg_rpc_incoming *incoming) {
    arrived++;
    rg_rpc_hang(incoming);
  });
  Client client(server.address());
  client.request.timeout_ms = 50;
  EXPECT_EQ(client.Call().status, GRPC_STATUS_DEADLINE_EXCEEDED);
  server.Stop();
  // On a slow machine the deadline may pass before the request is sent or read.
  EXPECT_GE(server.cancelled(), arrived);
}

TEST(Rpc, AHangingCallEndsByCancellation) {
  std::promise<void> arrived;
  Server server([&](rg_rpc_incoming *incoming) {
    rg_rpc_hang(incoming);
    arrived.set_value();
  });
  Client client(server.address());
  std::promise<grpc_status_code> ended;
  grpc_call *call = nullptr;
  rg_rpc_start(
      client.channel(), &client.request,
      [](const rg_rpc_result *result, void *data) {
        static_cast<std::promise<grpc_status_code> *>(data)->set_value(
            result->status);
      },
      &ended, &call);
  arrived.get_future().wait();
  grpc_call_cancel(call, nullptr);
  EXPECT_EQ(ended.get_future().get(), GRPC_STATUS_CANCELLED);
  grpc_call_unref(call);
}

TEST(Rpc, DestroyEndsCallsThatHangOrWait) {
  std::promise<void> both;
  std::atomic<int> arrived{0};
  Server server([&](rg_rpc_incoming *incoming) {
    rg_rpc_answer late{};
    late.delay_ms = 600000;
    int number = ++arrived;
    if (number == 1)
      rg_rpc_hang(incoming);
    else
      rg_rpc_reply(incoming, &late);
    if (number == 2) both.set_value();
  });
  Client client(server.address());
  std::atomic<int> ended{0};
  for (int i = 0; i < 2; i++)
    rg_rpc_start(
        client.channel(), &client.request,
        [](const rg_rpc_result *result, void *data) {
          if (result->status != GRPC_STATUS_OK)
            ++*static_cast<std::atomic<int> *>(data);
        },
        &ended, nullptr);
  both.get_future().wait();
  server.Stop();
  rg_rpc_channel_wait(client.channel());
  EXPECT_EQ(ended, 2);
}

TEST(Rpc, AParentHandsDownItsDeadlineAndItsCancellation) {
  std::promise<void> reached;
  Server leaf([&](rg_rpc_incoming *incoming) {
    bool finite = gpr_time_cmp(incoming->deadline,
                               gpr_inf_future(GPR_CLOCK_MONOTONIC)) < 0;
    EXPECT_TRUE(finite);
    rg_rpc_hang(incoming);
    reached.set_value();
  });
  Client down(leaf.address());
  Server middle([&](rg_rpc_incoming *incoming) {
    rg_rpc_request request{};
    request.method = kMethod;
    request.parent = incoming->call;
    rg_rpc_start(
        down.channel(), &request,
        [](const rg_rpc_result *result, void *data) {
          rg_rpc_answer answer{};
          answer.status = result->status;
          rg_rpc_reply(static_cast<rg_rpc_incoming *>(data), &answer);
        },
        incoming, nullptr);
  });
  Client client(middle.address());
  client.request.timeout_ms = 600000;
  grpc_call *call = nullptr;
  rg_rpc_start(
      client.channel(), &client.request, [](const rg_rpc_result *, void *) {},
      nullptr, &call);
  reached.get_future().wait();
  grpc_call_cancel(call, nullptr);
  grpc_call_unref(call);
  rg_rpc_channel_wait(client.channel());
  middle.Stop();
  leaf.Stop();
  EXPECT_EQ(leaf.cancelled(), 1);
}

TEST(Rpc, KeepsAThousandCallsInFlight) {
  Server server(AnswerOk);
  Client client(server.address());
  std::atomic<int> ok{0};
  for (int i = 0; i < 1000; i++)
    rg_rpc_start(
        client.channel(), &client.request,
        [](const rg_rpc_result *result, void *data) {
          if (result->status == GRPC_STATUS_OK)
            ++*static_cast<std::atomic<int> *>(data);
        },
        &ok, nullptr);
  rg_rpc_channel_wait(client.channel());
  EXPECT_EQ(ok, 1000);
}

TEST(Rpc, ManyChannelsShareOneThread) {
  Server server(AnswerOk);
  Client client(server.address());
  std::vector<rg_rpc_channel *> guests;
  for (int i = 0; i < 50; i++)
    guests.push_back(rg_rpc_channel_new_beside(
        client.channel(), server.address(), nullptr, nullptr));
  for (rg_rpc_channel *guest : guests) {
    rg_rpc_result *result = rg_rpc_call(guest, &client.request);
    EXPECT_EQ(result->status, GRPC_STATUS_OK);
    rg_rpc_result_destroy(result);
    rg_rpc_channel_destroy(guest);
  }
}

TEST(Rpc, StatusNamesParseBackToTheirStatus) {
  for (int i = 0; i <= 16; i++) {
    auto status = static_cast<grpc_status_code>(i);
    std::string name = rg_rpc_status_name(status);
    grpc_status_code parsed;
    ASSERT_TRUE(rg_rpc_status_parse(name.data(), name.size(), &parsed));
    EXPECT_EQ(parsed, status);
  }
  grpc_status_code parsed;
  EXPECT_FALSE(rg_rpc_status_parse("OKAY", 4, &parsed));
}

}  // namespace
