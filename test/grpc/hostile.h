// SPDX-License-Identifier: Apache-2.0

// A service in the midst of callers and servers that mean harm: it calls on for
// each call that arrives, as careless as services are.
#ifndef RG_TEST_GRPC_HOSTILE_H
#define RG_TEST_GRPC_HOSTILE_H

#include <grpc/grpc.h>

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"
#include "support/rpc_client.h"

namespace rg_test {

// Servers here take more metadata than gRPC's 8 KiB.
inline const Args &LargeMetadata() {
  static const Args args = {{GRPC_ARG_MAX_METADATA_SIZE, 1 << 20}};
  return args;
}

// Answers each call as a call to `next` ends, which has it as its parent and
// its baggage, where gRPC lets an application send it.
class Relay {
 public:
  Relay(const std::string &next, const std::string &config)
      : channel_(rg_rpc_channel_new(next.c_str(), config.c_str(),
                                    LargeMetadata().get())) {}
  ~Relay() {
    server_.Stop();
    rg_rpc_channel_destroy(channel_);
  }
  Relay(const Relay &) = delete;
  Relay &operator=(const Relay &) = delete;

  int port() const { return server_.port(); }
  uint64_t calls() const { return server_.attempts(); }
  // The metadata of the last call, as the handler saw it.
  Entries last() {
    std::lock_guard<std::mutex> lock(mutex_);
    return last_;
  }

 private:
  static bool IsLegal(const std::string &value) {
    grpc_slice slice =
        grpc_slice_from_copied_buffer(value.data(), value.size());
    bool legal = grpc_header_nonbin_value_is_legal(slice) != 0;
    grpc_slice_unref(slice);
    return legal;
  }

  void OnCall(rg_rpc_incoming *incoming) {
    Entries all(*incoming->metadata);
    std::vector<rg_rpc_entry> metadata;
    for (const auto &[key, value] : all)
      if (key == "baggage" && IsLegal(value))
        metadata.push_back({key.c_str(), value.data(), value.size()});
    rg_rpc_request request{};
    request.method = kMethod;
    request.parent = incoming->call;
    request.metadata = metadata.data();
    request.metadata_count = metadata.size();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      last_ = all;
    }
    rg_rpc_start(channel_, &request, OnDone, incoming, nullptr);
  }

  static void OnDone(const rg_rpc_result *result, void *data) {
    Answer answer;
    answer.status = result->status;
    Reply(static_cast<rg_rpc_incoming *>(data), answer);
  }

  rg_rpc_channel *channel_;
  std::mutex mutex_;
  Entries last_;
  Server server_{[this](rg_rpc_incoming *incoming) { OnCall(incoming); },
                 LargeMetadata()};
};

// Answers with OK and keeps the marks it saw.
class Sink {
 public:
  std::string address() const { return server_.address(); }
  uint64_t calls() const { return server_.attempts(); }
  // Those of the last call.
  std::vector<std::string> marks() {
    std::lock_guard<std::mutex> lock(mutex_);
    return last_.Values("retry-layer-bin");
  }
  std::vector<std::string> baggage() {
    std::lock_guard<std::mutex> lock(mutex_);
    return last_.Values("baggage");
  }

 private:
  void OnCall(rg_rpc_incoming *incoming) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      last_ = Entries(*incoming->metadata);
    }
    Reply(incoming, Ok());
  }

  std::mutex mutex_;
  Entries last_;
  Server server_{[this](rg_rpc_incoming *incoming) { OnCall(incoming); },
                 LargeMetadata()};
};

}  // namespace rg_test

#endif
