// SPDX-License-Identifier: Apache-2.0

// A server that answers every call with whatever a test wants.
#ifndef RG_TEST_GRPC_HAND_SERVER_H
#define RG_TEST_GRPC_HAND_SERVER_H

#include <gtest/gtest.h>

#include <atomic>
#include <list>
#include <string>
#include <thread>
#include <utility>

#include "grpc/http2.h"

namespace rg_test {

class HandServer {
 public:
  // `entries`, as they are on the wire, follow what HTTP asks for: an answer
  // that is nothing but trailers.
  explicit HandServer(Entries entries)
      : entries_(std::move(entries)),
        listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = Loopback(0);
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, generic, size), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    getsockname(listener_, generic, &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~HandServer() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    close(listener_);
    for (Connection &connection : connections_) connection.Shutdown();
    for (std::thread &thread : threads_) thread.join();
  }
  HandServer(const HandServer &) = delete;
  HandServer &operator=(const HandServer &) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  uint64_t attempts() const { return attempts_; }

 private:
  void Accept() {
    for (;;) {
      int socket = accept(listener_, nullptr, nullptr);
      if (socket < 0) return;
      Connection &connection = connections_.emplace_back(socket);
      threads_.emplace_back([this, &connection] { Serve(&connection); });
    }
  }

  void Serve(Connection *connection) {
    std::string preface;
    if (!connection->ReadBytes(&preface, Connection::kPrefaceSize)) return;
    connection->Write({Frame::kSettings, 0, 0, ""});
    Frame frame;
    while (connection->Read(&frame)) {
      if (frame.type != Frame::kHeaders) continue;
      attempts_++;
      Entries all = {{":status", "200"}, {"content-type", "application/grpc"}};
      all.insert(all.end(), entries_.begin(), entries_.end());
      connection->WriteHeaders(frame.stream, all, Frame::kEndStream);
    }
  }

  Entries entries_;
  int listener_;
  int port_ = 0;
  std::atomic<uint64_t> attempts_{0};
  std::thread acceptor_;
  std::list<Connection> connections_;  // the acceptor's until it has ended
  std::list<std::thread> threads_;
};

}  // namespace rg_test

#endif
