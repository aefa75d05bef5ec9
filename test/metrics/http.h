// SPDX-License-Identifier: Apache-2.0

// A client of HTTP that may be as rude as a test wants.
#ifndef RG_TEST_METRICS_HTTP_H
#define RG_TEST_METRICS_HTTP_H

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace rg_test {

// One connection. It waits for at most 20 seconds, unless told otherwise.
class Connection {
 public:
  // To 127.0.0.1:PORT, or [::1]:PORT.
  explicit Connection(const std::string &address) {
    bool v6 = address[0] == '[';
    auto port = htons(static_cast<uint16_t>(
        std::stoi(address.substr(address.rfind(':') + 1))));
    fd_ = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    Wait(20);
    sockaddr_in6 to6 = {};
    to6.sin6_family = AF_INET6;
    to6.sin6_port = port;
    to6.sin6_addr = in6addr_loopback;
    sockaddr_in to4 = {};
    to4.sin_family = AF_INET;
    to4.sin_port = port;
    to4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const void *to = v6 ? static_cast<const void *>(&to6) : &to4;
    connected_ = connect(fd_, static_cast<const sockaddr *>(to),
                         v6 ? sizeof to6 : sizeof to4) == 0;
  }
  Connection(Connection &&other) noexcept
      : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_) {}
  ~Connection() {
    if (fd_ >= 0) close(fd_);
  }

  bool connected() const { return connected_; }
  int fd() const { return fd_; }

  void Wait(int seconds) {
    timeval patience = {seconds, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

  bool Send(const std::string &bytes) {
    return send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

  // All up to the end of the connection.
  std::string Read() {
    std::string all;
    char piece[4096];
    for (ssize_t n; (n = recv(fd_, piece, sizeof piece, 0)) > 0;)
      all.append(piece, static_cast<size_t>(n));
    return all;
  }

  // What comes first, or nothing if it ends.
  std::string ReadSome() {
    char piece[4096];
    ssize_t n = recv(fd_, piece, sizeof piece, 0);
    return std::string(piece, n > 0 ? static_cast<size_t>(n) : 0);
  }

  // Whether the server ends it, and says nothing before.
  bool EndsSilently() {
    char byte;
    ssize_t n = recv(fd_, &byte, 1, 0);
    return n == 0 || (n < 0 && errno == ECONNRESET);
  }

 private:
  int fd_;
  bool connected_;
};

struct Reply {
  int status;
  std::string head;
  std::string body;
};

inline Reply Ask(const std::string &address, const std::string &method,
                 const std::string &path, const std::string &headers = "") {
  Connection connection(address);
  EXPECT_TRUE(connection.connected()) << address;
  connection.Send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" +
                  headers + "Connection: close\r\n\r\n");
  std::string all = connection.Read();
  size_t end = all.find("\r\n\r\n");
  if (all.rfind("HTTP/1.1 ", 0) != 0 || end == std::string::npos)
    return {0, all, ""};
  return {std::stoi(all.substr(strlen("HTTP/1.1 "))), all.substr(0, end + 2),
          all.substr(end + 4)};
}

inline Reply Get(const std::string &address, const std::string &path,
                 const std::string &headers = "") {
  return Ask(address, "GET", path, headers);
}

}  // namespace rg_test

#endif
