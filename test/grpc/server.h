// SPDX-License-Identifier: Apache-2.0

// The server of the test support, with lambdas for handlers.
#ifndef RG_TEST_GRPC_SERVER_H
#define RG_TEST_GRPC_SERVER_H

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grpc/wire.h"
#include "support/rpc_server.h"

namespace rg_test {

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

}  // namespace rg_test

#endif
