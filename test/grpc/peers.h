// SPDX-License-Identifier: Apache-2.0

// The server and the client of the test support, as a test writes them down:
// handlers are lambdas, and everything is copied.
#ifndef RG_TEST_GRPC_PEERS_H
#define RG_TEST_GRPC_PEERS_H

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <initializer_list>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grpc/guarded.h"
#include "host/target.h"
#include "retry_guard/retry_guard.h"
#include "support/rpc_client.h"
#include "support/rpc_server.h"

namespace rg_test {

constexpr char kMethod[] = "/test.Echo/Call";
constexpr char kPushback[] = "grpc-retry-pushback-ms";

inline std::string Text(const rg_rpc_view &view) {
  return std::string(reinterpret_cast<const char *>(view.data), view.size);
}

inline rg_rpc_view View(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

// Metadata in order, with raw values.
class Entries : public std::vector<std::pair<std::string, std::string>> {
 public:
  using vector::vector;

  explicit Entries(const grpc_metadata_array &array) {
    for (size_t i = 0; i < array.count; i++)
      emplace_back(Bytes(array.metadata[i].key),
                   Bytes(array.metadata[i].value));
  }

  std::vector<std::string> Values(const std::string &key) const {
    std::vector<std::string> values;
    for (const auto &[name, value] : *this)
      if (name == key) values.push_back(value);
    return values;
  }

  // For the C helpers, which borrow.
  std::vector<rg_rpc_entry> Borrow() const {
    std::vector<rg_rpc_entry> all;
    for (const auto &[name, value] : *this)
      all.push_back({name.c_str(), value.data(), value.size()});
    return all;
  }

 private:
  static std::string Bytes(const grpc_slice &slice) {
    return std::string(
        reinterpret_cast<const char *>(GRPC_SLICE_START_PTR(slice)),
        GRPC_SLICE_LENGTH(slice));
  }
};

// Integer channel arguments.
class Args {
 public:
  Args(std::initializer_list<std::pair<const char *, int>> values) {
    for (const auto &[key, value] : values) {
      grpc_arg arg{};
      arg.type = GRPC_ARG_INTEGER;
      arg.key = const_cast<char *>(key);
      arg.value.integer = value;
      args_.push_back(arg);
    }
    all_ = {args_.size(), args_.data()};
  }
  Args(const Args &) = delete;
  Args &operator=(const Args &) = delete;

  const grpc_channel_args *get() const { return &all_; }

 private:
  std::vector<grpc_arg> args_;
  grpc_channel_args all_;
};

// ---- Server -----------------------------------------------------------------

struct Answer {
  grpc_status_code status = GRPC_STATUS_UNAVAILABLE;
  Entries trailers;
  std::string details;
  std::string message;  // with OK
  bool early = false;   // initial metadata at once, which commits the call
  uint32_t delay_ms = 0;
};

inline void Reply(rg_rpc_incoming *incoming, const Answer &answer = {}) {
  std::vector<rg_rpc_entry> trailers = answer.trailers.Borrow();
  rg_rpc_answer out{};
  out.status = answer.status;
  if (!answer.details.empty()) out.details = answer.details.c_str();
  out.message = View(answer.message);
  out.trailers = trailers.data();
  out.trailer_count = trailers.size();
  out.early_initial_metadata = answer.early;
  out.delay_ms = answer.delay_ms;
  rg_rpc_reply(incoming, &out);
}

inline Answer Ok() {
  Answer answer;
  answer.status = GRPC_STATUS_OK;
  return answer;
}

// An answer with a pushback as the server wrote it.
inline Answer Pushback(const std::string &text,
                       grpc_status_code status = GRPC_STATUS_UNAVAILABLE) {
  Answer answer;
  answer.status = status;
  answer.trailers = {{kPushback, text}};
  return answer;
}

// The guard remembers targets by their address, and the kernel gives out ports
// again: a server that wants a new target asks until this says so.
inline bool IsFirstUse(int port) {
  static std::set<int> ports;
  return ports.insert(port).second;
}

// A server whose only method is kMethod.
class Server {
 public:
  using Handler = std::function<void(rg_rpc_incoming *)>;

  // `port` 0: the kernel chooses.
  explicit Server(Handler handler, const Args &args = {}, int port = 0)
      : handler_(std::move(handler)) {
    method_ = {kMethod, OnCall, nullptr, this};
    rg_rpc_server_options options{};
    options.methods = &method_;
    options.count = 1;
    options.args = args.get();
    options.port = port;
    std::vector<rg_rpc_server *> used;
    server_ = rg_rpc_server_new(&options);
    while (port == 0 && !IsFirstUse(rg_rpc_server_port(server_))) {
      used.push_back(server_);
      server_ = rg_rpc_server_new(&options);
    }
    for (rg_rpc_server *server : used) rg_rpc_server_destroy(server);
  }
  ~Server() { Stop(); }
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;

  void Stop() {
    if (server_ != nullptr) rg_rpc_server_destroy(server_);
    server_ = nullptr;
  }
  const char *address() const { return rg_rpc_server_address(server_); }
  int port() const { return rg_rpc_server_port(server_); }
  // How many attempts arrived.
  uint64_t attempts() const { return attempts_; }

 private:
  static void OnCall(rg_rpc_incoming *incoming, void *data) {
    auto *self = static_cast<Server *>(data);
    self->attempts_++;
    self->handler_(incoming);
  }

  Handler handler_;
  rg_rpc_method method_;
  rg_rpc_server *server_;
  std::atomic<uint64_t> attempts_{0};
};

// Keeps incoming calls until a test takes them, to answer at its leisure.
class Inbox {
 public:
  Server::Handler Handler() {
    return [this](rg_rpc_incoming *incoming) {
      std::lock_guard<std::mutex> lock(mutex_);
      waiting_.push_back(incoming);
      arrived_.notify_all();
    };
  }

  rg_rpc_incoming *Take() { return Take(1).front(); }

  // Waits until there are `count`.
  std::vector<rg_rpc_incoming *> Take(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    arrived_.wait(lock, [&] { return waiting_.size() >= count; });
    auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<rg_rpc_incoming *> taken(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    return taken;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<rg_rpc_incoming *> waiting_;
};

// ---- Client -----------------------------------------------------------------

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
