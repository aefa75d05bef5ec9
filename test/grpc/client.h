// SPDX-License-Identifier: Apache-2.0

// The client of the test support, with results to keep.
#ifndef RG_TEST_GRPC_CLIENT_H
#define RG_TEST_GRPC_CLIENT_H

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <utility>
#include <vector>

#include "grpc/guarded.h"
#include "grpc/wire.h"
#include "host/target.h"
#include "retry_guard/retry_guard.h"
#include "support/rpc_client.h"

namespace rg_test {

struct Request {
  std::string method = kMethod;
  Entries metadata;
  std::string message;
  grpc_call *parent = nullptr;
  uint32_t timeout_ms = 0;
  bool compress = false;
  bool wait_for_ready = false;
};

struct Result {
  explicit Result(const rg_rpc_result &result)
      : status(result.status),
        details(result.details),
        message(Text(result.message)),
        initial(*result.initial),
        trailing(*result.trailing) {}

  grpc_status_code status;
  std::string details;
  std::string message;
  Entries initial;
  Entries trailing;
};

// A call that is under way.
class Pending {
 public:
  Result Get() { return result_.get(); }
  void Cancel() { grpc_call_cancel(call_, nullptr); }

  Pending(std::future<Result> result, grpc_call *call)
      : result_(std::move(result)), call_(call) {}
  ~Pending() {
    if (call_ != nullptr) grpc_call_unref(call_);
  }
  Pending(Pending &&other) noexcept
      : result_(std::move(other.result_)),
        call_(std::exchange(other.call_, nullptr)) {}

 private:
  std::future<Result> result_;
  grpc_call *call_;
};

class Client {
 public:
  // `config` "": none.
  explicit Client(const std::string &target, const std::string &config = "",
                  const Args &args = {})
      : target_(target),
        channel_(rg_rpc_channel_new(target.c_str(),
                                    config.empty() ? nullptr : config.c_str(),
                                    args.get())) {}
  // Nothing of the channel may be left once its calls have ended.
  ~Client() {
    size_t channels = Channels();
    rg_rpc_channel_destroy(channel_);
    if (channels == 0 || calls_outlive_) return;
    EXPECT_TRUE(Eventually([&] { return Channels() < channels; }));
  }
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  Pending Start(const Request &request = {}) {
    std::vector<rg_rpc_entry> metadata = request.metadata.Borrow();
    rg_rpc_request out{};
    out.method = request.method.c_str();
    out.message = View(request.message);
    out.metadata = metadata.data();
    out.metadata_count = metadata.size();
    out.parent = request.parent;
    out.timeout_ms = request.timeout_ms;
    out.compress = request.compress;
    out.wait_for_ready = request.wait_for_ready;
    auto *promise = new std::promise<Result>();
    std::future<Result> result = promise->get_future();
    grpc_call *call = nullptr;
    rg_rpc_start(channel_, &out, OnDone, promise, &call);
    return Pending(std::move(result), call);
  }

  Result Call(const Request &request = {}) { return Start(request).Get(); }

  // Makes `count` calls at the same time; how many ended with which status.
  std::vector<Result> Calls(size_t count, const Request &request = {}) {
    std::vector<Pending> pending;
    for (size_t i = 0; i < count; i++) pending.push_back(Start(request));
    std::vector<Result> results;
    for (Pending &one : pending) results.push_back(one.Get());
    return results;
  }

  // The guard's counters of the target; all 0 when it knows none.
  retry_guard_stats Stats() const {
    retry_guard_stats stats{};
    stats.size = sizeof stats;
    retry_guard_status status = retry_guard_stats_get(target_.c_str(), &stats);
    EXPECT_TRUE(status == RETRY_GUARD_OK || status == RETRY_GUARD_NOT_FOUND);
    return stats;
  }

  void LetCallsOutlive() { calls_outlive_ = true; }
  grpc_channel *grpc() { return rg_rpc_channel_grpc(channel_); }

 private:
  static void OnDone(const rg_rpc_result *result, void *data) {
    auto *promise = static_cast<std::promise<Result> *>(data);
    promise->set_value(Result(*result));
    delete promise;
  }

  // How many channels, this one included, hold the target; 0 when no policy
  // was ever in force for it.
  size_t Channels() const {
    size_t count = 0;
    rg_target_visit(("dns:///" + target_).c_str(),
                    [](rg_target *target, void *data) {
                      *static_cast<size_t *>(data) = target->channels;
                    },
                    &count);
    return count;
  }

  std::string target_;
  rg_rpc_channel *channel_;
  bool calls_outlive_ = false;
};

}  // namespace rg_test

#endif
