// SPDX-License-Identifier: Apache-2.0

// A user's program in C++: it registers the guard and calls a server of its
// own, on loopback, that answers UNAVAILABLE. It ends with status 0 if the
// guard was at work: the policy allows three retries, the budget of a new
// target one.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <future>
#include <iostream>
#include <memory>
#include <retry_guard/retry_guard.hpp>
#include <string>

namespace {

constexpr char kConfig[] = R"({
  "retryGuard": {},
  "methodConfig": [ {
    "name": [ { "service": "shop.Ledger" } ],
    "retryPolicy": {
      "maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "2s",
      "backoffMultiplier": 2, "retryableStatusCodes": [ "UNAVAILABLE" ] } } ] })";

class Refusal : public grpc::ServerGenericBidiReactor {
 public:
  Refusal() { Finish({grpc::StatusCode::UNAVAILABLE, "closed"}); }
  void OnDone() override { delete this; }
};

class Ledger : public grpc::CallbackGenericService {
  grpc::ServerGenericBidiReactor *CreateReactor(
      grpc::GenericCallbackServerContext *) override {
    return new Refusal;
  }
};

grpc::Status Charge(const std::string &target) {
  grpc::GenericStub stub(
      grpc::CreateChannel(target, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  grpc::ByteBuffer request(nullptr, 0), reply;
  std::promise<grpc::Status> ended;
  stub.UnaryCall(&context, "/shop.Ledger/Charge", {}, &request, &reply,
                 [&](grpc::Status status) { ended.set_value(status); });
  return ended.get_future().get();
}

bool WasGuarded(const std::string &target) {
  retry_guard_stats stats{};
  stats.size = sizeof stats;
  if (retry_guard_stats_get(target.c_str(), &stats) != RETRY_GUARD_OK)
    return false;
  std::cout << "attempts: " << stats.attempts
            << ", retries stopped by the budget: "
            << stats.stops[RETRY_GUARD_STOP_BUDGET] << std::endl;
  return stats.attempts == 2 && stats.stops[RETRY_GUARD_STOP_BUDGET] == 1;
}

}  // namespace

int main() {
  retry_guard_options options = retry_guard::DefaultOptions();
  options.default_service_config = kConfig;
  retry_guard_status registered = retry_guard::Register(options);
  if (registered != RETRY_GUARD_OK)
    std::cerr << "retry_guard: " << retry_guard::ToString(registered) << '\n';
  Ledger ledger;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterCallbackGenericService(&ledger);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  std::string target = "127.0.0.1:" + std::to_string(port);
  Charge(target);
  return WasGuarded(target) ? 0 : 1;
}
