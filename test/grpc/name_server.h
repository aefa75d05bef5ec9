// SPDX-License-Identifier: Apache-2.0

// Name servers on loopback that know one host: 127.0.0.1, with the service
// config that a test publishes. One answers gRPC and asks two others, of which
// now this, now that one is there with what was published last: at no moment
// does a question go without an answer.
//
// All are dnsmasq, whose program alone is Debian's package dnsmasq-base, which
// starts no service; here it needs neither root nor files.
#ifndef RG_TEST_GRPC_NAME_SERVER_H
#define RG_TEST_GRPC_NAME_SERVER_H

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "support/process.h"

namespace rg_test {

class NameServer {
 public:
  static constexpr char kHost[] = "shop.test";

  static bool IsInstalled() { return access(kProgram, X_OK) == 0; }

  // Without a service config.
  NameServer() {
    Publish("");
    StartUp(&front_);
  }
  ~NameServer() { Stop(); }
  NameServer(const NameServer &) = delete;
  NameServer &operator=(const NameServer &) = delete;

  // From its return on the host's TXT record holds the choices of service
  // configs `json`; "": there is no record.
  void Publish(const std::string &json) {
    text_ = json.empty() ? "" : "grpc_config=" + json;
    StartUp(&backs_[next_]);
    next_ = 1 - next_;
    Stop(&backs_[next_]);
  }

  // From its return on nobody listens.
  void Stop() {
    for (Program *program : {&front_, &backs_[0], &backs_[1]}) Stop(program);
  }
  // The opposite: who was stopped answers again.
  void Restart() { StartUp(&front_); }

  // What a channel is created with, to find a server on `port` by this.
  std::string Target(int port) const {
    return "dns://127.0.0.1:" + std::to_string(front_.port) + "/" + kHost +
           ":" + std::to_string(port);
  }

 private:
  static constexpr char kProgram[] = "/usr/sbin/dnsmasq";
  static constexpr uint32_t kPatienceMs = 30000;

  // Below what the kernel gives to whom asks for any port: nobody takes it
  // while the server starts anew.
  static int SomePort() {
    static std::mt19937 random{std::random_device{}()};
    for (;;) {
      int port = std::uniform_int_distribution<>(10000, 30000)(random);
      if (IsFree(port)) return port;
    }
  }

  static bool IsFree(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    bool is_free = true;
    for (int type : {SOCK_STREAM, SOCK_DGRAM}) {
      int fd = socket(AF_INET, type, 0);
      is_free &=
          bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
      close(fd);
    }
    return is_free;
  }

  // A record's data: strings of at most 255 bytes, in hexadecimal.
  static std::string Data(const std::string &text) {
    std::string strings;
    for (size_t i = 0; i < text.size(); i += 255) {
      std::string part = text.substr(i, 255);
      strings += static_cast<char>(part.size());
      strings += part;
    }
    std::string hex;
    for (unsigned char byte : strings) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", byte);
      hex += digits;
    }
    return hex;
  }

  struct Program {
    int port = SomePort();
    rg_process process{};
  };

  // What dnsmasq answers by: the others, or what it knows itself.
  std::vector<std::string> Knowledge(bool is_front) const {
    const std::string host = kHost;
    if (is_front)
      return {"--cache-size=0", "--all-servers", Ask(backs_[0]),
              Ask(backs_[1])};
    std::vector<std::string> known = {"--local=/" + host + "/",
                                      "--host-record=" + host + ",127.0.0.1"};
    if (!text_.empty())
      known.push_back("--dns-rr=_grpc_config." + host + ",16," + Data(text_));
    return known;
  }

  static std::string Ask(const Program &back) {
    return "--server=127.0.0.1#" + std::to_string(back.port);
  }

  // False when it does not come up: the port is taken.
  bool Start(Program *program) {
    std::vector<std::string> arguments = {
        // Its words come by standard error; as its own successor it stays the
        // process that was started.
        "/bin/sh",
        "-c",
        "exec \"$@\" 2>&1",
        "sh",
        kProgram,
        "--no-daemon",
        "--conf-file=/dev/null",
        "--no-resolv",
        "--no-hosts",
        "--listen-address=127.0.0.1",
        "--bind-interfaces",
        "--port=" + std::to_string(program->port)};
    for (const std::string &known : Knowledge(program == &front_))
      arguments.push_back(known);
    std::vector<const char *> argv;
    for (const std::string &argument : arguments)
      argv.push_back(argument.c_str());
    argv.push_back(nullptr);
    if (!rg_process_start(&program->process, argv.data())) return false;
    char line[1024];
    while (
        rg_process_read_line(&program->process, line, sizeof line, kPatienceMs))
      if (std::string(line).find(": started") != std::string::npos) return true;
    Stop(program);
    return false;
  }

  // Ports are for good once gRPC or the front knows them.
  void StartUp(Program *program) {
    bool started = false;
    for (int i = 0; i < 100 && !started; i++) started = Start(program);
    ASSERT_TRUE(started);
  }

  static void Stop(Program *program) {
    rg_process_stop(&program->process, kPatienceMs);
  }

  Program front_;
  Program backs_[2];
  int next_ = 0;
  std::string text_;
};

}  // namespace rg_test

#endif
