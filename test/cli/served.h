// SPDX-License-Identifier: Apache-2.0

// A server that says what a test wants, be it HTTP or not.
#ifndef RG_TEST_CLI_SERVED_H
#define RG_TEST_CLI_SERVED_H

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rg_test {

inline std::string Ok(const std::string &body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

// Answers one connection with each of `answers`, and the rest with the last.
class Served {
 public:
  explicit Served(std::vector<std::string> answers)
      : answers_(std::move(answers)),
        listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in here = {};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr *>(&here), size), 0);
    EXPECT_EQ(listen(listener_, SOMAXCONN), 0);
    getsockname(listener_, reinterpret_cast<sockaddr *>(&here), &size);
    address_ = "127.0.0.1:" + std::to_string(ntohs(here.sin_port));
    thread_ = std::thread([this] { Serve(); });
  }
  Served(const Served &) = delete;
  ~Served() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

  std::string address() const { return address_; }
  // Of the first connection; after it was answered.
  std::string request() const { return request_; }

 private:
  void Serve() {
    for (size_t i = 0;; i++) {
      int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      Answer(fd, answers_[i < answers_.size() ? i : answers_.size() - 1]);
      close(fd);
    }
  }

  void Answer(int fd, const std::string &answer) {
    std::string request;
    char piece[1024];
    while (request.find("\r\n\r\n") == std::string::npos) {
      ssize_t n = recv(fd, piece, sizeof piece, 0);
      if (n <= 0) return;
      request.append(piece, static_cast<size_t>(n));
    }
    if (request_.empty()) request_ = request;
    for (size_t sent = 0; sent < answer.size();) {
      ssize_t n =
          send(fd, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;
      sent += static_cast<size_t>(n);
    }
  }

  std::vector<std::string> answers_;
  int listener_;
  std::string address_;
  std::string request_;
  std::thread thread_;
};

}  // namespace rg_test

#endif
