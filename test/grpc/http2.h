// SPDX-License-Identifier: Apache-2.0

// Just enough HTTP/2 (RFC 9113) and HPACK (RFC 7541) by hand to send what
// gRPC's own API refuses to: header lists of any bytes, and of any size.
#ifndef RG_TEST_GRPC_HTTP2_H
#define RG_TEST_GRPC_HTTP2_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "grpc/wire.h"

namespace rg_test {

struct Frame {
  enum Type : uint8_t {
    kData = 0,
    kHeaders = 1,
    kResetStream = 3,
    kSettings = 4,
    kPing = 6,
    kGoAway = 7,
    kContinuation = 9,
  };
  enum Flag : uint8_t { kEndStream = 1, kAck = 1, kEndHeaders = 4 };

  uint8_t type = 0;
  uint8_t flags = 0;
  uint32_t stream = 0;
  std::string payload;
};

// A connection that is there already; closes it.
class Connection {
 public:
  static constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  static constexpr size_t kPrefaceSize = sizeof kPreface - 1;

  explicit Connection(int socket) : socket_(socket) {
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~Connection() { close(socket_); }
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  bool ReadBytes(std::string *bytes, size_t size) {
    bytes->resize(size);
    for (size_t got = 0; got < size;) {
      ssize_t n = recv(socket_, &(*bytes)[got], size - got, 0);
      if (n <= 0) return false;
      got += static_cast<size_t>(n);
    }
    return true;
  }

  void WriteBytes(const std::string &bytes) {
    for (size_t sent = 0; sent < bytes.size();) {
      ssize_t n =
          send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;
      sent += static_cast<size_t>(n);
    }
  }

  // The next one that is no mere housekeeping, which it answers.
  bool Read(Frame *frame) {
    while (ReadAny(frame)) {
      bool house =
          frame->type == Frame::kSettings || frame->type == Frame::kPing;
      if (!house) return true;
      if ((frame->flags & Frame::kAck) != 0) continue;
      if (frame->type == Frame::kSettings) frame->payload.clear();
      Write({frame->type, Frame::kAck, 0, frame->payload});
    }
    return false;
  }

  void Write(const Frame &frame) {
    size_t size = frame.payload.size();
    std::string header = {static_cast<char>(size >> 16),
                          static_cast<char>(size >> 8), static_cast<char>(size),
                          static_cast<char>(frame.type),
                          static_cast<char>(frame.flags)};
    for (int shift = 24; shift >= 0; shift -= 8)
      header.push_back(static_cast<char>(frame.stream >> shift));
    WriteBytes(header + frame.payload);
  }

  // A header list, in as many frames as it takes.
  void WriteHeaders(uint32_t stream, const Entries &entries, uint8_t flags) {
    std::string block = Encode(entries);
    for (size_t at = 0; at == 0 || at < block.size(); at += kFrameMax) {
      bool last = at + kFrameMax >= block.size();
      uint8_t more = last ? Frame::kEndHeaders : 0;
      Write({at == 0 ? Frame::kHeaders : Frame::kContinuation,
             static_cast<uint8_t>(more | (at == 0 ? flags : 0)), stream,
             block.substr(at, kFrameMax)});
    }
  }

  void Shutdown() { shutdown(socket_, SHUT_RDWR); }

 private:
  static constexpr size_t kFrameMax = 16384;

  bool ReadAny(Frame *frame) {
    std::string header;
    if (!ReadBytes(&header, 9)) return false;
    auto byte = [&](size_t i) { return static_cast<uint8_t>(header[i]); };
    frame->type = byte(3);
    frame->flags = byte(4);
    frame->stream = 0;
    for (size_t i = 5; i < 9; i++) frame->stream = frame->stream << 8 | byte(i);
    size_t size = static_cast<size_t>(byte(0)) << 16 | byte(1) << 8 | byte(2);
    return ReadBytes(&frame->payload, size);
  }

  // Literals without indexing, and without Huffman's code.
  static std::string Encode(const Entries &entries) {
    std::string block;
    for (const auto &[name, value] : entries)
      block += '\0' + Text(name) + Text(value);
    return block;
  }

  static std::string Text(const std::string &text) {
    std::string out;
    size_t length = text.size();
    out.push_back(static_cast<char>(std::min<size_t>(length, 127)));
    if (length >= 127) {
      for (length -= 127; length >= 128; length /= 128)
        out.push_back(static_cast<char>(length % 128 + 128));
      out.push_back(static_cast<char>(length));
    }
    return out + text;
  }

  int socket_;
};

inline sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace rg_test

#endif
