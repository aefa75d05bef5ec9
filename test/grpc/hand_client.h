// SPDX-License-Identifier: Apache-2.0

// A caller that puts into a request whatever a test wants.
#ifndef RG_TEST_GRPC_HAND_CLIENT_H
#define RG_TEST_GRPC_HAND_CLIENT_H

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "grpc/http2.h"

namespace rg_test {

class HandClient {
 public:
  enum class End { kAnswered, kReset, kDisconnected };

  explicit HandClient(int port) : port_(port) {}

  // A call of kMethod with `entries`, as they are on the wire, after what HTTP
  // and gRPC ask for. How it ended.
  End Call(const Entries &entries) {
    if (connection_ == nullptr) Connect();
    Entries all = {{":method", "POST"}, {":scheme", "http"},
                   {":path", kMethod},  {":authority", "localhost"},
                   {"te", "trailers"},  {"content-type", "application/grpc"}};
    all.insert(all.end(), entries.begin(), entries.end());
    uint32_t stream = next_stream_;
    next_stream_ += 2;
    connection_->WriteHeaders(stream, all, 0);
    connection_->Write(
        {Frame::kData, Frame::kEndStream, stream, std::string(5, '\0')});
    End end = AwaitEnd(stream);
    if (end == End::kDisconnected) connection_.reset();
    return end;
  }

 private:
  void Connect() {
    int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = Loopback(port_);
    EXPECT_EQ(
        connect(socket, reinterpret_cast<sockaddr *>(&address), sizeof address),
        0);
    connection_ = std::make_unique<Connection>(socket);
    connection_->WriteBytes(Connection::kPreface);
    connection_->Write({Frame::kSettings, 0, 0, ""});
    next_stream_ = 1;
  }

  End AwaitEnd(uint32_t stream) {
    Frame frame;
    while (connection_->Read(&frame)) {
      if (frame.type == Frame::kGoAway) break;
      if (frame.stream != stream) continue;
      if (frame.type == Frame::kResetStream) return End::kReset;
      if (frame.type == Frame::kHeaders &&
          (frame.flags & Frame::kEndStream) != 0)
        return End::kAnswered;
    }
    return End::kDisconnected;
  }

  int port_;
  std::unique_ptr<Connection> connection_;
  uint32_t next_stream_ = 1;
};

}  // namespace rg_test

#endif
