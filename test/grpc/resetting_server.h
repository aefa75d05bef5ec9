// SPDX-License-Identifier: Apache-2.0

// A server that speaks just enough HTTP/2 to reset every stream it is offered,
// which no gRPC server can be brought to do.
#ifndef RG_TEST_GRPC_RESETTING_SERVER_H
#define RG_TEST_GRPC_RESETTING_SERVER_H

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace rg_test {

class ResettingServer {
 public:
  ResettingServer() : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    EXPECT_EQ(bind(listener_, generic, size), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    getsockname(listener_, generic, &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~ResettingServer() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    close(listener_);
    for (int connection : connections_) shutdown(connection, SHUT_RDWR);
    for (std::thread &thread : threads_) thread.join();
    for (int connection : connections_) close(connection);
  }
  ResettingServer(const ResettingServer &) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  uint64_t streams() const { return streams_; }

 private:
  // RFC 9113: frame types and flags, the client's preface, an error code.
  enum : uint8_t { kHeaders = 1, kResetStream = 3, kSettings = 4, kPing = 6 };
  static constexpr uint8_t kAck = 1;
  static constexpr size_t kPrefaceSize = 24;
  static constexpr char kInternalError[] = {0, 0, 0, 2};

  void Accept() {
    for (;;) {
      int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      connections_.push_back(connection);
      threads_.emplace_back([this, connection] { Serve(connection); });
    }
  }

  static bool Read(int connection, std::string *bytes, size_t size) {
    bytes->resize(size);
    size_t got = 0;
    while (got < size) {
      ssize_t n = recv(connection, &(*bytes)[got], size - got, 0);
      if (n <= 0) return false;
      got += static_cast<size_t>(n);
    }
    return true;
  }

  static void Write(int connection, uint8_t type, uint8_t flags,
                    const std::string &stream, const std::string &payload) {
    std::string frame = {0, 0, static_cast<char>(payload.size()),
                         static_cast<char>(type), static_cast<char>(flags)};
    frame += stream + payload;
    send(connection, frame.data(), frame.size(), MSG_NOSIGNAL);
  }

  void Serve(int connection) {
    const std::string none(4, 0);
    std::string header, payload;
    if (!Read(connection, &payload, kPrefaceSize)) return;
    Write(connection, kSettings, 0, none, "");
    while (Read(connection, &header, 9)) {
      auto byte = [&](size_t i) { return static_cast<uint8_t>(header[i]); };
      size_t size = static_cast<size_t>(byte(0)) << 16 | byte(1) << 8 | byte(2);
      if (!Read(connection, &payload, size)) return;
      if (byte(3) == kHeaders) {
        streams_++;
        Write(connection, kResetStream, 0, header.substr(5, 4),
              std::string(kInternalError, 4));
      } else if (byte(4) != kAck && byte(3) == kSettings) {
        Write(connection, kSettings, kAck, none, "");
      } else if (byte(4) != kAck && byte(3) == kPing) {
        Write(connection, kPing, kAck, none, payload);
      }
    }
  }

  int listener_;
  int port_ = 0;
  std::atomic<uint64_t> streams_{0};
  std::thread acceptor_;
  std::vector<int> connections_;  // the acceptor's until it has ended
  std::vector<std::thread> threads_;
};

}  // namespace rg_test

#endif
