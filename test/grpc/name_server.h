// SPDX-License-Identifier: Apache-2.0

// A DNS server on loopback, dnsmasq, that knows one host: 127.0.0.1, with the
// service config that a test publishes. The program alone is Debian's package
// dnsmasq-base, which starts no service; here it needs neither root nor files.
#ifndef RG_TEST_GRPC_NAME_SERVER_H
#define RG_TEST_GRPC_NAME_SERVER_H

#include <gtest/gtest.h>
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
    for (int i = 0; i < 100 && !Start(); i++) port_ = SomePort();
  }
  ~NameServer() { Stop(); }
  NameServer(const NameServer &) = delete;
  NameServer &operator=(const NameServer &) = delete;

  // From its return on the host's TXT record holds the choices of service
  // configs `json`; "": there is no record.
  void Publish(const std::string &json) {
    Stop();
    text_ = json.empty() ? "" : "grpc_config=" + json;
    bool started = false;
    for (int i = 0; i < 100 && !started; i++) started = Start();
    ASSERT_TRUE(started);
  }

  // From its return on nobody listens.
  void Stop() { rg_process_stop(&process_, kPatienceMs); }

  // What a channel is created with, to find a server on `port` by this.
  std::string Target(int port) const {
    return "dns://127.0.0.1:" + std::to_string(port_) + "/" + kHost + ":" +
           std::to_string(port);
  }

 private:
  static constexpr char kProgram[] = "/usr/sbin/dnsmasq";
  static constexpr uint32_t kPatienceMs = 30000;

  // Below what the kernel gives to whom asks for any port: nobody takes it
  // while the server starts anew.
  static int SomePort() {
    static std::mt19937 random{std::random_device{}()};
    return std::uniform_int_distribution<>(10000, 30000)(random);
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

  std::vector<std::string> Arguments() const {
    const std::string host = kHost;
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
        "--port=" + std::to_string(port_),
        "--local=/" + host + "/",
        "--host-record=" + host + ",127.0.0.1"};
    if (!text_.empty())
      arguments.push_back("--dns-rr=_grpc_config." + host + ",16," +
                          Data(text_));
    return arguments;
  }

  // False when it does not come up: the port is taken.
  bool Start() {
    const std::vector<std::string> arguments = Arguments();
    std::vector<const char *> argv;
    for (const std::string &argument : arguments)
      argv.push_back(argument.c_str());
    argv.push_back(nullptr);
    if (!rg_process_start(&process_, argv.data())) return false;
    char line[1024];
    while (rg_process_read_line(&process_, line, sizeof line, kPatienceMs))
      if (std::string(line).find(": started") != std::string::npos) return true;
    Stop();
    return false;
  }

  int port_ = SomePort();
  std::string text_;
  rg_process process_{};
};

}  // namespace rg_test

#endif
